#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A storage of assets that passes on all calls to another storage, except those that it implements.
///
/// It is to ``AssetStorage`` what ``ForwardingRecordDatabase`` is to a database.
public protocol ForwardingAssetStorage: AssetStorage {
    /// The other storage.
    var base: any AssetStorage { get }
}

extension ForwardingAssetStorage {
    /// Begins an upload of the other storage.
    public func beginUpload() async throws -> String { try await base.beginUpload() }

    /// The number of bytes that an upload of the other storage has.
    public func size(ofUpload upload: String) async throws -> Int64 { try await base.size(ofUpload: upload) }

    /// Adds a chunk to an upload of the other storage.
    public func append(_ chunk: Data, toUpload upload: String, at offset: Int64) async throws {
        try await base.append(chunk, toUpload: upload, at: offset)
    }

    /// Reads a chunk of an upload of the other storage again.
    public func chunk(ofUpload upload: String, at offset: Int64) async throws -> Data {
        try await base.chunk(ofUpload: upload, at: offset)
    }

    /// Makes an upload a content of the other storage.
    public func finishUpload(_ upload: String, as digest: AssetDigest) async throws {
        try await base.finishUpload(upload, as: digest)
    }

    /// Removes an upload of the other storage.
    public func cancelUpload(_ upload: String) async throws { try await base.cancelUpload(upload) }

    /// Lets records of the other database name a content that it lacks.
    public func addRemoteContent(_ hash: String) async throws { try await base.addRemoteContent(hash) }

    /// A content of the other storage.
    public func content(_ hash: String) async throws -> AssetContent? { try await base.content(hash) }

    /// Reads a chunk of a content of the other storage.
    public func chunk(of content: AssetContent, at offset: Int64) async throws -> Data? {
        try await base.chunk(of: content, at: offset)
    }

    /// The contents of the other storage.
    public func contents(after hash: String?, limit: Int) async throws -> [AssetContent] {
        try await base.contents(after: hash, limit: limit)
    }

    /// Removes the contents of the other storage that no record names.
    public func collect(before date: Date) async throws -> AssetCollection { try await base.collect(before: date) }
}
