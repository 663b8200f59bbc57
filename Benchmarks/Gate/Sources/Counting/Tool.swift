import Foundation

/// A program of the system.
struct Tool {
    let url: URL

    /// Finds a program in the search path of the shell.
    init?(named name: String) {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let path = folders.map { "\($0)/\(name)" }.first(where: FileManager.default.isExecutableFile(atPath:))
        guard let path else { return nil }
        url = URL(filePath: path)
    }

    /// Runs the program.
    ///
    /// - Parameters:
    ///   - arguments: Its arguments.
    ///   - environment: Variables to set besides those of this process.
    /// - Returns: Its standard error, and its exit code.
    func run(_ arguments: [String], environment: [String: String] = [:]) throws -> (errors: String, code: Int32) {
        let process = Process()
        process.executableURL = url
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let errors = Pipe()
        process.standardError = errors
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let text = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (String(decoding: text, as: UTF8.self), process.terminationStatus)
    }
}
