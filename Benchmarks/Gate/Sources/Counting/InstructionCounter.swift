import Dispatch
import Foundation
import Synchronization

/// Counts the instructions of a piece of work: valgrind runs this executable again, with few and with more rounds, and
/// the difference excludes one-time costs.
public final class InstructionCounter: Sendable {
    private let valgrind: Tool
    private let folder: URL
    private let executable: URL

    /// Prepares the executable.
    ///
    /// - Throws: ``InstructionError`` without valgrind.
    public init() throws {
        guard let valgrind = Tool(named: "valgrind") else { throw InstructionError("valgrind is not installed") }
        self.valgrind = valgrind
        let original = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
        folder = FileManager.default.temporaryDirectory.appending(path: "counting-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        executable = folder.appending(path: "counted")
        // Some versions of valgrind cannot read the debug information of Swift, which is not needed here.
        let code = try Tool(named: "objcopy")?.run(["--strip-debug", original.path, executable.path]).code
        if code != 0 { try FileManager.default.copyItem(at: original, to: executable) }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// A piece of work to count.
    public struct Job: Sendable {
        let work: String
        let rounds: (few: Int, many: Int)

        /// Names work.
        ///
        /// - Parameters:
        ///   - work: The name of the work, which is passed to ``InstructionChild``.
        ///   - rounds: The numbers of rounds of the short and of the long run.
        public init(work: String, rounds: (few: Int, many: Int)) { (self.work, self.rounds) = (work, rounds) }
    }

    /// Counts the instructions of one round of each piece of work, several of them at the same time.
    ///
    /// - Throws: ``InstructionError`` if they cannot be counted.
    public func instructions(of jobs: [Job]) throws -> [Double] {
        let results = Mutex([Int: Result<Int, any Error>]())
        DispatchQueue.concurrentPerform(iterations: jobs.count * 2) { number in
            let job = jobs[number / 2]
            let rounds = number.isMultiple(of: 2) ? job.rounds.few : job.rounds.many
            let result = Result { try total(job.work, rounds) }
            results.withLock { $0[number] = result }
        }
        let totals = try results.withLock { $0 }.mapValues { try $0.get() }
        return jobs.enumerated().map { number, job in
            Double(totals[2 * number + 1, default: 0] - totals[2 * number, default: 0])
                / Double(job.rounds.many - job.rounds.few)
        }
    }

    private func total(_ work: String, _ rounds: Int) throws -> Int {
        let (text, code) = try valgrind.run(
            ["--tool=callgrind", "--callgrind-out-file=/dev/null", executable.path]
                + InstructionChild.arguments(for: work, rounds: rounds),
            // Otherwise the order of dictionaries would differ in each run.
            environment: ["SWIFT_DETERMINISTIC_HASHING": "1"])
        let line = text.split(separator: "\n").first { $0.contains("Collected : ") }
        guard code == 0, let line, let total = line.split(separator: " ").last.flatMap({ Int($0) }) else {
            throw InstructionError("valgrind failed with exit code \(code): \(text.suffix(500))")
        }
        return total
    }
}

/// The error of instructions that cannot be counted.
public struct InstructionError: Error, CustomStringConvertible {
    /// The reason.
    public let description: String

    init(_ description: String) { self.description = description }
}
