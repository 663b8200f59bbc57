#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The SHA-256 of bytes, their number, and a sum of each chunk, by which a part is checked.
public struct AssetDigest: Sendable, Hashable {
    /// The SHA-256, as 64 hexadecimal digits in lower case.
    public let hash: String

    /// The number of bytes.
    public let size: Int64

    /// The XXH64 of each chunk, 8 bytes each, the least significant first.
    package let sums: Data

    /// Makes a digest from its stored parts; nil if they cannot belong together.
    package init?(hash: String, size: Int64, sums: Data) {
        guard RecordAsset.isHash(hash), size >= 0,
            Int64(sums.count / 8) == Self.chunkCount(of: size), sums.count.isMultiple(of: 8)
        else { return nil }
        (self.hash, self.size, self.sums) = (hash, size, sums.startIndex == 0 ? sums : Data(sums))
    }

    fileprivate init(checkedHash: String, size: Int64, sums: Data) {
        (hash, self.size, self.sums) = (checkedHash, size, sums)
    }

    static func chunkCount(of size: Int64) -> Int64 {
        let chunk = Int64(AssetContent.chunkSize)
        return size / chunk + (size.isMultiple(of: chunk) ? 0 : 1)
    }

    /// Whether a chunk has the bytes that the digest was made of.
    package func matches(_ chunk: Data, at offset: Int64) -> Bool {
        let position = offset / Int64(AssetContent.chunkSize)
        guard offset >= 0, position < Int64(sums.count / 8),
            Int64(chunk.count) == min(size - offset, Int64(AssetContent.chunkSize))
        else { return false }
        let start = Int(position) * 8
        return chunk.withBytesInPlace { AssetHasher.bytes(ofSum: XXH64.hash($0)) } == sums[start..<start + 8]
    }
}

/// Computes the digest of bytes, chunk by chunk.
@_spi(Engines) public struct AssetHasher: Sendable {
    private var sha = SHA256()
    private var sums = Data()

    /// The number of bytes so far.
    public private(set) var size: Int64 = 0

    /// Makes a hasher without bytes.
    public init() {}

    /// Adds the next chunk.
    ///
    /// - Parameter chunk: ``AssetContent/chunkSize`` bytes; fewer only for the last chunk.
    public mutating func add(_ chunk: Data) {
        chunk.withBytesInPlace { bytes in
            sha.add(bytes)
            sums += Self.bytes(ofSum: XXH64.hash(bytes))
        }
        size += Int64(chunk.count)
    }

    fileprivate static func bytes(ofSum sum: UInt64) -> Data {
        Data((0..<8).map { UInt8(truncatingIfNeeded: sum >> (8 * UInt64($0))) })
    }

    /// The digest of the bytes so far.
    public var digest: AssetDigest { AssetDigest(checkedHash: sha.digest, size: size, sums: sums) }
}

extension RecordAsset {
    package init(_ digest: AssetDigest, contentType: String?, fileName: String?) {
        self.init(checkedHash: digest.hash, size: digest.size, contentType: contentType, fileName: fileName)
    }
}
