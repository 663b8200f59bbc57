import Foundation

/// The terminal properties of a standard stream.
struct Terminal: Sendable, Equatable {
    /// Whether the stream is a terminal.
    let isTerminal: Bool

    /// The columns of the terminal; nil if unknown or not a terminal.
    let width: Int?

    /// The lines of the terminal; nil if unknown or not a terminal.
    let height: Int?

    /// Whether bold and coloured text may be written.
    let allowsColour: Bool

    /// A terminal with given properties, for tests.
    init(isTerminal: Bool, width: Int?, height: Int? = nil, allowsColour: Bool) {
        (self.isTerminal, self.width, self.height, self.allowsColour) = (isTerminal, width, height, allowsColour)
    }

    /// Detects the properties of a stream.
    ///
    /// - Parameter environment: The environment variables; `COLUMNS`, `NO_COLOR` and `TERM` are used.
    init(descriptor: Int32, environment: [String: String]) {
        isTerminal = isatty(descriptor) == 1
        // Zeros if the size is unknown.
        var size = winsize()
        if isTerminal { _ = ioctl(descriptor, UInt(TIOCGWINSZ), &size) }
        let columns = environment["COLUMNS"].flatMap { Int($0) }.flatMap { (1...10_000).contains($0) ? $0 : nil }
        width = isTerminal ? (size.ws_col > 0 ? Int(size.ws_col) : columns) : nil
        height = size.ws_row > 0 ? Int(size.ws_row) : nil
        allowsColour = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    /// Whether text takes more lines than the screen has, with one for the prompt of the shell.
    ///
    /// A byte is counted as a column unless it continues a scalar or belongs to a colour; wide characters make the text
    /// longer.
    func isExceeded(by text: some Sequence<UInt8>) -> Bool {
        guard let height else { return false }
        let width = max(1, width ?? 80)
        var (lines, columns, isEscape) = (0, 0, false)
        for byte in text {
            switch byte {
            case UInt8(ascii: "\n"): (lines, columns) = (lines + 1 + max(0, columns - 1) / width, 0)
            case 0x1b: isEscape = true
            case UInt8(ascii: "m") where isEscape: isEscape = false
            case 0x80..<0xc0: continue
            default: if !isEscape { columns += 1 }
            }
            if lines + max(0, columns - 1) / width >= height { return true }
        }
        return false
    }

    /// The text in bold, if colour is allowed.
    func bold(_ text: String) -> String { allowsColour ? "\u{1b}[1m\(text)\u{1b}[0m" : text }

    /// The text with its colours exchanged, if colour is allowed.
    func inverse(_ text: String) -> String { allowsColour ? "\u{1b}[7m\(text)\u{1b}[0m" : text }
}
