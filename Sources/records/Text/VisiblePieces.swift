/// The parts of a text that are never cut in two: graphemes, and escapes.
///
/// An escape may be in the text already, since text is cut more than once: a field for its column, and a line for the
/// terminal.
struct VisiblePieces<Base: IteratorProtocol<Character>>: Sequence, IteratorProtocol {  // Characters: none is cut in two
    /// The length of the longest escape, `\u{10ffff}`.
    private static var longest: Int { 10 }

    private var base: Base
    private var read: [Character] = []  // Characters: no grapheme is cut in two

    init(_ base: Base) { self.base = base }

    /// The next part, with escapes for control characters and invisible characters.
    mutating func next() -> String? {
        guard let first = read.isEmpty ? base.next() : read.removeFirst() else { return nil }
        guard first.sign == UInt8(ascii: #"\"#) else { return String(first).visible }
        while read.count < Self.longest - 1, let character = base.next() { read.append(character) }
        let length = Self.length(ofEscape: read.map(\.sign))
        defer { read.removeFirst(length) }
        return String(first) + String(read.prefix(length))
    }

    /// The number of signs after the backslash that belong to an escape of Swift or JSON; 0 if it begins none.
    private static func length(ofEscape signs: [UInt8]) -> Int {
        guard let first = signs.first else { return 0 }
        guard first == UInt8(ascii: "u") else { return #"nrtbf"\/"#.utf8.contains(first) ? 1 : 0 }
        let isBraced = signs.count > 1 && signs[1] == UInt8(ascii: "{")
        let start = isBraced ? 2 : 1
        let digits = signs[start...].prefix { "0123456789abcdefABCDEF".utf8.contains($0) }.count
        guard isBraced else { return digits < 4 ? 0 : 5 }
        let end = start + digits
        return digits > 0 && end < signs.count && signs[end] == UInt8(ascii: "}") ? end + 1 : 0
    }
}

extension Character {  // Characters: no grapheme is cut in two
    /// The ASCII code; 0 for other characters.
    fileprivate var sign: UInt8 { utf8.count == 1 ? utf8.first ?? 0 : 0 }
}
