#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The assets of a database as a scope shows them: those that a visible record names, and those that its reader has
/// uploaded.
///
/// An upload belongs to those who know its name, which no caller can guess.
struct ScopedAssets: AssetStorage {
    let base: any AssetStorage
    let scope: ScopedRecordDatabase

    func beginUpload() async throws -> String {
        guard scope.hasReader else {
            throw RecordDatabaseError(
                .unsupported, reason: "a scope without a reader takes no assets", hint: "use scoped(for:)")
        }
        return try await base.beginUpload()
    }

    func size(ofUpload upload: String) async throws -> Int64 { try await base.size(ofUpload: upload) }

    func append(_ chunk: Data, toUpload upload: String, at offset: Int64) async throws {
        try await base.append(chunk, toUpload: upload, at: offset)
    }

    func chunk(ofUpload upload: String, at offset: Int64) async throws -> Data {
        try await base.chunk(ofUpload: upload, at: offset)
    }

    /// Finishes the upload, and notes that the reader has the content.
    func finishUpload(_ upload: String, as digest: AssetDigest) async throws {
        try await base.finishUpload(upload, as: digest)
        try await scope.noteUpload(of: digest.hash)
    }

    func cancelUpload(_ upload: String) async throws { try await base.cancelUpload(upload) }

    func content(_ hash: String) async throws -> AssetContent? {
        guard RecordAsset.isHash(hash), try await scope.shows(contents: [hash]).contains(hash) else { return nil }
        return try await base.content(hash)
    }

    func chunk(of content: AssetContent, at offset: Int64) async throws -> Data? {
        try await base.chunk(of: content, at: offset)
    }

    func contents(after hash: String?, limit: Int) async throws -> [AssetContent] { throw refusal }

    func collect(before date: Date) async throws -> AssetCollection { throw refusal }

    private var refusal: RecordDatabaseError {
        RecordDatabaseError(.unsupported, reason: "a scope does not list or collect the contents of its database")
    }
}
