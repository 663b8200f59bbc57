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
        // A handler, and no thread that waits: the main thread of an asynchronous program takes every signal.
        let previous = signal(SIGINT) { _ in Interruption.end() }
        // A process that is started with interrupts ignored (`nohup`, a script's background job) goes on.
        if unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
            _ = signal(SIGINT, SIG_IGN)
        }
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
