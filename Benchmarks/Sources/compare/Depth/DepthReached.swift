import Foundation
import Models

/// The maximum depth of a value.
struct DepthReached {
    func run() throws -> Section {
        let machine = Machine()
        var section = Section("depth", "Depth of a chain, in a thread with a stack of \(DeepChain.stackSize >> 10) KiB")
        for direction in ["encode", "decode"] {
            var reached = 0
            for links in [1_000, 5_000, 10_000] where try DeepChain.survives(direction, links: links) {
                reached = max(reached, links)
            }
            section.add(
                "\(direction), records, \(machine.build) build", Double(reached), "links",
                .atLeast(5_000))
        }
        section.add("encode, json (any stack)", Double(Self.greatest(Self.jsonEncodes)), "links", nil)
        section.add("decode, json (any stack)", Double(Self.greatest(Self.jsonDecodes)), "links", nil)
        section.notes.append("Tried with records: 1000, 5000 and 10000.")
        if machine.build != "debug" {
            section.notes.append("Debug builds take more stack: run this section without -c release as well.")
        }
        return section
    }

    /// The greatest length of a chain below 4,096 that works.
    private static func greatest(_ works: (Int) -> Bool) -> Int {
        var (low, high) = (0, 4_096)
        while high - low > 1 {
            let middle = (low + high) / 2
            if works(middle) { low = middle } else { high = middle }
        }
        return low
    }

    private static func jsonEncodes(_ links: Int) -> Bool {
        (try? JSONEncoder().encode(Person.chain(of: links))) != nil
    }

    private static func jsonDecodes(_ links: Int) -> Bool {
        let start = #"{"id":"a","name":"b","born":0"#
        let text = (1..<links).reduce(start + "}") { text, _ in "\(start),\"guardian\":\(text)}" }
        return (try? JSONDecoder().decode(Person.self, from: Data(text.utf8))) != nil
    }
}
