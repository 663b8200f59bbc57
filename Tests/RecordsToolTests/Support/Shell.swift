import Foundation
import Testing

/// Runs other programs: the built tool, and shells.
enum Shell {
    /// The folder of built products, where the tool lies beside the tests.
    static var products: URL {
        URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
    }

    /// The path of the built tool.
    static var tool: String { products.appendingPathComponent("records").path }

    /// Runs a script in `sh`, with the built tool as `records`.
    static func run(_ script: String, input: String = "") throws -> ToolRun {
        try run("/bin/sh", ["-c", "PATH=\(products.path.shellWord):$PATH\n\(script)"], input: input)
    }

    /// Runs a program to its end.
    static func run(_ path: String, _ arguments: [String], input: String = "") throws -> ToolRun {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let streams = ["input", "output", "errors"].map(folder.appendingPathComponent)
        try Data(input.utf8).write(to: streams[0])
        try Data().write(to: streams[1])
        try Data().write(to: streams[2])
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardInput = try FileHandle(forReadingFrom: streams[0])
        process.standardOutput = try FileHandle(forWritingTo: streams[1])
        process.standardError = try FileHandle(forWritingTo: streams[2])
        try process.run()
        process.waitUntilExit()
        return ToolRun(
            status: process.terminationStatus,
            output: String(decoding: try Data(contentsOf: streams[1]), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: streams[2]), as: UTF8.self))
    }

    /// The path of an installed program.
    static func path(of name: String) -> String? {
        ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}

extension String {
    /// This text as one word of a shell.
    fileprivate var shellWord: String { "'" + replacingOccurrences(of: "'", with: #"'\''"#) + "'" }
}
