import Foundation

/// A running `DatabaseProcess`, and the lines that it has written.
package final class ChildProcess: Sendable {
    private static let program = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("DatabaseProcess")

    /// Whether the program lies beside the tests.
    package static let isThere = FileManager.default.isExecutableFile(atPath: program.path)

    private let process: Locked<Process>
    private let input: FileHandle
    private let printed = Locked<[String]>([])
    private let hasEnded = DispatchSemaphore(value: 0)

    package convenience init(_ arguments: String...) throws { try self.init(arguments) }

    package init(_ arguments: [String]) throws {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = Self.program
        process.arguments = arguments
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        self.process = Locked(process)
        self.input = input.fileHandleForWriting
        let (printed, hasEnded) = (printed, hasEnded)
        Thread.detachNewThread {
            var rest = Data()
            while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
                rest += data
                while let end = rest.firstIndex(of: 0x0A) {
                    let line = String(decoding: rest[rest.startIndex..<end], as: UTF8.self)
                    rest = rest[rest.index(after: end)...]
                    printed.withLock { $0.append(line) }
                }
            }
            hasEnded.signal()
        }
    }

    package var lines: [String] { printed.withLock { $0 } }

    /// The last number that it wrote after a word, 0 if there is none.
    package func lastNumber(_ word: String) -> Int64 {
        lines.last { $0.hasPrefix(word + " ") }.flatMap { Int64($0.dropFirst(word.count + 1)) } ?? 0
    }

    /// Kills the process, and waits until it has ended and its lines are read.
    package func kill() {
        process.withLock { process in
            Foundation.kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        hasEnded.wait()
    }

    /// Stops the process.
    ///
    /// - Returns: Whether it ended without an error.
    package func stop() -> Bool {
        // The pipe to a process that has ended would end the tests.
        if process.withLock({ $0.isRunning }) { try? input.write(contentsOf: Data("stop\n".utf8)) }
        let status = process.withLock { process in
            process.waitUntilExit()
            return process.terminationStatus
        }
        hasEnded.wait()
        return status == 0
    }
}
