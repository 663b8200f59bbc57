/// The exit status of the process.
enum ExitStatus: Int32, Sendable {
    /// All went well, and nothing was found where something was looked for.
    case done = 0
    /// Something failed, or was found: a problem, a difference.
    case failed = 1
    /// The command line cannot be understood.
    case usage = 2
    /// The user interrupted the process.
    case interrupted = 130

    /// A check found something.
    static let found = ExitStatus.failed
}
