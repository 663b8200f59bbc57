/// A position in the bytes of a JSON document.
///
/// The bytes must outlive the cursor, which never reads beyond them.
struct JSONCursor {
    /// The optional bytes at the beginning of a text in UTF-8, which have no meaning.
    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    let bytes: BytesInPlace
    var position = 0

    init(_ bytes: BytesInPlace, mayHaveMark: Bool = true) {
        self.bytes = bytes
        if mayHaveMark, bytes.starts(with: Self.byteOrderMark) { position = Self.byteOrderMark.count }
    }

    /// The byte at the position, 0 after the last one: no JSON token has a 0.
    @inline(__always)
    var current: UInt8 { bytes.byte(at: position) ?? 0 }

    /// Advances to the next byte that is not white space, and returns it; 0 at the end.
    @inline(__always)
    mutating func skipSpace() -> UInt8 {
        while let byte = bytes.byte(at: position) {
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
            position += 1
        }
        return 0
    }

    /// Skips a word such as `true`, unless a letter or digit follows; returns whether the word was found.
    mutating func pass(_ word: String) -> Bool {
        let length = word.utf8.count
        guard let found = bytes.part(at: position, count: length), word.hasSameBytes(as: found) else { return false }
        if let next = bytes.byte(at: position + length), next.isLetterOrDigit { return false }
        position += length
        return true
    }

    func unexpected(_ expected: String) -> JSONFault {
        JSONFault(reason: "found \(found), expected \(expected)", offset: position)
    }

    private var found: String {
        guard let byte = bytes.byte(at: position) else { return "the end" }
        if byte.isLetterOrDigit {
            let word = bytes[position...].prefix(20).prefix(while: \.isLetterOrDigit)
            return "'\(String(decoding: word, as: UTF8.self))'"
        }
        if byte < 0x80 { return Self.name(of: Unicode.Scalar(byte)) }
        var decoder = UTF8()
        var rest = bytes[position...].prefix(4).makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&rest) else { return "a byte that is not UTF-8" }
        return Self.name(of: scalar)
    }

    static func name(of scalar: Unicode.Scalar) -> String {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned,
            .spaceSeparator:
            let digits = String(scalar.value, radix: 16, uppercase: true)
            return "the character U+" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
        default:
            return "'\(scalar)'"
        }
    }
}

extension UInt8 {
    var isLetterOrDigit: Bool { isDigit || (0x41...0x5A).contains(self & 0xDF) }

    @inline(__always)
    var isDigit: Bool { self &- 0x30 < 10 }
}
