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

    /// The lines of the terminal, nil if it does not say or is none.
    let height: Int?

    /// Whether bold and coloured text may be written.
    let allowsColour: Bool

    /// A terminal with given properties, for tests.
    init(isTerminal: Bool, width: Int?, height: Int? = nil, allowsColour: Bool) {
        self.isTerminal = isTerminal
        (self.width, self.height) = (width, height)
        self.allowsColour = allowsColour
    }

    /// Looks at a stream.
    ///
    /// - Parameters:
    ///   - descriptor: The file descriptor of the stream.
    ///   - environment: The environment's variables, of which `COLUMNS`, `NO_COLOR` and `TERM` count.
    init(descriptor: Int32, environment: [String: String]) {
        isTerminal = isatty(descriptor) == 1
        let size = isTerminal ? Self.size(descriptor) : winsize()
        let columns = size.ws_col > 0 ? Int(size.ws_col) : Self.columns(environment["COLUMNS"])
        width = isTerminal ? columns : nil
        height = size.ws_row > 0 ? Int(size.ws_row) : nil
        allowsColour = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    /// The size of the window; zeros where it is not known.
    private static func size(_ descriptor: Int32) -> winsize {
        var size = winsize()
        return ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 ? size : winsize()
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
