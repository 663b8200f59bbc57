#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Adds files to a store and reads them: ``RecordStore/assets``.
///
/// ```swift
/// book.cover = try await store.assets.add(file: "cover.png", contentType: "image/png")
/// try await store.save(&book)
/// for try await part in store.assets.bytes(of: cover, in: 0..<65_536) { … }
/// try await store.assets.collect(olderThan: .seconds(86_400))
/// ```
///
/// A content is added before the record that names it is saved; until then, and after the last record that names it is
/// gone, ``collect(olderThan:)`` removes it. Every call has one chunk of a content in memory, 256 KiB, and none blocks a
/// thread of tasks.
public struct AssetStore: Sendable {
    private let kept: (any AssetStorage)?

    /// - Parameter kept: The storage; nil if the database keeps no assets.
    package init(_ kept: (any AssetStorage)?) { self.kept = kept }

    private func storage() throws -> any AssetStorage {
        if let kept { return kept }
        throw RecordDatabaseError(.unsupported, reason: "the database keeps no assets")
    }

    // MARK: Adding

    /// Adds a file.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - contentType: The media type, such as `image/png`, or nil.
    ///   - fileName: The name to keep; nil for the last part of the path.
    ///   - maximumSize: The maximum number of bytes; no limit by default.
    ///   - progress: Receives the number of bytes that were added, after each chunk.
    /// - Returns: The name of the content, for a property.
    /// - Throws: ``RecordDatabaseError`` with the code `assetTooLarge`, with the code `inputOutput` or `cannotOpen` for the
    ///   file, and with the code `unsupported` if the database keeps no assets; `CancellationError`; errors of the database.
    ///   Nothing is left in the database then, except what a collection finds if the database cannot be reached.
    public func add(
        file path: String, contentType: String? = nil, fileName: String? = nil, maximumSize: Int64 = .max,
        progress: @Sendable (Int64) -> Void = { _ in }
    ) async throws -> RecordAsset {
        let file = try await LocalFile.open(path)
        defer { file.close() }
        let name = path.lastPart
        return try await add(contentType, fileName ?? name, maximumSize, progress) {
            try await file.read(AssetContent.chunkSize)
        }
    }

    /// Begins an upload that may go on after the end of this process.
    ///
    /// - Returns: The identifier, to be kept until the file is added with it.
    /// - Throws: ``RecordDatabaseError`` with the code `unsupported` if the database keeps no assets; errors of the database.
    public func beginUpload() async throws -> String { try await storage().beginUpload() }

    /// Adds a file with an upload that has begun earlier: only the bytes that the upload lacks are sent.
    ///
    /// The bytes that it has are compared with the file, and replaced if they differ; a service compares their hash at the
    /// end, and refuses the upload.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - upload: The identifier of ``beginUpload()``.
    ///   - contentType: The media type, such as `image/png`, or nil.
    ///   - fileName: The name to keep; nil for the last part of the path.
    ///   - maximumSize: The maximum number of bytes; no limit by default.
    ///   - progress: Receives the number of bytes that were read and sent where they are missing, after each chunk.
    /// - Returns: The name of the content, for a property.
    /// - Throws: The errors of ``add(file:contentType:fileName:maximumSize:progress:)``; ``RecordDatabaseError`` with the code
    ///   `unknownUpload` for one that was finished, cancelled or collected, and with the code `invalidUpload` for one with
    ///   other or more bytes than the file, which another upload has to replace. The upload stays after an error.
    public func add(
        file path: String, continuing upload: String, contentType: String? = nil, fileName: String? = nil,
        maximumSize: Int64 = .max, progress: @Sendable (Int64) -> Void = { _ in }
    ) async throws -> RecordAsset {
        let file = try await LocalFile.open(path)
        defer { file.close() }
        let storage = try storage()
        // A last chunk that is shorter may be a part of one.
        let size = Int64(AssetContent.chunkSize)
        let present = try await storage.size(ofUpload: upload) / size * size
        let digest = try await send(to: storage, upload, from: present, maximumSize, progress) {
            try await file.read(AssetContent.chunkSize)
        }
        try await storage.finishUpload(upload, as: digest)
        let name = path.lastPart
        return RecordAsset(digest, contentType: contentType, fileName: fileName ?? name)
    }

