// The hash function SHA-256 of FIPS 180-4, "Secure Hash Standard" (August 2015), sections 4.1.2, 4.2.2, 5 and 6.2.
//
// No two inputs with the same hash are known: it names values that strangers choose. ``XXH64`` is faster, but only
// detects accidental damage.

#if canImport(CommonCrypto)
import CommonCrypto

/// By the system's function, which uses instructions of the processor.
///
/// Not that of CryptoKit: its type is not Sendable.
package struct SHA256: Sendable {
    private var context = CC_SHA256_CTX()

    package init() { _ = CC_SHA256_Init(&context) }

    package mutating func add(_ bytes: BytesInPlace) {
        // A copy of each part costs little beside its hash, and needs no address.
        for start in stride(from: 0, to: bytes.count, by: 1 << 18) {
            var part: [UInt8] = []
            part.append(contentsOf: bytes.part(start..<min(bytes.count, start + 1 << 18)))
            _ = CC_SHA256_Update(&context, part, CC_LONG(part.count))
        }
    }

    /// The 32 bytes of the hash of the bytes so far.
    package var bytes: [UInt8] {
        var (copy, bytes) = (context, [UInt8](repeating: 0, count: 32))
        _ = CC_SHA256_Final(&bytes, &copy)
        return bytes
    }
}
#else
package struct SHA256: Sendable {
    private var state = start
    private var words = [UInt32](repeating: 0, count: 64)

    /// The bytes after the last whole block.
    private var pending: [UInt8] = []
    private var count: UInt64 = 0

    package init() {}

    package mutating func add(_ bytes: BytesInPlace) {
        count &+= UInt64(bytes.count)
        var offset = 0
        if !pending.isEmpty {
            offset = min(Self.blockSize - pending.count, bytes.count)
            pending.append(contentsOf: bytes.part(0..<offset))
            if pending.count < Self.blockSize { return }
            let block = pending
            block.withBytesInPlace { addBlock($0, at: 0) }
            pending.removeAll(keepingCapacity: true)
        }
        while offset + Self.blockSize <= bytes.count {
            addBlock(bytes, at: offset)
            offset += Self.blockSize
        }
        pending.append(contentsOf: bytes.part(offset..<bytes.count))
    }

    /// The 32 bytes of the hash of the bytes so far.
    package var bytes: [UInt8] {
        finalState.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
    }

    private var finalState: [UInt32] {
        // The padding: a bit that is 1, zeros up to a multiple of 64 bytes, and the number of bits in 8 bytes.
        var padded = self
        var end: [UInt8] = [0x80]
        end += repeatElement(0, count: (119 - pending.count) % Self.blockSize)
        let bitCount = count &* 8
        end += (0..<8).map { UInt8(truncatingIfNeeded: bitCount >> (56 - 8 * UInt64($0))) }
        end.withBytesInPlace { padded.add($0) }
        return padded.state
    }

    private static let blockSize = 64

    private mutating func addBlock(_ bytes: BytesInPlace, at offset: Int) {
        for position in 0..<16 {
            words[position] = bytes.number(UInt32.self, at: offset &+ 4 &* position)?.byteSwapped ?? 0
        }
        for step in 16..<64 {
            let (early, late) = (words[step &- 15], words[step &- 2])
            let first = early.rotated(by: 7) ^ early.rotated(by: 18) ^ early &>> 3
            let second = late.rotated(by: 17) ^ late.rotated(by: 19) ^ late &>> 10
            words[step] = second &+ words[step &- 7] &+ first &+ words[step &- 16]
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        let constants = Self.constants
        for step in 0..<64 {
            let sum = e.rotated(by: 6) ^ e.rotated(by: 11) ^ e.rotated(by: 25)
            let choice = e & f ^ ~e & g
            let first = h &+ sum &+ choice &+ constants[step] &+ words[step]
            let otherSum = a.rotated(by: 2) ^ a.rotated(by: 13) ^ a.rotated(by: 22)
            let second = otherSum &+ (a & b ^ a & c ^ b & c)
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ second)
        }
        state[0] &+= a
        state[1] &+= b
        state[2] &+= c
        state[3] &+= d
        state[4] &+= e
        state[5] &+= f
        state[6] &+= g
        state[7] &+= h
    }

    /// The fractional parts of the square roots of the first eight primes.
    private static let start: [UInt32] = [
        0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
    ]

    /// The fractional parts of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = [
        0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4, 0xAB1C_5ED5,
        0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE, 0x9BDC_06A7, 0xC19B_F174,
        0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F, 0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA,
        0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7, 0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967,
        0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC, 0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85,
        0xA2BF_E8A1, 0xA81A_664B, 0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070,
        0x19A4_C116, 0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
        0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7, 0xC671_78F2,
    ]
}

#endif

extension SHA256 {
    /// The hash of bytes, as 64 hexadecimal digits.
    package static func digest(of bytes: [UInt8]) -> String {
        var hash = SHA256()
        bytes.withBytesInPlace { hash.add($0) }
        return hash.digest
    }

    /// The hash of the bytes so far, as 64 hexadecimal digits.
    package var digest: String {
        bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}

extension UInt32 {
    @inline(__always)
    fileprivate func rotated(by count: UInt32) -> UInt32 { self &>> count | self &<< (32 - count) }
}
