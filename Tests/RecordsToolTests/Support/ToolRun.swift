import Foundation
import Testing

@testable import records

/// What running a command line led to.
struct ToolRun: Equatable {
    var status: Int32
    var output: String
    var errors: String

    /// What a command line leads to that prints nothing but an error.
    static func error(_ text: String, status: Int32 = 1) -> ToolRun {
        ToolRun(status: status, output: "", errors: "records: \(text)\n")
    }

    /// Runs a program in this process, with its streams going to files that nobody else sees.
    static func of(_ program: Program, _ arguments: [String]) async throws -> ToolRun {
        let output = try #require(tmpfile())
        defer { fclose(output) }
        let errors = try #require(tmpfile())
        defer { fclose(errors) }
        let console = Console(outputDescriptor: fileno(output), errorDescriptor: fileno(errors), environment: [:])
        let status = await program.run(arguments, console: console)
        return ToolRun(status: status.rawValue, output: try text(output), errors: try text(errors))
    }

    private static func text(_ file: UnsafeMutablePointer<FILE>) throws -> String {
        rewind(file)
        let bytes = try FileHandle(fileDescriptor: fileno(file)).readToEnd() ?? Data()
        return String(decoding: bytes, as: UTF8.self)
    }
}
