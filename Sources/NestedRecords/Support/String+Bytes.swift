extension String {
    /// Equality of bytes, where `==` compares by canonical equivalence.
    @inline(__always)
    func hasSameBytes(as other: String) -> Bool {
        hasSameStorage(as: other) || hasSameBytesElsewhere(as: other)
    }

    /// Whether both have the same bits: short strings with the same bytes, and copies of one string.
    @inline(__always)
    private func hasSameStorage(as other: String) -> Bool {
        // The bits are only compared. A string is two words.
        guard MemoryLayout<String>.size == MemoryLayout<(UInt64, UInt64)>.size else { return false }
        return unsafeBitCast(self, to: (UInt64, UInt64).self) == unsafeBitCast(other, to: (UInt64, UInt64).self)
    }

    @inline(never)
    private func hasSameBytesElsewhere(as other: String) -> Bool {
        let areSame = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable {
                UnsafeRawBufferPointer(bytes).hasSameBytes(as: UnsafeRawBufferPointer($0))
            }
        }
        if case .some(.some(let areSame)) = areSame { return areSame }
        return utf8.elementsEqual(other.utf8)
    }

    /// Whether these bytes are the UTF-8 of this string, which must be a native one.
    @inline(__always)
    package func hasSameBytes(as bytes: UnsafeRawBufferPointer) -> Bool {
        utf8.withContiguousStorageIfAvailable { UnsafeRawBufferPointer($0).hasSameBytes(as: bytes) } ?? false
    }

    /// Mixes the bytes of this string into a hash: eight at a time, each multiplied into 128 bits and folded.
    func foldBytes(into hash: UInt64) -> UInt64 {
        if let result = utf8.withContiguousStorageIfAvailable({ UnsafeRawBufferPointer($0).fold(into: hash) }) {
            return result
        }
        return Array(utf8).withUnsafeBytes { $0.fold(into: hash) }
    }
    /// Mixes the bytes into a hash as ``foldBytes(into:)`` does, and returns whether there are 1 to 255 of them, all from
    /// space to tilde, as those of most names are.
    func foldPlainBytes(into hash: UInt64) -> (hash: UInt64, isPlain: Bool) {
        utf8.withContiguousStorageIfAvailable { UnsafeRawBufferPointer($0).foldPlain(into: hash) }
            ?? (foldBytes(into: hash), false)
    }
}

extension UnsafeRawBufferPointer {
    /// Calls the closure with all bytes, eight at a time; the last ones together with some before them.
    @inline(__always)
    private func forEachWord(_ body: (_ offset: Int) -> Bool) -> Bool {
        var offset = 0
        while offset + 8 <= count {
            if !body(offset) { return false }
            offset += 8
        }
        return offset == count || body(count - 8)
    }

    private func word(at offset: Int) -> UInt64 { loadUnaligned(fromByteOffset: offset, as: UInt64.self) }

    @inline(__always)
    func hasSameBytes(as other: Self) -> Bool {
        if count != other.count { return false }
        if count < 8 { return elementsEqual(other) }
        return baseAddress == other.baseAddress || forEachWord { word(at: $0) == other.word(at: $0) }
    }

    /// Mixes the bytes into a hash as ``String/foldBytes(into:)`` does.
    func foldBytes(into hash: UInt64) -> UInt64 { fold(into: hash) }

    @inline(__always)
    fileprivate func foldPlain(into start: UInt64) -> (hash: UInt64, isPlain: Bool) {
        // The highest bit of each byte of `others` is set if the byte, below 0x80 itself, is below space or above tilde.
        var others: UInt64 = (1...255).contains(count) ? 0 : .max
        let hash = fold(into: start) { word in
            others |= word | (word &+ 0x0101_0101_0101_0101)
            others |= ~((word | 0x8080_8080_8080_8080) &- 0x2020_2020_2020_2020)
        }
        return (hash, others & 0x8080_8080_8080_8080 == 0)
    }

    @inline(__always)
    fileprivate func fold(into start: UInt64, _ look: (UInt64) -> Void = { _ in }) -> UInt64 {
        var hash = start ^ UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15
        func mix(_ word: UInt64) {
            let product = (hash ^ word).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
            hash = product.high ^ product.low ^ 0xA24B_AED4_963E_E407
        }
        if count < 8 {
            let word = reduce(0) { $0 << 8 | UInt64($1) }
            mix(word)
            // There are spaces where no bytes are.
            look(word | 0x2020_2020_2020_2020 << UInt64(truncatingIfNeeded: count * 8))
        } else {
            _ = forEachWord {
                mix(word(at: $0))
                look(word(at: $0))
                return true
            }
        }
        return hash
    }
}
