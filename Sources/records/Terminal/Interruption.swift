import Dispatch

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What signals do to the process.
enum Interruption {
    /// Whether there is a status line to remove before the process ends.
    ///
    /// Written by the status line under its lock, and read in the handler: a type that systems read and write whole.
    nonisolated(unsafe) static let hasStatusLine = {
        let flag = UnsafeMutablePointer<sig_atomic_t>.allocate(capacity: 1)
        flag.initialize(to: 0)
        return flag
    }()

    /// Where to write that the process is to end, if ``cancelling(_:)`` waits for that; -1 otherwise.
    ///
    /// Written before there is a handler that reads it and by the handler, as a type that systems read and write whole.
    nonisolated(unsafe) private static let requests = {
        let descriptor = UnsafeMutablePointer<sig_atomic_t>.allocate(capacity: 1)
        descriptor.initialize(to: -1)
        return descriptor
    }()

    /// Makes a closed pipe and a limit on files errors of the write, and an interrupt the end of the process with its status line
    /// removed.
    ///
    /// To be called before anything else.
    static func install() {
        _ = signal(SIGPIPE, SIG_IGN)
        // A file that is larger than the system lets it be is an error of the write too.
        _ = signal(SIGXFSZ, SIG_IGN)
        // Made ready here: a handler may not be the first to use a global value.
        hasStatusLine.pointee = 0
        requests.pointee = -1
        // A handler, and no thread that waits: the main thread of an asynchronous program takes every signal.
        handle(SIGINT)
    }

    /// Does something that an interrupt, or the request to end, cancels.
    ///
    /// A second one ends the process.
    ///
    /// - Parameter body: What to do.
    /// - Throws: What the closure throws, but for the `CancellationError` of the interrupt.
    static func cancelling(_ body: @escaping @Sendable () async throws -> Void) async throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError.last }
        let task = Task(operation: body)
        // A handler may do no more than write; whoever reads that may cancel.
        let source = DispatchSource.makeReadSource(fileDescriptor: ends[0], queue: .global())
        source.setEventHandler {
            task.cancel()
            source.cancel()
        }
        source.activate()
        requests.pointee = sig_atomic_t(ends[1])
        handle(SIGTERM)
        defer {
            requests.pointee = -1
            source.cancel()
            // The pipe stays open: a handler may have read its number already, which another file would get.
        }
        do {
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch is CancellationError where task.isCancelled {}
    }

    /// Takes a signal, but where it is ignored: a process that is started so (`nohup`, a script's background job) goes on.
    private static func handle(_ number: Int32) {
        let previous = signal(number) { _ in Interruption.received() }
        if unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
            _ = signal(number, SIG_IGN)
        }
    }

    /// Asks whoever is to end the process to do so, or ends it.
    private static func received() {
        let descriptor = requests.pointee
        guard descriptor >= 0 else { end() }
        requests.pointee = -1
        let failure = errno
        var byte: UInt8 = 0
        _ = write(Int32(descriptor), &byte, 1)
        errno = failure
    }

    /// Ends the process, with nothing but what a signal handler may do: no memory, no locks.
    private static func end() -> Never {
        if hasStatusLine.pointee != 0 {
            let removal: StaticString = "\r\u{1b}[K"
            _ = write(STDERR_FILENO, removal.utf8Start, removal.utf8CodeUnitCount)
        }
        _exit(ExitStatus.interrupted.rawValue)
    }
}
