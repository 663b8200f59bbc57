#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What one of the standard streams is connected to.
struct Terminal: Sendable, Equatable {
    /// Whether it is a terminal at all.
    let isTerminal: Bool

    /// The columns of the terminal, nil if it does not say or is none.
    let width: Int?

    /// Whether bold and coloured text may be written.
    let allowsColour: Bool

    /// A terminal with given properties, for tests.
    init(isTerminal: Bool, width: Int?, allowsColour: Bool) {
        self.isTerminal = isTerminal
        self.width = width
        self.allowsColour = allowsColour
    }

    /// Looks at a stream.
    ///
    /// - Parameters:
    ///   - descriptor: The file descriptor of the stream.
    ///   - environment: The environment's variables, of which `COLUMNS`, `NO_COLOR` and `TERM` count.
    init(descriptor: Int32, environment: [String: String]) {
        isTerminal = isatty(descriptor) == 1
        width = isTerminal ? Self.columns(descriptor) ?? Self.columns(environment["COLUMNS"]) : nil
        allowsColour = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    private static func columns(_ descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    private static func columns(_ text: String?) -> Int? {
        guard let columns = text.flatMap({ Int($0) }), (1...10_000).contains(columns) else { return nil }
        return columns
    }

    /// A text in bold where that is allowed.
    func bold(_ text: String) -> String {
        allowsColour ? "\u{1b}[1m\(text)\u{1b}[0m" : text
    }
}
