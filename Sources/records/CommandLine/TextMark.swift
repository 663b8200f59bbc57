/// A place in a text of the command line, which an error shows with a caret.
struct TextMark: Sendable {
    private static let indentation = "  "

    private let before: String
    private let after: String

    init(_ bytes: [UInt8], at offset: Int) {
        before = String(decoding: bytes.prefix(offset), as: UTF8.self)
        after = String(decoding: bytes.dropFirst(offset), as: UTF8.self)
    }

    /// The text, cut around the place, and a line with the caret; nothing for a text of several lines.
    ///
    /// - Parameter width: The number of columns of the terminal.
    func lines(within width: Int) -> [String] {
        if (before + after).utf8.contains(UInt8(ascii: "\n")) { return [] }
        // The caret may be one column after the text.
        let room = max(4, width - Self.indentation.count - 1)
        let before = before.visible
        let shownAfter = after.visible(within: max(room / 2, room - before.displayWidth))
        let shownBefore = String(before.reversed().visible(within: room - shownAfter.displayWidth).reversed())
        let gap = String(repeating: " ", count: shownBefore.displayWidth)
        return [Self.indentation + shownBefore + shownAfter, Self.indentation + gap + "^"]
    }
}
