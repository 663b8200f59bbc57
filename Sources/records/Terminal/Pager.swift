import Foundation

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
    func start() throws -> RunningPager {
        let pipe = try ShellProcess.makePipe()
        defer { close(pipe.read) }
        // Colours, and no screen of its own: the same as in other tools, unless the user has chosen options.
        let script = "export LESS=\"${LESS-FRX}\"; \(command)"
        do {
            let process = try ShellProcess(script, descriptors: [(pipe.read, as: STDIN_FILENO)])
            return RunningPager(descriptor: pipe.write, process: process)
        } catch {
            close(pipe.write)
            throw error
        }
    }
}

/// A pager that shows what is written to a descriptor.
struct RunningPager {
    /// The descriptor to write to.
    let descriptor: Int32

    fileprivate let process: ShellProcess
    private let formerHandler = signal(SIGINT, SIG_IGN)

    /// Waits until the user leaves the pager.
    ///
    /// - Returns: The status with which it ended; 128 and the number of a signal that ended it.
    func end() -> Int32 {
        close(descriptor)
        defer { _ = signal(SIGINT, formerHandler) }
        return process.wait()
    }
}
