import NestedRecords

/// A text in the filter language, and the read position.
struct FilterText {
    /// The name of the text in errors, such as `option '--where'`.
    let owner: String

    private(set) var position = 0
    private let bytes: [UInt8]

    init(_ text: String, owner: String) {
        bytes = Array(text.utf8)
        self.owner = owner
    }

    /// The byte at the position; nil at the end.
    var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Skips white space.
    mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    /// Consumes a symbol.
    ///
    /// - Returns: Whether the symbol is at the position.
    mutating func take(_ symbol: String) -> Bool {
        guard bytes[position...].starts(with: symbol.utf8) else { return false }
        position += symbol.utf8.count
        return true
    }

    /// Consumes a symbol, with white space before it.
    ///
    /// - Throws: `UsageError` if the symbol is not at the position.
    mutating func expect(_ symbol: String) throws {
        skipSpace()
        guard take(symbol) else { throw unexpected("'\(symbol)'") }
    }

    /// The word at the position: up to white space, a quote, a bracket, a comma or a comparison operator.
    var word: String? {
        let word = bytes[position...].prefix(while: \.isOfWord)
        return word.isEmpty ? nil : String(decoding: word, as: UTF8.self)
    }

    /// Consumes a word up to a full stop.
    ///
    /// - Returns: The word; an empty string if there is none.
    mutating func takeName() -> String {
        let name = bytes[position...].prefix { $0.isOfWord && $0 != UInt8(ascii: ".") }
        position = name.endIndex
        return String(decoding: name, as: UTF8.self)
    }

    /// Consumes ``word``.
    mutating func take(word: String) { position += word.utf8.count }

    /// Whether the whole text is a word.
    var isOneWord: Bool { bytes.allSatisfy(\.isOfWord) }

    /// The word at the position in small letters, as keywords are compared.
    var keyword: String? { word.map { $0.lowercased() } }

    /// Consumes a keyword, in small or capital letters.
    ///
    /// - Returns: Whether the keyword is at the position.
    mutating func take(keyword: String) -> Bool {
        guard self.keyword == keyword else { return false }
        take(word: keyword)
        return true
    }

    /// Consumes the sign of an operator that has a keyword too: `&&`, `||` or `!`.
    ///
    /// - Returns: Whether the sign is at the position.
    mutating func take(sign: String) -> Bool {
        let bytes = bytes[position...]
        // The sign of "not" begins "not equal" too.
        guard bytes.starts(with: sign.utf8), !bytes.starts(with: "!=".utf8) else { return false }
        return take(sign)
    }

    /// The bytes from an offset to the position.
    func bytes(from start: Int) -> [UInt8] { Array(bytes[start..<position]) }

    /// Consumes a byte.
    mutating func advance() { position += 1 }
}

// MARK: Errors

extension FilterText {
    /// The column of an offset, with the line if the text has several: `column 5`.
    func column(of offset: Int) -> String {
        let place = bytes.withBytesInPlace { JSONPlace(of: offset, in: $0) }
        return place.line > 1 ? "\(place)" : "column \(place.column)"
    }

    /// The name of the text and the column of an offset.
    func place(of offset: Int) -> String { "\(owner), \(column(of: offset))" }

    /// The error for unexpected text.
    ///
    /// - Parameter offset: The place; nil for the position.
    func unexpected(_ expected: String, at offset: Int? = nil) -> UsageError {
        var here = self
        here.position = offset ?? position
        return error("found \(here.found), expected \(expected)", at: here.position)
    }

    /// An error about an offset.
    func error(_ reason: String, at offset: Int) -> UsageError {
        UsageError("\(place(of: offset)): \(reason)", mark: mark(at: offset))
    }

    /// The mark of an offset.
    func mark(at offset: Int) -> TextMark { TextMark(bytes, at: offset) }

    /// The names in a list with commas, with their offsets.
    ///
    /// - Throws: `UsageError` for an empty name.
    func names() throws -> [(name: String, offset: Int)] {
        try bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { part in
            guard !part.isEmpty else {
                throw UsageError(
                    "\(owner) has an empty name", mark: bytes.isEmpty ? nil : mark(at: part.startIndex))
            }
            return (String(decoding: part, as: UTF8.self), part.startIndex)
        }
    }

    /// The subjects in a list with commas, with their offsets.
    ///
    /// Text that is not a subject is the name of a field: `first name` needs no quotes here.
    ///
    /// - Throws: `UsageError` for an empty name, and an unknown attribute.
    func subjects() throws -> [(subject: FilterSubject, offset: Int)] {
        var subjects: [(subject: FilterSubject, offset: Int)] = []
        var text = self
        repeat {
            let start = text.position
            let isAttribute = text.current == UInt8(ascii: "@")
            if let subject = isAttribute ? try FilterSubject(&text) : try? FilterSubject(&text), text.isAtComma {
                subjects.append((subject, start))
                continue
            }
            if isAttribute { throw text.unexpected("',' or the end") }
            text.position = bytes[start...].firstIndex(of: UInt8(ascii: ",")) ?? bytes.count
            guard text.position > start else {
                throw UsageError("\(owner) has an empty name", mark: bytes.isEmpty ? nil : mark(at: start))
            }
            let name = String(decoding: bytes[start..<text.position], as: UTF8.self)
            subjects.append((.path(FieldPath([name])), start))
        } while text.take(",")
        return subjects
    }

    private var isAtComma: Bool { current == nil || current == UInt8(ascii: ",") }

    /// A description of the text at the position.
    private var found: String {
        if let word { return "'\(word.shortened)'" }
        guard let byte = current else { return "the end" }
        // Every character outside words is ASCII.
        return "'\(Unicode.Scalar(byte))'"
    }
}

extension UInt8 {
    /// Whether words may contain this byte: not white space, control characters, or signs of the language in ASCII.
    fileprivate var isOfWord: Bool { self > 0x20 && self != 0x7F && !#"()[]{},=!<>~"'"#.utf8.contains(self) }
}
