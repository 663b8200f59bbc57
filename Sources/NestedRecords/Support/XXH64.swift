/// The hash function XXH64, as specified: fast, and available in other tools.
///
/// It detects accidental damage, not tampering: two inputs with the same hash can be constructed. Use ``SHA256`` where
/// strangers choose the inputs.
package enum XXH64 {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    package static func hash(_ bytes: BytesInPlace, seed: UInt64 = 0) -> UInt64 {
        var offset = 0
        var hash: UInt64
        if bytes.count >= 32 {
            var lane1 = seed &+ prime1 &+ prime2
            var lane2 = seed &+ prime2
            var lane3 = seed
            var lane4 = seed &- prime1
            while let block = bytes.part(at: offset, count: 32) {
                lane1 = round(lane1, block.word(at: 0))
                lane2 = round(lane2, block.word(at: 8))
                lane3 = round(lane3, block.word(at: 16))
                lane4 = round(lane4, block.word(at: 24))
                offset += 32
            }
            hash = lane1.rotated(by: 1) &+ lane2.rotated(by: 7) &+ lane3.rotated(by: 12) &+ lane4.rotated(by: 18)
            hash = merge(hash, lane1)
            hash = merge(hash, lane2)
            hash = merge(hash, lane3)
            hash = merge(hash, lane4)
        } else {
            hash = seed &+ prime5
        }
        hash &+= UInt64(truncatingIfNeeded: bytes.count)
        while let word = bytes.number(UInt64.self, at: offset) {
            hash = (hash ^ round(0, word)).rotated(by: 27) &* prime1 &+ prime4
            offset += 8
        }
        if let half = bytes.number(UInt32.self, at: offset) {
            hash = (hash ^ UInt64(half) &* prime1).rotated(by: 23) &* prime2 &+ prime3
            offset += 4
        }
        while let byte = bytes.byte(at: offset) {
            hash = (hash ^ UInt64(byte) &* prime5).rotated(by: 11) &* prime1
            offset += 1
        }
        hash = (hash ^ hash &>> 33) &* prime2
        hash = (hash ^ hash &>> 29) &* prime3
        return hash ^ hash &>> 32
    }

    @inline(__always)
    private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
        (lane &+ word &* prime2).rotated(by: 31) &* prime1
    }

    @inline(__always)
    private static func merge(_ hash: UInt64, _ lane: UInt64) -> UInt64 {
        (hash ^ round(0, lane)) &* prime1 &+ prime4
    }
}

extension XXH64 {
    package static func hash(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
        bytes.withBytesInPlace { hash($0, seed: seed) }
    }

    package static func hash(utf8Of text: String, seed: UInt64 = 0) -> UInt64 {
        text.withBytesInPlace { hash($0, seed: seed) }
    }

    /// Two hashes of a string with different seeds, as 32 hexadecimal digits.
    static func digest(of text: String) -> String {
        (0...1 as ClosedRange<UInt64>).map { seed in
            let digits = String(hash(utf8Of: text, seed: seed), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        .joined()
    }
}

extension UInt64 {
    @inline(__always)
    fileprivate func rotated(by count: UInt64) -> UInt64 { self &<< count | self &>> (64 - count) }
}

extension BytesInPlace {
    @inline(__always)
    fileprivate func word(at offset: Int) -> UInt64 { number(UInt64.self, at: offset) ?? 0 }
}
