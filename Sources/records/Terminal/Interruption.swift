import Dispatch
import Foundation
import NestedRecords

/// Handles the signals that end the process.
enum Interruption {
    /// Whether there is a status line to remove before the process ends.
    ///
    /// The status line writes it under its lock, and the handler reads it, so its type is read and written atomically.
    nonisolated(unsafe) static let hasStatusLine = atomic(0)

    /// The descriptor for requests to end, if ``cancelling(_:)`` waits for one; -1 otherwise.
    ///
    /// Written before the handler is installed and by the handler, so its type is read and written atomically.
    nonisolated(unsafe) private static let requests = atomic(-1)

    private static func atomic(_ value: sig_atomic_t) -> UnsafeMutablePointer<sig_atomic_t> {
        let place = UnsafeMutablePointer<sig_atomic_t>.allocate(capacity: 1)
        place.initialize(to: value)
        return place
    }

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
    /// - Returns: The number of the signal, if there was one.
    /// - Throws: Errors of the closure, except the `CancellationError` of the signal.
    @discardableResult
    static func cancelling(_ body: @escaping @Sendable () async throws -> Void) async throws -> Int32? {
        let (input, output) = try ShellProcess.makePipe()
        let task = Task(operation: body)
        // A handler may only write; the reader of the pipe cancels the task.
        let received = Lock<Int32?>(nil)
        let source = DispatchSource.makeReadSource(fileDescriptor: input, queue: .global())
        source.setEventHandler {
            var number: UInt8 = 0
            if read(input, &number, 1) == 1 { received.withLock { $0 = Int32(number) } }
            task.cancel()
            source.cancel()
        }
        source.activate()
        requests.pointee = sig_atomic_t(output)
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
        return received.withLock { $0 }
    }

    /// Handles a signal unless the process was started with it ignored (`nohup`, a script's background job).
    private static func handle(_ number: Int32) {
        let previous = signal(number) { Interruption.received($0) }
        if unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
            _ = signal(number, SIG_IGN)
        }
    }

    /// Requests cancellation from ``cancelling(_:)``, or ends the process.
    private static func received(_ number: Int32) {
        let descriptor = requests.pointee
        guard descriptor >= 0 else { end(number) }
        requests.pointee = -1
        let failure = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(Int32(descriptor), &byte, 1)
        errno = failure
    }

    /// Ends the process as a signal handler may: without allocating memory or taking locks.
    private static func end(_ number: Int32) -> Never {
        if hasStatusLine.pointee != 0 {
            let removal: StaticString = "\r\u{1b}[K"
            _ = write(STDERR_FILENO, removal.utf8Start, removal.utf8CodeUnitCount)
        }
        _exit(128 + number)
    }
}
