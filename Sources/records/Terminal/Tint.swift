import NestedRecords

/// The colour of a value by its kind: one of the 16 standard colours, readable on light and on dark screens.
enum Tint: Int {
    case reference = 36
    case number = 35
    case text = 32
    case date = 94
    case null = 90
}

extension Tint {
    private static let tints: [Record.Value.Kind: Tint] = [
        .null: .null, .bool: .number, .int: .number, .double: .number, .location: .number, .string: .text, .date: .date,
        .serverTimestamp: .date, .reference: .reference,
    ]

    /// The colour of a value; nil for a list, a map and bytes.
    init?(_ value: Record.Value) {
        guard let tint = Self.tints[value.kind] else { return nil }
        self = tint
    }
}

extension Terminal {
    /// The text in a colour, if colour is allowed.
    ///
    /// The text must have its final width: a cut would lose the end of the colour.
    func tinted(_ text: String, _ tint: Tint?) -> String {
        guard allowsColour, let tint, !text.isEmpty else { return text }
        return "\u{1b}[\(tint.rawValue)m\(text)\u{1b}[39m"
    }
}

/// A line whose parts have colours.
struct TintedLine {
    private var parts: [(text: String, tone: Tint?)] = []

    /// Adds visible text at the end.
    mutating func append(_ text: String, _ tint: Tint? = nil) { parts.append((text, tint)) }

    /// The line, cut to a width before it is coloured.
    ///
    /// - Parameter width: The maximum number of columns; nil for any.
    func text(within width: Int?, on terminal: Terminal) -> String {
        let whole = parts.map(\.text).joined()
        let cut = width.map { whole.visible(within: $0) } ?? whole
        guard terminal.allowsColour else { return cut }
        // A cut line ends with a mark that the parts do not have.
        var rest = cut.utf8.elementsEqual(whole.utf8) ? cut.utf8[...] : cut.utf8.dropLast("…".utf8.count)
        var line = ""
        for part in parts {
            let kept = rest.prefix(part.text.utf8.count)
            line += terminal.tinted(String(decoding: kept, as: UTF8.self), part.tone)
            rest = rest.dropFirst(kept.count)
        }
        return cut.utf8.elementsEqual(whole.utf8) ? line : line + "…"
    }
}
