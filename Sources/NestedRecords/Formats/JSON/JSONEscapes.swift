/// The escapes of strings in JSON.
///
/// RFC 8259 requires them for quotes, backslashes and the control characters below U+0020. The other control characters
/// and the separators U+2028 and U+2029 are escaped as well, so that terminals and editors do not interpret them.
enum JSONEscapes {
    @inline(__always)
    static func append(_ text: BytesInPlace, to bytes: inout [UInt8]) {
        var start = 0
        var position = 0
        while let byte = text.byte(at: position) {
            guard mayNeedEscape(byte), let (escape, length) = escape(of: text, at: position) else {
                position += 1
                continue
            }
            bytes.append(contentsOf: text.part(start..<position))
            bytes.append(contentsOf: escape.utf8)
            position += length
            start = position
        }
        bytes.append(contentsOf: text.part(start..<position))
    }

    // C2 begins U+0080 to U+00BF, E2 begins U+2000 to U+2FFF.
    @inline(__always)
    private static func mayNeedEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x7F || byte == 0xC2
            || byte == 0xE2
    }

    /// The escape of the character at a position, and the number of its bytes; nil if it needs none.
    @inline(never)
    private static func escape(of text: BytesInPlace, at position: Int) -> (String, Int)? {
        func next(_ distance: Int) -> UInt8 { text.byte(at: position + distance) ?? 0 }
        switch text[position] {
        case UInt8(ascii: "\""): return ("\\\"", 1)
        case UInt8(ascii: "\\"): return ("\\\\", 1)
        case 0x08: return ("\\b", 1)
        case 0x09: return ("\\t", 1)
        case 0x0A: return ("\\n", 1)
        case 0x0C: return ("\\f", 1)
        case 0x0D: return ("\\r", 1)
        case 0xC2 where (0x80..<0xA0).contains(next(1)): return (code(UInt16(next(1))), 2)
        case 0xE2 where next(1) == 0x80 && next(2) & 0xFE == 0xA8: return (code(0x2000 | UInt16(next(2) & 0x3F)), 3)
        case 0xC2, 0xE2: return nil
        default: return (code(UInt16(text[position])), 1)
        }
    }

    private static func code(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
    }
}
