import Foundation
import TestSupport

/// A running `records log --follow`.
final class Watch {
    let process = Process()
    private let output: URL
    private let errors: URL

    /// Starts it, and returns when it waits for changes.
    init(_ arguments: [String], in folder: ToolFolder) throws {
        output = folder.url.appendingPathComponent("watch-output")
        errors = folder.url.appendingPathComponent("watch-errors")
        for url in [output, errors] { try Data().write(to: url) }
        process.executableURL = URL(fileURLWithPath: Shell.tool)
        process.currentDirectoryURL = folder.url
        let start = try folder.output("records log \(arguments[0]) --since=now --json")
        let token = String(start.split(separator: "\"")[3])
        process.arguments = ["log"] + arguments + ["--follow", "--since", token]
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
    }

    deinit { if process.isRunning { process.terminate() } }

    func waitForOutput(_ isDone: (String) -> Bool) throws {
        var text = ""
        try blockUntil("the output is: \(text)") {
            text = String(decoding: try Data(contentsOf: output), as: UTF8.self)
            return isDone(text)
        }
    }

    func interrupt() throws -> ToolRun {
        process.interrupt()
        process.waitUntilExit()
        return ToolRun(
            status: process.terminationStatus, output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
    }
}
