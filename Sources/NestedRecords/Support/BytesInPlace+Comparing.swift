extension BytesInPlace {
    /// Whether both have the same bytes.
    ///
    /// Most strings in records are short: comparing them byte by byte took a tenth of the time of reading a record.
    @inline(__always)
    package func hasSameBytes(as other: Self) -> Bool {
        if count != other.count { return false }
        if count >= 8 { return hasSameWords(as: other) }
        if count >= 4 {
            // The halves overlap if there are fewer than eight bytes.
            return number(UInt32.self, at: 0) == other.number(UInt32.self, at: 0)
                && number(UInt32.self, at: count - 4) == other.number(UInt32.self, at: count - 4)
        }
        for position in 0..<count where byte(at: position) != other.byte(at: position) { return false }
        return true
    }

    @inline(__always)
    private func hasSameWords(as other: Self) -> Bool {
        var offset = 0
        while let word = number(UInt64.self, at: offset) {
            if word != other.number(UInt64.self, at: offset) { return false }
            offset += 8
        }
        return offset == count || number(UInt64.self, at: count - 8) == other.number(UInt64.self, at: count - 8)
    }

    @inline(__always)
    var isASCII: Bool {
        var offset = 0
        var bits: UInt64 = 0
        while let word = number(UInt64.self, at: offset) {
            bits |= word
            offset += 8
        }
        while let byte = byte(at: offset) {
            bits |= UInt64(byte)
            offset += 1
        }
        return bits & 0x8080_8080_8080_8080 == 0
    }

    /// The position of the first such byte, from a position on; nil if there is none.
    @inline(__always)
    func firstPosition(of sought: UInt8, from start: Int) -> Int? {
        var position = start
        while let byte = byte(at: position) {
            if byte == sought { return position }
            position += 1
        }
        return nil
    }

    func isBefore(_ other: Self) -> Bool {
        var offset = 0
        while let word = number(UInt64.self, at: offset), let otherWord = other.number(UInt64.self, at: offset) {
            // The first byte counts most.
            if word != otherWord { return word.byteSwapped < otherWord.byteSwapped }
            offset += 8
        }
        while let byte = byte(at: offset), let otherByte = other.byte(at: offset) {
            if byte != otherByte { return byte < otherByte }
            offset += 1
        }
        return count < other.count
    }

    /// Whether these bytes contain others.
    ///
    /// - Parameter ignoresCase: Whether ASCII letters of this view are compared in lower case.
    func contains(_ other: Self, ignoresCase: Bool) -> Bool {
        guard let first = other.byte(at: 0) else { return true }
        var start = 0
        while start + other.count <= count {
            if lowercased(at: start, ignoresCase) == first {
                var length = 1
                while length < other.count, lowercased(at: start + length, ignoresCase) == other.byte(at: length) {
                    length += 1
                }
                if length == other.count { return true }
            }
            start += 1
        }
        return false
    }

    /// Whether these bytes begin with others.
    ///
    /// - Parameter ignoresCase: Whether ASCII letters of this view are compared in lower case.
    func hasPrefix(_ other: Self, ignoresCase: Bool) -> Bool {
        other.count <= count
            && (0..<other.count).allSatisfy { lowercased(at: $0, ignoresCase) == other.byte(at: $0) }
    }

    @inline(__always)
    private func lowercased(at position: Int, _ ignoresCase: Bool) -> UInt8? {
        guard let byte = byte(at: position) else { return nil }
        return ignoresCase && byte &- 0x41 < 26 ? byte | 0x20 : byte
    }
}