    /// Adds bytes in memory.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - contentType: The media type, such as `image/png`, or nil.
    ///   - fileName: The name of the file, or nil.
    /// - Returns: The name of the content, for a property.
    /// - Throws: The errors of ``add(file:contentType:fileName:maximumSize:progress:)``.
    public func add(
        _ data: Data, contentType: String? = nil, fileName: String? = nil
    ) async throws -> RecordAsset {
        var rest = data[...]
        return try await add(contentType, fileName, .max, { _ in }) {
            let chunk = rest.prefix(AssetContent.chunkSize)
            rest = rest.dropFirst(AssetContent.chunkSize)
            return Data(chunk)
        }
    }

    /// Adds bytes one by one, such as those of `URLSession.AsyncBytes`.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - contentType: The media type, such as `image/png`, or nil.
    ///   - fileName: The name of the file, or nil.
    ///   - maximumSize: The maximum number of bytes; no limit by default.
    ///   - isolation: The caller's isolation, where the sequence is read.
    ///   - progress: Receives the number of bytes that were added, after each chunk.
    /// - Returns: The name of the content, for a property.
    /// - Throws: The errors of ``add(file:contentType:fileName:maximumSize:progress:)``, and those of the sequence.
    public func add<Bytes: AsyncSequence>(
        _ bytes: Bytes, contentType: String? = nil, fileName: String? = nil, maximumSize: Int64 = .max,
        isolation: isolated (any Actor)? = #isolation, progress: @Sendable (Int64) -> Void = { _ in }
    ) async throws -> RecordAsset where Bytes.Element == UInt8 {
        var iterator = bytes.makeAsyncIterator()
        return try await add(contentType, fileName, maximumSize, progress, isolation: isolation) {
            var chunk = Data()
            while chunk.count < AssetContent.chunkSize, let byte = try await iterator.next() { chunk.append(byte) }
            return chunk
        }
    }

    /// Adds the parts of a sequence, such as those of the body of a request.
    ///
    /// - Parameters:
    ///   - parts: The bytes in parts of any size; the largest one is in memory.
    ///   - contentType: The media type, such as `image/png`, or nil.
    ///   - fileName: The name of the file, or nil.
    ///   - maximumSize: The maximum number of bytes; no limit by default.
    ///   - isolation: The caller's isolation, where the sequence is read.
    ///   - progress: Receives the number of bytes that were added, after each chunk.
    /// - Returns: The name of the content, for a property.
    /// - Throws: The errors of ``add(file:contentType:fileName:maximumSize:progress:)``, and those of the sequence.
    public func add<Parts: AsyncSequence>(
        _ parts: Parts, contentType: String? = nil, fileName: String? = nil, maximumSize: Int64 = .max,
        isolation: isolated (any Actor)? = #isolation, progress: @Sendable (Int64) -> Void = { _ in }
    ) async throws -> RecordAsset where Parts.Element == Data {
        var iterator = parts.makeAsyncIterator()
        var rest = Data()
        return try await add(contentType, fileName, maximumSize, progress, isolation: isolation) {
            while rest.count < AssetContent.chunkSize, let part = try await iterator.next() {
                // Not the bytes before it, and no copy of a part of many chunks for each of them.
                rest = rest.isEmpty ? part : Data(rest) + part
            }
            let chunk = Data(rest.prefix(AssetContent.chunkSize))
            rest = rest.dropFirst(AssetContent.chunkSize)
            return chunk
        }
    }

    /// Adds chunks until one is shorter than a whole one.
    private func add(
        _ contentType: String?, _ fileName: String?, _ maximumSize: Int64, _ progress: (Int64) -> Void,
        isolation: isolated (any Actor)? = #isolation, next: () async throws -> Data
    ) async throws -> RecordAsset {
        let storage = try storage()
        let upload = try await storage.beginUpload()
        do {
            let digest = try await send(to: storage, upload, from: 0, maximumSize, progress, next: next)
            try await storage.finishUpload(upload, as: digest)
            return RecordAsset(digest, contentType: contentType, fileName: fileName)
        } catch {
            // Also if the task is cancelled: nothing is to be left.
            await Task { try? await storage.cancelUpload(upload) }.value
            throw error
        }
    }

