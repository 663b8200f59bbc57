import NestedRecords

/// Texts as programs write them, as the UTF-8 and the plain JSON that the tool reads.
enum SourceText {
    private enum Encoding: String {
        case utf16Little = "UTF-16LE"
        case utf16Big = "UTF-16BE"
        case utf32Little = "UTF-32LE"
        case utf32Big = "UTF-32BE"
    }

    /// Whether a text that begins with some bytes has two or four bytes for each character.
    static func isWide(_ bytes: some Collection<UInt8>) -> Bool { encoding(of: bytes) != nil }

    /// The encoding by the mark at the start, or by the zeros around a first character of ASCII.
    private static func encoding(of bytes: some Collection<UInt8>) -> Encoding? {
        let start = Array(bytes.prefix(4))
        if start.count == 4 {
            if start == [0xFF, 0xFE, 0, 0] || start[0] != 0 && start[1...] == [0, 0, 0] { return .utf32Little }
            if start == [0, 0, 0xFE, 0xFF] || start[3] != 0 && start[..<3] == [0, 0, 0] { return .utf32Big }
        }
        guard start.count >= 2 else { return nil }
        if start[..<2] == [0xFF, 0xFE] || start[0] != 0 && start[1] == 0 { return .utf16Little }
        if start[..<2] == [0xFE, 0xFF] || start[0] == 0 && start[1] != 0 { return .utf16Big }
        return nil
    }

    /// A text in UTF-8, without a byte order mark.
    ///
    /// - Throws: ``InputError`` for bytes that are not text in the encoding that they begin with.
    static func utf8(_ bytes: [UInt8], of input: String) throws -> [UInt8] {
        guard let encoding = encoding(of: bytes) else {
            return bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        }
        let isLittle = encoding == .utf16Little || encoding == .utf32Little
        let size = encoding == .utf16Little || encoding == .utf16Big ? 2 : 4
        let units = stride(from: 0, to: bytes.count - bytes.count % size, by: size).map { start in
            let unit = bytes[start..<start + size]
            return (isLittle ? Array(unit.reversed()) : Array(unit)).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        var text: [UInt8] = []
        text.reserveCapacity(units.count)
        let isWrong =
            size == 2
            ? transcode(
                units.lazy.map { UInt16($0) }.makeIterator(), from: UTF16.self, to: UTF8.self, stoppingOnError: true
            ) { text.append($0) }
            : transcode(units.makeIterator(), from: UTF32.self, to: UTF8.self, stoppingOnError: true) {
                text.append($0)
            }
        guard !isWrong, bytes.count % size == 0 else {
            throw InputError(
                input: input, reason: "begins as \(encoding.rawValue), and is not valid \(encoding.rawValue)")
        }
        return text.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(text.dropFirst(3)) : text
    }

    /// A text with spaces in place of comments, and of commas before a closing bracket; nil without any.
    ///
    /// All places in the text stay. A comment without an end is left.
    static func withoutComments(_ bytes: [UInt8]) -> [UInt8]? {
        var (text, comma, last, isChanged) = (bytes, Int?.none, UInt8(0), false)
        func blank(_ range: Range<Int>) {
            for position in range where text[position] != 0x0A { text[position] = 0x20 }
            isChanged = true
        }
        var position = 0
        while position < bytes.count {
            let (start, byte) = (position, bytes[position])
            position += 1
            if byte <= 0x20 { continue }
            if let end = endOfComment(in: bytes, at: start) {
                blank(start..<end)
                position = end
                continue
            }
            if byte == UInt8(ascii: "\"") {
                while position < bytes.count, bytes[position] != byte {
                    position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
                }
                position += 1
            }
            if let comma, "]}".utf8.contains(byte) { blank(comma..<comma + 1) }
            comma = byte == UInt8(ascii: ",") && !"[{,:".utf8.contains(last) ? start : nil
            last = byte
        }
        return isChanged ? text : nil
    }

    /// Finds the end of a comment that begins at a position; nil for other text.
    private static func endOfComment(in bytes: [UInt8], at start: Int) -> Int? {
        let rest = bytes[start...]
        if rest.starts(with: "//".utf8) { return rest.firstIndex(of: 0x0A) ?? bytes.count }
        guard rest.starts(with: "/*".utf8) else { return nil }
        var position = start + 2
        while position + 1 < bytes.count {
            if bytes[position] == UInt8(ascii: "*"), bytes[position + 1] == UInt8(ascii: "/") { return position + 2 }
            position += 1
        }
        return nil
    }
}

extension JSONTree {
    /// Reads JSON, which may also have comments, and commas before closing brackets; they are not kept.
    init(readable bytes: [UInt8]) throws {
        do {
            try self.init(bytes)
        } catch {
            guard let plain = SourceText.withoutComments(bytes) else { throw error }
            try self.init(plain)
        }
    }
}
