import NestedRecords

/// A text that the user wrote in the language of filters, and how far it was read.
struct FilterText {
    /// What errors call the text, such as `option '--where'`.
    let owner: String

    private(set) var position = 0
    private let bytes: [UInt8]

    init(_ text: String, owner: String) {
        bytes = Array(text.utf8)
        self.owner = owner
    }

    /// The byte at the position; nil at the end.
    var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Goes on to what is no white space.
    mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    /// Passes a symbol.
    ///
    /// - Returns: Whether it is here.
    mutating func take(_ symbol: String) -> Bool {
        guard bytes[position...].starts(with: symbol.utf8) else { return false }
        position += symbol.utf8.count
        return true
    }

    /// Passes a symbol, with white space before it.
    ///
    /// - Throws: `UsageError` if it is not here.
    mutating func expect(_ symbol: String) throws {
        skipSpace()
        guard take(symbol) else { throw unexpected("'\(symbol)'") }
    }

    /// The word at the position: all up to white space, a quote, a bracket, a comma or a sign of comparison.
    var word: String? {
        let word = bytes[position...].prefix(while: \.isOfWord)
        return word.isEmpty ? nil : String(decoding: word, as: UTF8.self)
    }

    /// Passes a word up to a full stop.
    ///
    /// - Returns: It, or nothing.
    mutating func takeName() -> String {
        let name = bytes[position...].prefix { $0.isOfWord && $0 != UInt8(ascii: ".") }
        position = name.endIndex
        return String(decoding: name, as: UTF8.self)
    }

    /// Passes what ``word`` is.
    mutating func take(word: String) { position += word.utf8.count }

    /// Passes a word.
    ///
    /// - Returns: Whether it is here.
    mutating func take(keyword: String) -> Bool {
        guard word == keyword else { return false }
        take(word: keyword)
        return true
    }

    /// The bytes from a position to this one.
    func bytes(from start: Int) -> [UInt8] { Array(bytes[start..<position]) }

    /// Goes on by a byte.
    mutating func advance() { position += 1 }
}

// MARK: Errors

extension FilterText {
    /// The place of a position in the text: `column 5`, with the line where there are several.
    func column(of offset: Int) -> String {
        let place = bytes.withBytesInPlace { JSONPlace(of: offset, in: $0) }
        return place.line > 1 ? "\(place)" : "column \(place.column)"
    }

    /// The text and the place in it.
    func place(of offset: Int) -> String { "\(owner), \(column(of: offset))" }

    /// The error of finding something else than what is expected.
    ///
    /// - Parameters:
    ///   - expected: What is expected.
    ///   - offset: Where; nil for here.
    func unexpected(_ expected: String, at offset: Int? = nil) -> UsageError {
        var here = self
        here.position = offset ?? position
        return UsageError("\(place(of: here.position)): found \(here.found), expected \(expected)")
    }

    /// What is at the position.
    private var found: String {
        if let word { return "'\(word.shortened)'" }
        guard let byte = current else { return "the end" }
        // All that is in no word is ASCII.
        return "'\(Unicode.Scalar(byte))'"
    }
}

extension String {
    /// The text for an error, cut if it is long.
    var shortened: String { count > 60 ? prefix(60) + "…" : self }
}

extension UInt8 {
    /// Whether this is in words: not if it is ASCII and white space, a control character, or a sign of the language.
    fileprivate var isOfWord: Bool { self > 0x20 && self != 0x7F && !#"()[]{},=!<>~"'"#.utf8.contains(self) }
}