    /// Sends the chunks of an upload after those that it has, until one is shorter than a whole one.
    private func send(
        to storage: any AssetStorage, _ upload: String, from present: Int64, _ maximumSize: Int64,
        _ progress: (Int64) -> Void, isolation: isolated (any Actor)? = #isolation, next: () async throws -> Data
    ) async throws -> AssetDigest {
        var hasher = AssetHasher()
        while true {
            let chunk = try await next()
            // Many sequences just end when their task is cancelled: what has come is not the whole.
            try Task.checkCancellation()
            if chunk.isEmpty { break }
            guard hasher.size + Int64(chunk.count) <= maximumSize else {
                throw RecordDatabaseError(.assetTooLarge, reason: "it has more than \(maximumSize) bytes")
            }
            let isThere =
                if hasher.size < present { try await storage.has(chunk, in: upload, at: hasher.size) } else { false }
            if !isThere { try await storage.append(chunk, toUpload: upload, at: hasher.size) }
            hasher.add(chunk)
            progress(hasher.size)
            if chunk.count < AssetContent.chunkSize { break }
        }
        return hasher.digest
    }

    // MARK: Reading

    /// Whether the database has the content of an asset, and shows it in a scope.
    ///
    /// - Parameter asset: The asset.
    /// - Throws: ``RecordDatabaseError`` with the code `unsupported` if the database keeps no assets; errors of the database.
    public func exists(_ asset: RecordAsset) async throws -> Bool {
        try await storage().content(asset.hash) != nil
    }

    /// The bytes of an asset, or some of them, in parts of at most a chunk.
    ///
    /// Each part is checked; damaged bytes are an error and are not returned.
    ///
    /// - Parameters:
    ///   - asset: The asset.
    ///   - range: The bytes, counted from the first one; those after the end are left out. Nil for all.
    /// - Returns: The parts. Their iteration throws ``RecordDatabaseError`` with the code `missingAsset` or `corrupt`, and
    ///   errors of the database.
    public func bytes(of asset: RecordAsset, in range: Range<Int64>? = nil) -> DatabaseSequence<Data> {
        let range = (range ?? 0..<asset.size).clamped(to: 0..<asset.size)
        return DatabaseSequence { AssetParts(of: asset, in: range, storage: { try storage() }) }
    }

    /// Copies the bytes of an asset to a new file.
    ///
    /// - Parameters:
    ///   - asset: The asset.
    ///   - path: The path of the file, which is replaced when all bytes have been read.
    ///   - progress: Receives the number of bytes that were copied, after each chunk.
    /// - Throws: The errors of ``bytes(of:in:)``, and ``RecordDatabaseError`` with the code `inputOutput`, `cannotOpen` or
    ///   `diskFull` for the file; `CancellationError`. The file is as before then.
    public func copy(
        _ asset: RecordAsset, to path: String, progress: @Sendable (Int64) -> Void = { _ in }
    ) async throws {
        let file = try await LocalFile.create(besides: path)
        do {
            var count: Int64 = 0
            for try await part in bytes(of: asset) {
                try Task.checkCancellation()
                try await file.write(part)
                count += Int64(part.count)
                progress(count)
            }
            try await file.finish(as: path)
        } catch {
            file.discard()
            throw error
        }
    }

    /// All bytes of an asset, for one that is small.
    ///
    /// - Parameters:
    ///   - asset: The asset.
    ///   - maximumSize: The maximum number of bytes; 16 MiB by default.
    /// - Throws: ``RecordDatabaseError`` with the code `assetTooLarge`; the errors of ``bytes(of:in:)``.
    public func data(of asset: RecordAsset, maximumSize: Int64 = 16 << 20) async throws -> Data {
        guard asset.size <= maximumSize else {
            throw RecordDatabaseError(.assetTooLarge, reason: "it has \(asset.size) bytes, more than \(maximumSize)")
        }
        var data = Data()
        for try await part in bytes(of: asset) { data += part }
        return data
    }

    // MARK: Keeping house

