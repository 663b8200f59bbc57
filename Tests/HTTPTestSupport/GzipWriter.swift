/// Writes a stream of gzip (RFC 1952) whose pieces are stored as they are (RFC 1951, 3.2.4), for a test of a reader of such streams.
struct GzipWriter {
    private var checksum = ~UInt32(0)
    private var size = UInt32(0)

    /// The first bytes.
    let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]

    /// The bytes of a piece.
    mutating func write(_ piece: [UInt8]) -> [UInt8] {
        size &+= UInt32(truncatingIfNeeded: piece.count)
        for byte in piece {
            checksum ^= UInt32(byte)
            for _ in 0..<8 { checksum = checksum >> 1 ^ (checksum & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        return stride(from: 0, to: piece.count, by: Int(UInt16.max)).flatMap { start in
            Self.block(piece[start..<min(start + Int(UInt16.max), piece.count)], isLast: false)
        }
    }

    /// The last bytes.
    func end() -> [UInt8] { Self.block([], isLast: true) + Self.bytes(~checksum) + Self.bytes(size) }

    private static func block(_ bytes: ArraySlice<UInt8>, isLast: Bool) -> [UInt8] {
        let length = UInt32(bytes.count)
        return [isLast ? 1 : 0] + Self.bytes(length | ~length << 16) + bytes
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
