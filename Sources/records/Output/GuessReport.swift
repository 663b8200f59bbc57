import NestedRecords

/// The guess in words: a table of the types, and the options that say the same.
struct GuessReport {
    private static let mostPaths = 3
    private static let longestOptions = 1_000

    let document: GuessedDocument
    let terminal: Terminal

    /// The lines of the report.
    var lines: [String] {
        get throws {
            let (mapping, marked) = (document.mapping, document.marked)
            var counts: [String: Int] = [:]
            for node in marked.marks.indices where marked.isRecord(node) && marked.stored(node) == node {
                counts[marked.types[marked.type(of: node)].name, default: 0] += 1
            }
            var table = Table(header: ["type", "records", "named by", "at"], terminal: terminal)
            var text = ""
            for type in counts.keys.sorted() {
                let rule = mapping.types[type]
                text += try table.add([
                    .text(type), .number((counts[type] ?? 0).grouped), .text(Self.title(rule?.identifier)),
                    .text(Self.list(rule?.paths.map { $0.isEmpty ? "/" : $0 } ?? ["/"])),
                ])
            }
            text += table.finish()
            // Its cells are visible, and its title may be bold.
            let rows = text.unicodeScalars.split(separator: "\n").map(String.init)
            var lines: [String] = []
            if let guess = document.guess {
                if !guess.embedded.isEmpty {
                    lines.append("embedded: \(Self.list(guess.embedded))")
                }
                for text in guess.positioned { lines.append("named by its position: \(text)") }
                for (path, type) in guess.takenReferences where type != Mapping.anyType {
                    lines.append("possible references, taken: --refer \("\(path)=\(type)".shellWord)")
                }
                let typed = guess.takenReferences.filter { $0.type == Mapping.anyType }.map(\.path)
                if !typed.isEmpty { lines.append("references to records of any type: \(Self.list(typed))") }
                for (path, types) in guess.possibleReferences {
                    let others = types.count > 1 ? " (or \(types.dropFirst().joined(separator: ", ")))" : ""
                    lines.append("possible references: --refer \("\(path)=\(types[0])".shellWord)\(others)")
                }
                let options = options(of: guess)
                // A shell would not read escapes as the characters.
                let isShown =
                    options.utf8.count <= Self.longestOptions && options.visible.utf8.elementsEqual(options.utf8)
                if !isShown {
                    lines.append("--save-mapping FILE writes the whole mapping")
                } else if !options.isEmpty {
                    lines.append("the same in options:\(options)")
                }
            }
            return rows + lines.map(\.visible)
        }
    }

    private static func title(_ identifier: String?) -> String {
        switch identifier {
        case Mapping.keyName: "its key"
        case Mapping.positionName: "its position"
        case nil, Mapping.fileName: "the file"
        case let key?: key
        }
    }

    private static func list(_ texts: [String]) -> String {
        texts.count <= mostPaths
            ? texts.joined(separator: ", ")
            : texts.prefix(mostPaths).joined(separator: ", ") + " and \((texts.count - mostPaths).grouped) more"
    }

    /// The options that state a mapping.
    private func options(of guess: Guess) -> String {
        let mapping = document.mapping
        var options = ""
        func add(_ name: String, _ value: String) { options += " --\(name) \(value.shellWord)" }
        for (name, type) in mapping.types.sorted(by: { $0.key < $1.key }) {
            for path in type.paths { path.isEmpty ? add("type", name) : add("map", "\(path)=\(name)") }
            let isKey = document.marked.tree.keys(of: type.identifier) != nil
            if isKey || type.identifier.utf8.first == UInt8(ascii: ":") { add("id-key", "\(name)=\(type.identifier)") }
        }
        for path in guess.embeddedPaths { add("embed", path) }
        for path in mapping.dates { add("date", path) }
        for path in mapping.locations { add("location", path) }
        for (path, type) in mapping.references.sorted(by: { $0.key < $1.key }) { add("refer", "\(path)=\(type)") }
        for path in mapping.ignored { add("ignore", path) }
        return options
    }
}

extension String {
    /// This text as one word of a shell.
    fileprivate var shellWord: String {
        let isPlain = utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                || "_/=.:-@".utf8.contains($0)
        }
        return isPlain && !isEmpty ? self : shellQuoted
    }
}
