#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Where an engine keeps the bytes of uploads: ``StoredAssets`` does the rest with records.
///
/// An upload is begun once, written, and removed once. Writing to one that was removed has no effect but an error, so that
/// nothing is left of an upload after its removal.
package protocol AssetChunks: Sendable {
    func begin(_ upload: String) async throws

    /// Writes bytes at an offset, which is not after the end.
    ///
    /// - Returns: Whether the upload exists and has the bytes before the offset.
    func write(_ bytes: Data, to upload: String, at offset: Int64) async throws -> Bool

    /// The bytes at an offset; fewer than `count` at the end, and nil if the upload does not exist.
    func read(_ upload: String, at offset: Int64, count: Int) async throws -> Data?

    /// The number of bytes of an upload; nil if it does not exist.
    func size(of upload: String) async throws -> Int64?

    /// Makes the bytes survive a loss of power, before a record names them.
    func synchronize(_ upload: String) async throws

    func remove(_ upload: String) async throws

    /// The names of all uploads that exist.
    func uploads() async throws -> [String]
}

/// Chunks in memory.
final class MemoryAssetChunks: AssetChunks {
    private let kept = Lock<[String: [Data]]>([:])

    func begin(_ upload: String) { kept.withLock { $0[upload] = [] } }

    func write(_ bytes: Data, to upload: String, at offset: Int64) -> Bool {
        kept.withLock { uploads in
            let position = Int(offset) / AssetContent.chunkSize
            guard let chunks = uploads[upload], position <= chunks.count,
                position == 0 || chunks[position - 1].count == AssetContent.chunkSize
            else { return false }
            if position == chunks.count { uploads[upload]?.append(bytes) } else { uploads[upload]?[position] = bytes }
            return true
        }
    }

    func read(_ upload: String, at offset: Int64, count: Int) -> Data? {
        kept.withLock { uploads in
            guard let chunks = uploads[upload] else { return nil }
            let position = Int(offset) / AssetContent.chunkSize
            return position < chunks.count ? chunks[position].prefix(count) : Data()
        }
    }

    func size(of upload: String) -> Int64? {
        kept.withLock { uploads in uploads[upload].map { $0.reduce(0) { $0 + Int64($1.count) } } }
    }

    func synchronize(_: String) {}

    func remove(_ upload: String) { kept.withLock { $0[upload] = nil } }

    func uploads() -> [String] { kept.withLock { Array($0.keys) } }
}
