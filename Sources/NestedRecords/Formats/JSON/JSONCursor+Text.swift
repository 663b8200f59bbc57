extension JSONCursor {
    @inline(__always)
    mutating func text() throws(JSONFault) -> String {
        let start = position + 1
        let isASCII = try skipPlain(from: start)
        guard bytes[position] == UInt8(ascii: "\"") else { return try escapedText(from: start) }
        let content = content(from: start)
        position += 1
        return isASCII ? content.repairedString : try valid(content, at: start)
    }

    @inline(__always)
    private func content(from start: Int) -> BytesInPlace { bytes.part(start..<position) }

    /// Advances to the quote that ends a string, or to its first escape; returns whether all bytes up to there are ASCII.
    @inline(__always)
    mutating func skipPlain(from start: Int) throws(JSONFault) -> Bool {
        var next = start
        var seen: UInt64 = 0
        while let word = bytes.number(UInt64.self, at: next) {
            guard !word.hasSpecialByte else { break }
            seen |= word
            next += 8
        }
        while let byte = bytes.byte(at: next) {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                position = next
                return seen & 0x8080_8080_8080_8080 == 0
            }
            guard byte >= 0x20 else { throw controlCharacter(at: next) }
            seen |= UInt64(byte)
            next += 1
        }
        position = bytes.count
        throw unexpected("the '\"' that ends the string")
    }

    private func controlCharacter(at offset: Int) -> JSONFault {
        let name = Self.name(of: Unicode.Scalar(bytes[offset]))
        return JSONFault(
            reason: "found \(name) in a string, expected an escape for it or the '\"' that ends the string",
            offset: offset)
    }

    @inline(__always)
    private func valid(_ content: BytesInPlace, at offset: Int) throws(JSONFault) -> String {
        guard let text = content.string else { throw Self.invalidUTF8(content, at: offset) }
        return text
    }

    private static func invalidUTF8(_ content: BytesInPlace, at offset: Int) -> JSONFault {
        var parser = Unicode.UTF8.ForwardParser()
        var rest = content.makeIterator()
        var length = 0
        while case .valid(let scalar) = parser.parseScalar(from: &rest) { length += scalar.count }
        return JSONFault(reason: "found bytes that are not UTF-8, expected text in UTF-8", offset: offset + length)
    }
}

// MARK: Escapes

extension JSONCursor {
    @inline(never)
    private mutating func escapedText(from start: Int) throws(JSONFault) -> String {
        var unescaped: [UInt8] = []
        var plain = start
        while true {
            let run = content(from: plain)
            // Validated here, while the position is known. Escapes separate whole characters.
            _ = try valid(run, at: plain)
            unescaped.append(contentsOf: run)
            guard bytes[position] == UInt8(ascii: "\\") else { break }
            try unescape(into: &unescaped)
            plain = position
            _ = try skipPlain(from: plain)
        }
        position += 1
        return String(decoding: unescaped, as: UTF8.self)
    }

    private mutating func unescape(into content: inout [UInt8]) throws(JSONFault) {
        position += 1
        switch current {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(current)
        case UInt8(ascii: "b"): content.append(0x08)
        case UInt8(ascii: "f"): content.append(0x0C)
        case UInt8(ascii: "n"): content.append(0x0A)
        case UInt8(ascii: "r"): content.append(0x0D)
        case UInt8(ascii: "t"): content.append(0x09)
        case UInt8(ascii: "u"):
            let scalar = try escapedScalar()
            content += UTF8.encode(scalar).map { Array($0) } ?? []
            return
        default: throw unexpected("one of \" \\ / b f n r t u after '\\'")
        }
        position += 1
    }

    /// Reads four hexadecimal digits after `\u`, and the second half of a surrogate pair if there is one.
    private mutating func escapedScalar() throws(JSONFault) -> Unicode.Scalar {
        let start = position - 1
        let first = try codeUnit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        let fault = JSONFault(
            reason: "found half of a surrogate pair, expected both halves: \\uD83D\\uDE00", offset: start)
        guard UTF16.isLeadSurrogate(first), current == UInt8(ascii: "\\") else { throw fault }
        position += 1
        guard current == UInt8(ascii: "u") else { throw fault }
        let second = try codeUnit()
        guard UTF16.isTrailSurrogate(second) else { throw fault }
        let value = 0x1_0000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
        guard let scalar = Unicode.Scalar(value) else { throw fault }
        return scalar
    }

    private mutating func codeUnit() throws(JSONFault) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            position += 1
            guard let digit = current.hexadecimalValue else { throw unexpected("four hexadecimal digits after '\\u'") }
            value = value << 4 | UInt16(digit)
        }
        position += 1
        return value
    }
}

extension UInt64 {
    /// Whether one of the eight bytes is a quote, a backslash or a control character.
    @inline(__always)
    fileprivate var hasSpecialByte: Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = self ^ (ones &* 0x22)
        let backslashes = self ^ (ones &* 0x5C)
        let found = (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes | (self &- ones &* 0x20) & ~self
        return found & (ones &* 0x80) != 0
    }
}

extension UInt8 {
    fileprivate var hexadecimalValue: UInt8? {
        if isDigit { return self - 0x30 }
        let letter = self & 0xDF
        return (0x41...0x46).contains(letter) ? letter - 0x41 + 10 : nil
    }
}
