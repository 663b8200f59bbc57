import Foundation

/// This program again, in a process of its own, whose memory and first calls are measured.
enum ChildProcess {
    /// Runs the program with arguments, and decodes the JSON that it prints.
    static func answer<Answer: Decodable>(_ arguments: String..., as type: Answer.Type = Answer.self) throws -> Answer {
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let answer = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return try JSONDecoder().decode(type, from: answer)
    }
}
