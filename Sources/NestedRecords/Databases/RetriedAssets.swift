#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A storage of assets that repeats the calls which another storage refuses for now, and those whose outcome is unknown.
///
/// Every call has the same effect if it is repeated, but for two: an upload that was begun twice leaves one, which is
/// collected, and the numbers of a collection whose answer was lost are missing in the next one.
package struct RetriedAssets: ForwardingAssetStorage {
    package let base: any AssetStorage
    private let policy: RetryPolicy
    private let pause: RetryPause

    package init(_ base: any AssetStorage, _ policy: RetryPolicy, pause: RetryPause = RetryPause()) {
        (self.base, self.policy, self.pause) = (base, policy, pause)
    }

    private func repeating<Result>(_ body: () async throws -> Result) async throws -> Result {
        try await policy.repeating(pause, where: { $0.isTransient || $0.code == .unknownOutcome }, body)
    }

    package func beginUpload() async throws -> String { try await repeating { try await base.beginUpload() } }

    package func size(ofUpload upload: String) async throws -> Int64 {
        try await repeating { try await base.size(ofUpload: upload) }
    }

    package func append(_ chunk: Data, toUpload upload: String, at offset: Int64) async throws {
        try await repeating { try await base.append(chunk, toUpload: upload, at: offset) }
    }

    package func chunk(ofUpload upload: String, at offset: Int64) async throws -> Data {
        try await repeating { try await base.chunk(ofUpload: upload, at: offset) }
    }

    package func finishUpload(_ upload: String, as digest: AssetDigest) async throws {
        var isRepeated = false
        try await repeating {
            defer { isRepeated = true }
            do {
                try await base.finishUpload(upload, as: digest)
            } catch RecordDatabaseError.Code.unknownUpload where isRepeated {
                // An earlier attempt whose answer was lost may have finished it.
                guard try await base.content(digest.hash)?.digest == digest else {
                    throw RecordDatabaseError.unknownUpload(upload)
                }
            }
        }
    }

    package func cancelUpload(_ upload: String) async throws {
        try await repeating { try await base.cancelUpload(upload) }
    }

    package func addRemoteContent(_ hash: String) async throws {
        try await repeating { try await base.addRemoteContent(hash) }
    }

    package func content(_ hash: String) async throws -> AssetContent? {
        try await repeating { try await base.content(hash) }
    }

    package func chunk(of content: AssetContent, at offset: Int64) async throws -> Data? {
        try await repeating { try await base.chunk(of: content, at: offset) }
    }

    package func contents(after hash: String?, limit: Int) async throws -> [AssetContent] {
        try await repeating { try await base.contents(after: hash, limit: limit) }
    }

    package func collect(before date: Date) async throws -> AssetCollection {
        try await repeating { try await base.collect(before: date) }
    }
}
