import Foundation

/// A script that runs in `sh`, beside this process.
struct ShellProcess: Sendable {
    private let id: pid_t

    /// Starts a script.
    ///
    /// - Parameters:
    ///   - arguments: The values of `$1` and so on.
    ///   - descriptors: Descriptors of this process, and what they are copied to, in this order: 0 to 3. Besides those, the
    ///     script has the input and the outputs of this process alone: a file or a lock would stay open as long as it runs.
    init(_ script: String, arguments: [String] = [], descriptors: [(Int32, as: Int32)] = []) throws {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #else
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        for (source, target) in descriptors { posix_spawn_file_actions_adddup2(&actions, source, target) }
        let first = (descriptors.map(\.as) + [STDERR_FILENO]).reduce(0, max) + 1
        #if canImport(Darwin)
        let closing = POSIX_SPAWN_CLOEXEC_DEFAULT
        for descriptor in 0..<first { posix_spawn_file_actions_addinherit_np(&actions, descriptor) }
        #else
        let closing: Int32 = 0
        // The first 1,024, also those that are not open: other threads may open files until the script starts.
        for descriptor in first..<max(first, Int32(clamping: min(sysconf(Int32(_SC_OPEN_MAX)), 1_024))) {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        #endif
        // Signals that this process ignores would stay ignored.
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGQUIT, SIGPIPE, SIGXFSZ] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | closing))
        var words = (["sh", "-c", script, "sh"] + arguments).map { strdup($0) } + [nil]
        defer {
            for word in words { free(word) }
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        var id = pid_t()
        let number = posix_spawn(&id, "/bin/sh", &actions, &attributes, &words, environ)
        guard number == 0 else { throw SystemError(number: number) }
        self.id = id
    }

    /// Waits for the end of the script.
    ///
    /// - Returns: Its exit status; 128 and the number of a signal that ended it.
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, SystemError.last == .interruptedCall {}
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F)
    }

    /// Makes a pipe whose ends no other program inherits unless it is given one: the end of the data is read only after
    /// all have closed the other end.
    static func makePipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError.last }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}