    /// Removes the contents that no record names, and the unfinished uploads, which were added before some time.
    ///
    /// A content that a record names when it is removed, or that was added again, stays: both are checked in the
    /// transaction that removes it.
    ///
    /// - Parameter age: The time after which a record must name a content, and an upload must be finished.
    /// - Returns: What was removed.
    /// - Throws: ``RecordDatabaseError`` with the code `unsupported` if the database keeps no assets, and in a scope; errors
    ///   of the database.
    @discardableResult
    public func collect(olderThan age: Duration) async throws -> AssetCollection {
        try await storage().collect(before: Date(timeIntervalSinceNow: -age.inSeconds))
    }

    /// The contents, in the order of their hashes, in pages.
    ///
    /// - Parameters:
    ///   - hash: The last content of the previous page; nil for the first page.
    ///   - limit: The maximum number of contents.
    /// - Returns: The contents; a page with fewer than `limit` is the last one.
    /// - Throws: The errors of ``collect(olderThan:)``.
    public func contents(after hash: String? = nil, limit: Int) async throws -> [AssetContent] {
        try await storage().contents(after: hash, limit: limit)
    }

    /// Reads a content whole and checks it.
    ///
    /// - Parameter content: The content.
    /// - Returns: Whether its bytes are those of its hash.
    /// - Throws: Errors of the database other than `corrupt`.
    public func isIntact(_ content: AssetContent) async throws -> Bool {
        let asset = RecordAsset(content.digest, contentType: nil, fileName: nil)
        do {
            for try await _ in bytes(of: asset) { try Task.checkCancellation() }
            return true
        } catch let error as RecordDatabaseError where error.code == .corrupt {
            return false
        }
    }
}

extension RecordStore {
    /// The files beside the records.
    public var assets: AssetStore { AssetStore(calls.assets) }
}

/// Reads the bytes of an asset, one part of at most a chunk after the other.
private struct AssetParts: AsyncIteratorProtocol {
    private let asset: RecordAsset
    private let range: Range<Int64>
    private let storage: () throws -> any AssetStorage
    private var open: (storage: any AssetStorage, content: AssetContent)?
    private var position: Int64
    private var sha = SHA256()

    init(of asset: RecordAsset, in range: Range<Int64>, storage: @escaping () throws -> any AssetStorage) {
        (self.asset, self.range, self.storage, position) = (asset, range, storage, range.lowerBound)
    }

    mutating func next() async throws -> Data? {
        let (storage, content) = try await opened()
        guard position < range.upperBound else { return nil }
        let start = position / Int64(AssetContent.chunkSize) * Int64(AssetContent.chunkSize)
        guard let chunk = try await storage.chunk(of: content, at: start) else {
            // It was removed, or replaced by another upload of the same bytes.
            open = nil
            return try await next()
        }
        let part = Range(
            uncheckedBounds: (Int(position - start), Int(min(range.upperBound - start, Int64(chunk.count)))))
        let bytes = part.count == chunk.count ? chunk : Data(chunk.dropFirst(part.lowerBound).prefix(part.count))
        position += Int64(bytes.count)
        if range == 0..<content.size { try checkHash(adding: bytes, of: content) }
        return bytes
    }

    private mutating func opened() async throws -> (storage: any AssetStorage, content: AssetContent) {
        if let open { return open }
        let storage = try storage()
        guard let content = try await storage.content(asset.hash) else {
            throw RecordDatabaseError.missingAsset(asset.hash, RecordContext(), hint: nil)
        }
        guard content.size == asset.size else {
            throw RecordDatabaseError(
                .corrupt, reason: "the content \(asset.hash) has \(content.size) bytes, not \(asset.size)")
        }
        open = (storage, content)
        return (storage, content)
    }

    /// The sums find accidental damage; the hash of the whole also finds a content that was replaced by another.
    private mutating func checkHash(adding bytes: Data, of content: AssetContent) throws {
        bytes.withBytesInPlace { sha.add($0) }
        guard position == content.size, sha.digest != content.hash else { return }
        throw RecordDatabaseError(.corrupt, reason: "the bytes of the asset \(asset.hash) have another hash")
    }
}

extension String {
    /// The part of a path after its last slash.
    fileprivate var lastPart: String { unicodeScalars.split(separator: "/").last.map { String($0) } ?? "" }
}
