#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What signals do to the process.
enum Interruption {
    /// Makes a closed pipe an error of the write, and an interrupt the end of the process with its status line
    /// cleared.
    ///
    /// To be called before anything else, on the first thread. Interrupts are blocked there and in all threads that
    /// start later; one thread waits for them, so that what it does is not bound by the rules of signal handlers.
    static func install(clearing statusLine: StatusLine) {
        _ = signal(SIGPIPE, SIG_IGN)
        // Who starts the process with interrupts ignored (`nohup`, a script's background job) wants it to go on.
        let previous = signal(SIGINT, SIG_DFL)
        if unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
            _ = signal(SIGINT, SIG_IGN)
            return
        }
        var interrupts = Self.interrupts
        pthread_sigmask(SIG_BLOCK, &interrupts, nil)
        let context = Unmanaged.passRetained(statusLine)
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        if pthread_create(&thread, nil, startRoutine, context.toOpaque()) != 0 {
            // Without the thread an interrupt ends the process in the system's own way.
            context.release()
            pthread_sigmask(SIG_UNBLOCK, &interrupts, nil)
        }
    }

    private static var interrupts: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGINT)
        return signals
    }

    #if canImport(Darwin)
        private static let startRoutine: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = {
            endWhenInterrupted(clearing: Unmanaged<StatusLine>.fromOpaque($0).takeRetainedValue())
        }
    #else
        private static let startRoutine: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
            guard let context = $0 else { return nil }
            endWhenInterrupted(clearing: Unmanaged<StatusLine>.fromOpaque(context).takeRetainedValue())
        }
    #endif

    private static func endWhenInterrupted(clearing statusLine: StatusLine) -> Never {
        var interrupts = Self.interrupts
        var received: Int32 = 0
        while sigwait(&interrupts, &received) != 0 || received != SIGINT {}
        statusLine.clear()
        _exit(ExitStatus.interrupted.rawValue)
    }
}
