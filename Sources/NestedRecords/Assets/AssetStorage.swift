#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The bytes of assets in a database: what ``AssetStore`` calls.
///
/// An upload is a sequence of chunks of ``AssetContent/chunkSize`` bytes, of which the last may be shorter; it becomes a
/// content by ``finishUpload(_:as:)``, and only then can a record name it. Contents that no record names are removed by
/// ``collect(before:)``.
///
/// A database that has a storage refuses each batch with an asset whose content it lacks, with the code `missingAsset`, and
/// checks that in the transaction of the batch.
public protocol AssetStorage: Sendable {
    /// Begins an upload.
    ///
    /// - Returns: Its identifier, which no caller can guess.
    /// - Throws: Errors of the database.
    func beginUpload() async throws -> String

    /// The number of bytes that an upload has, after which it goes on.
    ///
    /// - Parameter upload: The identifier.
    /// - Throws: ``RecordDatabaseError`` with the code `unknownUpload` for one that was finished, cancelled or collected;
    ///   errors of the database.
    func size(ofUpload upload: String) async throws -> Int64

    /// Adds a chunk to an upload.
    ///
    /// A chunk that the upload has already is replaced, so that a call can be repeated.
    ///
    /// - Parameters:
    ///   - chunk: At most ``AssetContent/chunkSize`` bytes, and fewer only for the last chunk.
    ///   - upload: The identifier.
    ///   - offset: The number of bytes before the chunk, a multiple of ``AssetContent/chunkSize``.
    /// - Throws: ``RecordDatabaseError`` with the code `unknownUpload`, and with the code `invalidUpload` for a chunk of
    ///   another size, and for an offset after the end; errors of the database.
    func append(_ chunk: Data, toUpload upload: String, at offset: Int64) async throws

    /// Reads a chunk of an upload again, to go on with its hash.
    ///
    /// - Parameters:
    ///   - upload: The identifier.
    ///   - offset: The number of bytes before the chunk, a multiple of ``AssetContent/chunkSize``.
    /// - Throws: The errors of ``size(ofUpload:)``, and ``RecordDatabaseError`` with the code `invalidUpload` for another
    ///   offset.
    func chunk(ofUpload upload: String, at offset: Int64) async throws -> Data

    /// Makes an upload a content, or removes it if the storage has the content already.
    ///
    /// Either way, the content counts as added now. The bytes are durable when it returns.
    ///
    /// - Parameters:
    ///   - upload: The identifier.
    ///   - digest: The hashes of the upload's bytes, computed by the caller.
    /// - Throws: The errors of ``size(ofUpload:)``; ``RecordDatabaseError`` with the code `invalidUpload` if the upload has
    ///   another size.
    func finishUpload(_ upload: String, as digest: AssetDigest) async throws

    /// Removes an upload; one that does not exist has no effect.
    ///
    /// - Parameter upload: The identifier.
    /// - Throws: Errors of the database.
    func cancelUpload(_ upload: String) async throws

    /// Lets records name a content whose bytes another database has, for a synchronization that reads them later.
    ///
    /// ``content(_:)`` is nil until an upload with these bytes is finished; ``collect(before:)`` removes the name as it does a
    /// content.
    ///
    /// - Parameter hash: The SHA-256 of the bytes. A content that the storage has stays.
    /// - Throws: ``RecordDatabaseError`` with the code `unsupported` in a scope and over HTTP; errors of the database.
    func addRemoteContent(_ hash: String) async throws

    /// A content; nil if the storage lacks it.
    ///
    /// - Parameter hash: The SHA-256 of its bytes.
    /// - Throws: Errors of the database.
    func content(_ hash: String) async throws -> AssetContent?

    /// Reads a chunk of a content, whose bytes are checked.
    ///
    /// - Parameters:
    ///   - content: The content.
    ///   - offset: The number of bytes before the chunk, a multiple of ``AssetContent/chunkSize``.
    /// - Returns: The chunk; nil if the content was removed.
    /// - Throws: ``RecordDatabaseError`` with the code `corrupt` for damaged bytes; errors of the database.
    func chunk(of content: AssetContent, at offset: Int64) async throws -> Data?

    /// The contents, in the order of their hashes, in pages.
    ///
    /// - Parameters:
    ///   - hash: The last content of the previous page; nil for the first page.
    ///   - limit: The maximum number of contents.
    /// - Returns: The contents; a page with fewer than `limit` is the last one.
    /// - Throws: ``RecordDatabaseError`` with the code `unsupported` in a scope; errors of the database.
    func contents(after hash: String?, limit: Int) async throws -> [AssetContent]

    /// Removes the contents that no record names, and the unfinished uploads, of those that were added before a date.
    ///
    /// - Parameter date: The date.
    /// - Returns: What was removed.
    /// - Throws: ``RecordDatabaseError`` with the code `unsupported` in a scope; errors of the database.
    func collect(before date: Date) async throws -> AssetCollection
}

/// The bytes of an asset in a database.
public struct AssetContent: Sendable, Hashable {
    /// The number of bytes of each chunk except the last one: 262,144.
    public static let chunkSize = 262_144

    /// The hashes.
    public let digest: AssetDigest

    /// When the bytes were last added.
    public let date: Date

    /// The upload whose bytes they are.
    package let upload: String

    /// Makes a content.
    ///
    /// - Parameters:
    ///   - digest: The hashes.
    ///   - date: When the bytes were last added.
    ///   - upload: The upload whose bytes they are.
    @_spi(Engines) public init(digest: AssetDigest, date: Date, upload: String) {
        (self.digest, self.date, self.upload) = (digest, date, upload)
    }

    /// The SHA-256 of the bytes, as 64 hexadecimal digits in lower case.
    public var hash: String { digest.hash }

    /// The number of bytes.
    public var size: Int64 { digest.size }

    /// The record that the database keeps of the content, to which records with the asset refer.
    package var recordID: Record.ID { Record.ID(checkedType: RecordAsset.contentRecordType, name: hash) }
}

/// What a collection of assets has removed.
public struct AssetCollection: Sendable, Hashable {
    /// The number of contents that no record named.
    public var contentCount = 0

    /// The number of uploads that were not finished.
    public var uploadCount = 0

    /// The number of bytes of the contents.
    public var byteCount: Int64 = 0

    /// Makes an empty collection.
    public init() {}
}
