@testable import TestSupport

/// Changes bytes in search of unforeseen cases.
enum Mutation {
    /// One of the inputs with a few changes, or random bytes.
    static func of(_ seeds: [[UInt8]], _ random: inout SplitMix64) -> [UInt8] {
        guard !seeds.isEmpty, !random.chance(oneIn: 20) else {
            return (0..<Int.random(in: 0..<200, using: &random)).map { _ in .random(in: .min ... .max, using: &random) }
        }
        var bytes = random.pick(seeds)
        for _ in 0..<random.pick([1, 1, 2, 3, 6, 12]) { change(&bytes, seeds, &random) }
        return bytes
    }

    private static let numbers: [UInt64] = [
        0, 1, 2, 7, 8, 9, 40, 47, 48, 49, 127, 128, 255, 256, 511, 512, 4_095, 4_096, 4_144, 1 << 24 - 1, 1 << 24,
        1 << 31 - 1, 1 << 31, 1 << 32 - 1, 1 << 40, 1 << 63 - 1, 1 << 63, .max,
    ]

    private static func range(in bytes: [UInt8], _ random: inout SplitMix64) -> Range<Int> {
        let start = Int.random(in: 0...bytes.count, using: &random)
        return start..<min(bytes.count, start + random.pick([0, 1, 2, 8, 48, 300]))
    }

    private static func change(_ bytes: inout [UInt8], _ seeds: [[UInt8]], _ random: inout SplitMix64) {
        let range = range(in: bytes, &random)
        guard !bytes.isEmpty else { return bytes = random.pick(seeds) }
        let place = Int.random(in: bytes.indices, using: &random)
        switch Int.random(in: 0..<9, using: &random) {
        case 0, 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2: bytes[place] = .random(in: .min ... .max, using: &random)
        case 3, 4:
            let size = random.pick([1, 2, 4, 8])
            let number = random.pick(numbers)
            for offset in 0..<size where place + offset < bytes.count {
                bytes[place + offset] = UInt8(truncatingIfNeeded: number >> UInt64(8 * offset))
            }
        case 5: bytes.removeSubrange(range)
        case 6: bytes.insert(contentsOf: bytes[range], at: place)
        case 7:
            let other = random.pick(seeds)
            bytes.replaceSubrange(range, with: other[Self.range(in: other, &random)])
        default: bytes.removeLast(bytes.count - place)
        }
    }
}
