#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The program that shows long output screen by screen.
struct Pager: Sendable, Equatable {
    /// The command, for a shell.
    let command: String

    /// The pager of the environment: `RECORDS_PAGER`, else `PAGER`, else `less` if it is installed.
    ///
    /// - Returns: nil if the variable is empty or `cat`, or `less` is not installed.
    init?(environment: [String: String]) {
        let folders = (environment["PATH"] ?? "").utf8.split(separator: UInt8(ascii: ":")).map {
            String(decoding: $0, as: UTF8.self)
        }
        let usual = folders.contains { access("\($0)/less", X_OK) == 0 } ? "less" : ""
        command = environment["RECORDS_PAGER"] ?? environment["PAGER"] ?? usual
        if command.isEmpty || command == "cat" { return nil }
    }

    /// Starts the pager.
    ///
    /// Until its end an interrupt is for the pager alone: a process that ends before its pager leaves the terminal to
    /// two programs.
    ///
    /// - Throws: ``SystemError``.
    func start() throws -> RunningPager {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError.last }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        // Colours, and no screen of its own: the same as in other tools, unless the user has chosen options.
        setenv("LESS", "FRX", 0)
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #else
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
        // Signals that this process ignores would stay ignored.
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGPIPE, SIGXFSZ] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        let words = ["sh", "-c", command]
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process = pid_t()
        let number = posix_spawn(&process, "/bin/sh", &actions, &attributes, &arguments, environ)
        guard number == 0 else {
            close(ends[1])
            throw SystemError(number: number)
        }
        return RunningPager(descriptor: ends[1], process: process)
    }
}

/// A pager that shows what is written to a descriptor.
struct RunningPager {
    /// The descriptor to write to.
    let descriptor: Int32

    private let process: pid_t
    private let formerHandler = signal(SIGINT, SIG_IGN)

    fileprivate init(descriptor: Int32, process: pid_t) { (self.descriptor, self.process) = (descriptor, process) }

    /// Waits until the user leaves the pager.
    ///
    /// - Returns: Whether the shell found the pager.
    func end() -> Bool {
        close(descriptor)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, SystemError.last == .interruptedCall {}
        _ = signal(SIGINT, formerHandler)
        return ![126, 127].contains(status >> 8 & 0xFF)
    }
}
