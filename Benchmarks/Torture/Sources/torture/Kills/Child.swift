import Foundation

@testable import NestedRecords

/// A program that plays a role until it is killed, and its output.
final class Child: Sendable {
    private let process: Lock<Process>
    private let pid: Int32
    private let printed = Lock<[String]>([])
    private let hasEnded = DispatchSemaphore(value: 0)

    init(_ role: String, _ path: String) throws {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = ["--role", role, path]
        process.standardOutput = pipe
        try process.run()
        pid = process.processIdentifier
        self.process = Lock(process)
        let (printed, hasEnded) = (printed, hasEnded)
        Thread.detachNewThread {
            var rest = Data()
            while true {
                let data = pipe.fileHandleForReading.availableData
                if data.isEmpty { break }
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

    var lines: [String] { printed.withLock { $0 } }

    /// Waits until the child prints a line that begins like this.
    ///
    /// - Returns: Whether it has.
    @discardableResult
    func wait(for beginnings: [String], milliseconds: Int = 20_000) -> Bool {
        let end = DispatchTime.now() + .milliseconds(milliseconds)
        var seen = 0
        while DispatchTime.now() < end {
            let lines = lines
            let new = lines[seen...]
            if new.contains(where: { line in beginnings.contains { line.hasPrefix($0) } }) { return true }
            seen = lines.count
            usleep(50)
        }
        return false
    }

    /// Kills the child, and waits until it is dead and its output is read.
    func kill() {
        Foundation.kill(pid, SIGKILL)
        process.withLock { $0.waitUntilExit() }
        hasEnded.wait()
    }

    /// Whether the child was inside an operation when it ended.
    func wasIn(_ part: String) -> Bool {
        let lines = lines.filter { $0.hasPrefix(part) }
        return lines.last == "\(part) +"
    }

    /// The numbers that the child printed after a word.
    func numbers(_ word: String) -> [Int] {
        lines.compactMap { $0.hasPrefix(word + " ") ? Int($0.dropFirst(word.count + 1)) : nil }
    }
}
