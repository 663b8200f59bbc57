import Testing

@testable import NestedRecords

@Suite struct XXH64Tests {
    /// What xxHash publishes in its self-test (`cli/xsum_sanity_check.c`): length, seed, hash.
    static let published: [(length: Int, seed: UInt64, hash: UInt64)] = [
        (0, 0, 0xEF46_DB37_51D8_E999),
        (0, 2_654_435_761, 0xAC75_FDA2_929B_17EF),
        (1, 0, 0xE934_A84A_DB05_2768),
        (1, 2_654_435_761, 0x5014_6076_43A9_B4C3),
        (4, 0, 0x9136_A0DC_A574_57EE),
        (14, 0, 0x8282_DCC4_994E_35C8),
        (14, 2_654_435_761, 0xC3BD_6BF6_3DEB_6DF0),
        (222, 0, 0xB641_AE8C_B691_C174),
        (222, 2_654_435_761, 0x20CB_8AB7_AE10_C14A),
    ]

    /// The bytes that the published hashes are of.
    private static func makeBytes(_ count: Int) -> [UInt8] {
        var state: UInt64 = 2_654_435_761
        return (0..<count).map { _ in
            defer { state &*= 11_400_714_785_074_694_797 }
            return UInt8(state >> 56)
        }
    }

    @Test(arguments: published) func publishedHashesComeOut(length: Int, seed: UInt64, hash: UInt64) {
        #expect(Self.makeBytes(length).withUnsafeBytes { XXH64.hash($0, seed: seed) } == hash)
    }

    @Test(arguments: [0, 1, 0xFFFF_FFFF_FFFF_FFFF] as [UInt64])
    func everyLengthAtEveryAlignmentIsHashedAsSpecified(seed: UInt64) {
        let bytes = Self.makeBytes(320)
        for length in 0...300 {
            for start in 0..<8 {
                let part = bytes[start..<start + length]
                let hash = bytes.withUnsafeBytes {
                    XXH64.hash(UnsafeRawBufferPointer(rebasing: $0[part.indices]), seed: seed)
                }
                #expect(hash == SlowXXH64(seed: seed).hash(Array(part)), "\(length) bytes from \(start)")
            }
        }
    }
}

/// The specification read aloud: one step after the other, numbers put together byte by byte.
private struct SlowXXH64 {
    let seed: UInt64
    let primes: [UInt64] = [
        11_400_714_785_074_694_791, 14_029_467_366_897_019_727, 1_609_587_929_392_839_161,
        9_650_029_242_287_828_579, 2_870_177_450_012_600_261,
    ]

    func hash(_ input: [UInt8]) -> UInt64 {
        var rest = input[...]
        var hash = seed &+ primes[4]
        if input.count >= 32 {
            var lanes = [seed &+ primes[0] &+ primes[1], seed &+ primes[1], seed, seed &- primes[0]]
            while rest.count >= 32 {
                for lane in 0..<4 { lanes[lane] = round(lanes[lane], take(8, from: &rest)) }
            }
            hash = zip(lanes, [1, 7, 12, 18]).reduce(0) { $0 &+ rotate($1.0, $1.1) }
            for lane in lanes { hash = (hash ^ round(0, lane)) &* primes[0] &+ primes[3] }
        }
        hash &+= UInt64(input.count)
        while rest.count >= 8 {
            hash = rotate(hash ^ round(0, take(8, from: &rest)), 27) &* primes[0] &+ primes[3]
        }
        if rest.count >= 4 {
            hash = rotate(hash ^ (take(4, from: &rest) &* primes[0]), 23) &* primes[1] &+ primes[2]
        }
        while !rest.isEmpty { hash = rotate(hash ^ (take(1, from: &rest) &* primes[4]), 11) &* primes[0] }
        hash = (hash ^ (hash >> 33)) &* primes[1]
        hash = (hash ^ (hash >> 29)) &* primes[2]
        return hash ^ (hash >> 32)
    }

    private func take(_ count: Int, from bytes: inout ArraySlice<UInt8>) -> UInt64 {
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count).reversed().reduce(0) { $0 * 256 + UInt64($1) }
    }

    private func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
        rotate(lane &+ word &* primes[1], 31) &* primes[0]
    }

    private func rotate(_ number: UInt64, _ count: Int) -> UInt64 {
        (number << UInt64(count)) | (number >> UInt64(64 - count))
    }
}
