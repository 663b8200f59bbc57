import Foundation
import TestSupport
import Testing

@testable import records

@Suite struct OutputTests {
    /// A pipe, closed at the end.
    private final class Pipe {
        private(set) var ends: [Int32] = [-1, -1]
        var reading: Int32 { ends[0] }
        var writing: Int32 { ends[1] }

        init() throws {
            signal(SIGPIPE, SIG_IGN)
            try #require(pipe(&ends) == 0)
        }

        /// Writes until nothing more fits, and leaves the pipe blocking or not.
        func fill(blocks: Bool) throws -> Int {
            let flags = fcntl(writing, F_GETFL)
            try #require(fcntl(writing, F_SETFL, flags | O_NONBLOCK) == 0)
            var count = 0
            while write(writing, "x", 1) == 1 { count += 1 }
            if blocks { try #require(fcntl(writing, F_SETFL, flags) == 0) }
            return count
        }

        func read(_ count: Int) throws -> [UInt8] {
            var bytes: [UInt8] = []
            while bytes.count < count {
                var block = [UInt8](repeating: 0, count: min(1 << 16, count - bytes.count))
                let size = block.withUnsafeMutableBytes { Foundation.read(reading, $0.baseAddress, $0.count) }
                try #require(size > 0)
                bytes += block.prefix(size)
            }
            return bytes
        }

        func closeReading() {
            close(ends[0])
            ends[0] = -1
        }

        deinit { ends.filter { $0 >= 0 }.forEach { _ = close($0) } }
    }

    @Test func everythingArrivesInOrder() throws {
        let file = try #require(tmpfile())
        defer { fclose(file) }
        let output = Output(descriptor: fileno(file))
        var expected: [UInt8] = []
        for index in 0..<30_000 {
            try output.write("\(index)é\n")
            try output.write([1, 2, 3])
            expected += Array("\(index)é\n".utf8) + [1, 2, 3]
        }
        try output.flush()
        rewind(file)
        #expect(try FileHandle(fileDescriptor: fileno(file)).readToEnd() == Data(expected))
    }

    private final class Outcome: Sendable {
        let value = Locked<Result<Void, any Error>?>(nil)
    }

    @Test(arguments: [true, false])
    func fullPipeIsWaitedFor(_ blocks: Bool) async throws {
        let pipe = try Pipe()
        let filled = try pipe.fill(blocks: blocks)
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let result = Outcome()
        let descriptor = pipe.writing
        // A thread of its own: tests may not have one to spare.
        Thread.detachNewThread {
            let output = Output(descriptor: descriptor)
            let outcome = Result {
                try output.write(bytes)
                try output.flush()
            }
            result.value.withLock { $0 = outcome }
        }
        #expect(try Array(pipe.read(filled + bytes.count).dropFirst(filled)) == bytes)
        try await waitUntil { result.value.withLock { $0 != nil } }
        #expect(throws: Never.self) { try result.value.withLock { $0 }?.get() }
    }

    @Test func closedPipeIsAnErrorOnceAndForAll() throws {
        let pipe = try Pipe()
        let output = Output(descriptor: pipe.writing)
        pipe.closeReading()
        try output.write("a")
        for _ in 1...2 {
            #expect(throws: BrokenPipe()) { try output.flush() }
        }
        #expect(throws: BrokenPipe()) { try output.write("b") }
    }

    @Test func closedStreamIsAnError() throws {
        let output = Output(descriptor: -1)
        try output.write("a")
        #expect(throws: OutputFailure(reason: SystemError(number: EBADF))) { try output.flush() }
    }

    // MARK: The process

    @Test func closedPipeEndsTheProcessQuietly() throws {
        let pipe = try Pipe()
        pipe.closeReading()
        let process = try process(["completions", "bash"], writingTo: pipe)
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 0)
    }

    #if os(Linux)
    @Test func interruptEndsTheProcess() async throws {
        let pipe = try Pipe()
        _ = try pipe.fill(blocks: true)
        let process = try process(["completions", "bash"], writingTo: pipe)
        // Until it waits for the pipe.
        try await waitUntil { try waitsForInterrupts(process) && process.isToolAtRest }
        process.interrupt()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 130)
    }

    @Test func ignoredInterruptStaysIgnored() async throws {
        let pipe = try Pipe()
        let filled = try pipe.fill(blocks: true)
        let process = try process(
            "/bin/sh", ["-c", #"trap '' INT; exec "$0" completions bash"#, Shell.tool], writingTo: pipe)
        try await waitUntil { try process.isToolAtRest }
        process.interrupt()
        let script = CompletionScript.bash.text(for: Records.program)
        _ = try pipe.read(filled)
        #expect(try pipe.read(script.utf8.count) == Array(script.utf8))
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    /// Whether the process blocks interrupts, so that its own thread gets them.
    private func waitsForInterrupts(_ process: Process) throws -> Bool {
        // Before it is the tool it has the handlers of this process.
        guard try process.isTool else { return false }
        let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") })
        let caught = try #require(UInt64(line.dropFirst(7).drop(while: \.isWhitespace), radix: 16))
        return caught & 0b10 != 0
    }
    #endif

    private func process(_ arguments: [String], writingTo pipe: Pipe) throws -> Process {
        try process(Shell.tool, arguments, writingTo: pipe)
    }

    private func process(_ path: String, _ arguments: [String], writingTo pipe: Pipe) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardOutput = FileHandle(fileDescriptor: pipe.writing)
        try process.run()
        return process
    }
}
