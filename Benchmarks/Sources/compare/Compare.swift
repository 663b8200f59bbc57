import Foundation

/// Measures the library against what one would use in its place.
@main
struct Compare {
    static let usage = """
        usage: compare [--quick] [--json FILE] [SECTION …]

        Sections: coding, storage, million, world. All of them without a name.
          --quick      smaller stores and fewer rounds; targets are left out
          --json FILE  writes the figures to a file too
        """

    static func main() async throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == Opening.command {
            let opening = try await Opening(in: Array(arguments.dropFirst()))
            return print(String(decoding: try JSONEncoder().encode(opening), as: UTF8.self))
        }
        let isQuick = arguments.contains("--quick")
        arguments.removeAll { $0 == "--quick" }
        var file: String?
        if let position = arguments.firstIndex(of: "--json"), position + 1 < arguments.count {
            file = arguments[position + 1]
            arguments.removeSubrange(position...(position + 1))
        }
        let all = ["coding", "storage", "million", "world"]
        guard arguments.allSatisfy(all.contains) else {
            FileHandle.standardError.write(Data((usage + "\n").utf8))
            exit(2)
        }
        var sections: [Section] = []
        for name in arguments.isEmpty ? all : arguments {
            for section in try await measure(name, isQuick: isQuick) {
                print(section)
                sections.append(section)
            }
        }
        if let file {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try encoder.encode(sections).write(to: URL(filePath: file))
        }
    }

    private static func measure(_ name: String, isQuick: Bool) async throws -> [Section] {
        switch name {
        case "coding":
            var coding = CodingComparison(isQuick: isQuick)
            return try await coding.run()
        case "storage":
            var storage = try await StorageComparison(isQuick: isQuick)
            return [try await storage.run()]
        case "million":
            return [try await MillionRecords(count: isQuick ? 50_000 : 1_000_000).run()]
        default:
            guard let url = WorldFile.url else {
                print("\nThe world is left out: there is no shared/data/world.json beside the package.")
                return []
            }
            return [try await WorldFile.run(rounds: isQuick ? 2 : 7, at: url)]
        }
    }
}
