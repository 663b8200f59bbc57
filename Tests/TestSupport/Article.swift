import Foundation
package import NestedRecords

/// An article of the documentation, whose code blocks a test runs.
package struct Article {
    package struct Block {
        package let language: String
        package let text: String
    }

    package let text: String
    package let blocks: [Block]

    /// - Parameter path: The path in the folder of the sources.
    package init(_ path: String) throws {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        text = try String(contentsOf: package.appending(path: "Sources").appending(path: path), encoding: .utf8)
        let parts = text.components(separatedBy: "```")
        blocks = parts.indices.filter { $0 % 2 == 1 }.map { position in
            let lines = parts[position].components(separatedBy: "\n")
            return Block(language: lines[0], text: lines.dropFirst().joined(separator: "\n"))
        }
    }

    /// The records that the articles about reading with SQL query.
    package static func cities() throws -> [Record] {
        func place(_ latitude: Double, _ longitude: Double) throws -> Record.Value {
            .location(try Location(latitude: latitude, longitude: longitude))
        }
        let (germany, france) = (try Flat.reference("Country/de"), try Flat.reference("Country/fr"))
        // The beginning of the year 52.
        let founded = Record.Value.date(Date(timeIntervalSinceReferenceDate: -61_504_531_200))
        return [
            try Flat.record(
                "City/hamburg", ["country": germany, "population": 1_862_565, "place": try place(53.55, 10)]),
            try Flat.record(
                "City/munich", ["country": germany, "population": 1_822_700, "place": try place(48.14, 11.58)]),
            try Flat.record(
                "City/paris",
                ["country": france, "population": 2_103_778, "founded": founded, "place": try place(48.86, 2.35)]),
            try Flat.record("Country/de", ["name": "Germany"]), try Flat.record("Country/fr", ["name": "France"]),
            try Flat.record("Person/ada", ["home": germany]),
        ]
    }

    /// What a program writes to its standard output.
    package static func output(of program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
