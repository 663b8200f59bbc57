import Foundation

/// An article of the documentation, whose code blocks a test runs.
package struct Article {
    package struct Block {
        package let language: String
        package let text: String
    }

    package let blocks: [Block]

    /// - Parameter path: The path in the folder of the sources.
    package init(_ path: String) throws {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: package.appending(path: "Sources").appending(path: path), encoding: .utf8)
        let parts = text.components(separatedBy: "```")
        blocks = parts.indices.filter { $0 % 2 == 1 }.map { position in
            let lines = parts[position].components(separatedBy: "\n")
            return Block(language: lines[0], text: lines.dropFirst().joined(separator: "\n"))
        }
    }

    /// What a program writes to its standard output.
    package static func output(
        of program: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
