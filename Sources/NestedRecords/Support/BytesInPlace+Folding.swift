extension BytesInPlace {
    /// Mixes the bytes into a hash: eight at a time, each multiplied into 128 bits and folded.
    func foldBytes(into hash: UInt64) -> UInt64 { fold(into: hash) }

    /// Mixes the bytes into a hash as ``foldBytes(into:)`` does, and returns whether they are plain, as
    /// ``String/foldPlainBytes(into:)`` has it.
    @inline(__always)
    func foldPlainBytes(into start: UInt64) -> (hash: UInt64, isPlain: Bool) {
        // The highest bit of each byte of `others` is set if the byte, below 0x80 itself, is below space or above tilde.
        var others: UInt64 = (1...255).contains(count) ? 0 : .max
        let hash = fold(into: start) { word in
            others |= word | (word &+ 0x0101_0101_0101_0101)
            others |= ~((word | 0x8080_8080_8080_8080) &- 0x2020_2020_2020_2020)
        }
        return (hash, others & 0x8080_8080_8080_8080 == 0)
    }

    /// Calls the closure with all bytes, eight at a time; the last ones together with some before them.
    @inline(__always)
    private func forEachWord(_ body: (UInt64) -> Void) {
        var offset = 0
        while let word = number(UInt64.self, at: offset) {
            body(word)
            offset += 8
        }
        if offset < count, let word = number(UInt64.self, at: count - 8) { body(word) }
    }

    @inline(__always)
    private func fold(into start: UInt64, _ look: (UInt64) -> Void = { _ in }) -> UInt64 {
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
            forEachWord {
                mix($0)
                look($0)
            }
        }
        return hash
    }
}
