import Dispatch

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Handles the signals that end the process.
enum Interruption {
    /// Whether there is a status line to remove before the process ends.
    ///
    /// The status line writes it under its lock, and the handler reads it, so its type is read and written atomically.
    nonisolated(unsafe) static let hasStatusLine = {
        let flag = UnsafeMutablePointer<sig_atomic_t>.allocate(capacity: 1)
        flag.initialize(to: 0)
        return flag
    }()

    /// The descriptor for requests to end, if ``cancelling(_:)`` waits for one; -1 otherwise.
    ///
    /// Written before the handler is installed and by the handler, so its type is read and written atomically.
    nonisolated(unsafe) private static let requests = {
        let descriptor = UnsafeMutablePointer<sig_atomic_t>.allocate(capacity: 1)
        descriptor.initialize(to: -1)
        return descriptor
    }()

    /// Turns closed pipes and file size limits into write errors, and makes an interrupt remove the status line before
    /// it ends the process.
    ///
    /// Must be called before anything else.
    static func install() {
        _ = signal(SIGPIPE, SIG_IGN)
        // Exceeding the file size limit becomes an error of the write.
        _ = signal(SIGXFSZ, SIG_IGN)
        // Initialized here: a handler must not be the first to use a global value.
        hasStatusLine.pointee = 0
        requests.pointee = -1
        // A handler instead of a waiting thread: the main thread of an asynchronous program receives every signal.
        handle(SIGINT)
    }

    /// Runs a closure that SIGINT, SIGTERM, SIGHUP or SIGQUIT cancels.
    ///
    /// A second signal ends the process.
    ///
    /// - Parameter body: The closure.
    /// - Throws: Errors of the closure, except the `CancellationError` of the signal.
    static func cancelling(_ body: @escaping @Sendable () async throws -> Void) async throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError.last }
        let task = Task(operation: body)
        // A handler may only write; the reader of the pipe cancels the task.
        let source = DispatchSource.makeReadSource(fileDescriptor: ends[0], queue: .global())
        source.setEventHandler {
            task.cancel()
            source.cancel()
        }
        source.activate()
        requests.pointee = sig_atomic_t(ends[1])
        for number in [SIGTERM, SIGHUP, SIGQUIT] { handle(number) }
        defer {
            requests.pointee = -1
            source.cancel()
            // The pipe stays open: a handler may have read its descriptor, which a closed pipe would free for another file.
        }
        do {
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch is CancellationError where task.isCancelled {}
    }

    /// Handles a signal unless the process was started with it ignored (`nohup`, a script's background job).
    private static func handle(_ number: Int32) {
        let previous = signal(number) { _ in Interruption.received() }
        if unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
            _ = signal(number, SIG_IGN)
        }
    }

    /// Requests cancellation from ``cancelling(_:)``, or ends the process.
    private static func received() {
        let descriptor = requests.pointee
        guard descriptor >= 0 else { end() }
        requests.pointee = -1
        let failure = errno
        var byte: UInt8 = 0
        _ = write(Int32(descriptor), &byte, 1)
        errno = failure
    }

    /// Ends the process as a signal handler may: without allocating memory or taking locks.
    private static func end() -> Never {
        if hasStatusLine.pointee != 0 {
            let removal: StaticString = "\r\u{1b}[K"
            _ = write(STDERR_FILENO, removal.utf8Start, removal.utf8CodeUnitCount)
        }
        _exit(ExitStatus.interrupted.rawValue)
    }
}
