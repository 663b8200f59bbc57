@_spi(Engines) import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The calls of one reader about assets.
struct AssetCalls: Sendable {
    let access: RecordDatabaseService.Access
    let options: RecordDatabaseService.Options
    let usage: ReaderUsage

    private var storage: any AssetStorage {
        get throws {
            if let storage = access.database.assets { return storage }
            throw RecordDatabaseError(.unsupported, reason: "the database of the service keeps no assets")
        }
    }

    // MARK: Messages

    func read(_ call: Call, _ message: Message) async throws -> Message {
        let map = message.map
        switch call {
        case .asset:
            return Message(["asset": try await storage.content(map.text("hash")).map(AssetForm.value)])
        case .assets:
            let limit = min(max(0, try map.integer("limit")), 1_000)
            let contents = try await storage.contents(after: map.optional("after", \.text), limit: limit)
            usage.add(examined: contents.count, of: access.reader)
            return Message(["assets": .list(contents.map(AssetForm.value))])
        case .beginUpload: return Message(["upload": .string(try await storage.beginUpload())])
        case .uploadSize: return Message(["size": .int(try await storage.size(ofUpload: map.text("upload")))])
        case .cancelUpload: try await storage.cancelUpload(map.text("upload"))
        default: break
        }
        return Message([:])
    }

    /// The calls that take as long as their database.
    func change(_ call: Call, _ message: Message) async throws -> Message {
        if call == .finishUpload {
            try await finish(message.map.text("upload"), as: AssetForm.digest(message.map))
            return Message([:])
        }
        let found = try await storage.collect(before: message.map.required("before", \.date))
        return Message([
            "contents": Record.Value(found.contentCount), "uploads": Record.Value(found.uploadCount),
            "bytes": .int(found.byteCount),
        ])
    }

    /// Finishes an upload whose bytes have the digest that the client says: it is computed here again, since a content's name
    /// is what others trust.
    private func finish(_ upload: String, as digest: AssetDigest) async throws {
        let storage = try storage
        let size = try await storage.size(ofUpload: upload)
        var hasher = AssetHasher()
        while hasher.size < size {
            let chunk = try await storage.chunk(ofUpload: upload, at: hasher.size)
            if chunk.isEmpty { break }
            hasher.add(chunk)
        }
        guard hasher.digest == digest else {
            throw RecordDatabaseError(
                .invalidUpload, reason: "the service has \(hasher.size) bytes with the hash \(hasher.digest.hash)")
        }
        try await storage.finishUpload(upload, as: digest)
    }

    // MARK: Bytes

    func answer(_ path: AssetPath, _ request: RecordHTTPRequest) async throws -> RecordHTTPResponse {
        switch path {
        case .content(let hash): return try await send(hash, request)
        case .upload(let upload, let offset):
            try await receive(request.body, upload, offset)
            return RecordHTTPResponse(status: 200)
        case .chunk(let upload, let offset):
            let bytes = try await storage.chunk(ofUpload: upload, at: offset)
            usage.add(bytes: bytes.count, of: access.reader)
            return RecordHTTPResponse(
                status: 200, headers: ["content-type": Self.contentType], body: RecordHTTPBody(Array(bytes)))
        }
    }

    /// Not the type that a client has stated: a page of a stranger must not run in the browser of another user.
    private static let contentType = "application/octet-stream"

    private func send(_ hash: String, _ request: RecordHTTPRequest) async throws -> RecordHTTPResponse {
        guard let content = try await storage.content(hash) else {
            throw RecordDatabaseError(.missingAsset, reason: "the content \(hash) is not in the database")
        }
        let response = RecordHTTPResponse(
            found: RecordAsset(content.digest, contentType: nil, fileName: nil),
            in: RecordStore(access.database).assets, to: request, Self.contentType,
            "private, max-age=31536000, immutable")
        if request.method != "HEAD" {
            usage.add(bytes: Int(response.headers["content-length"] ?? "") ?? 0, of: access.reader)
        }
        return response
    }

    /// Adds the bytes of a body to an upload while they arrive.
    ///
    /// Those of a body that ends early stay, as whole chunks.
    private func receive(_ body: RecordHTTPBody, _ upload: String, _ offset: Int64) async throws {
        let pieceCount = Lock(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await append(body, to: upload, at: offset) { pieceCount.withLock { $0 += 1 } } }
            group.addTask { [options] in
                while true {
                    let before = pieceCount.withLock { $0 }
                    try await Task.sleep(for: options.bodyDeadline.asPause)
                    if pieceCount.withLock({ $0 }) == before {
                        throw ServiceError.malformed("the body of the request did not arrive in time")
                    }
                }
            }
            try await group.next()
        }
    }

    private func append(
        _ body: RecordHTTPBody, to upload: String, at offset: Int64, arrived: () -> Void
    ) async throws {
        let storage = try storage
        var (position, rest) = (offset, Data())
        func append(_ count: Int) async throws {
            // Not as a sum: a client may name the greatest offset there is.
            guard position <= options.maximumAssetBytes - Int64(count) else {
                throw RecordDatabaseError(
                    .assetTooLarge, reason: "an asset has at most \(options.maximumAssetBytes) bytes")
            }
            try await storage.append(Data(rest.prefix(count)), toUpload: upload, at: position)
            usage.add(bytes: count, of: access.reader)
            rest = Data(rest.dropFirst(count))
            position += Int64(count)
        }
        var pieces = body.makeAsyncIterator()
        while let piece = try await next(&pieces) {
            arrived()
            rest += piece
            while rest.count >= AssetContent.chunkSize { try await append(AssetContent.chunkSize) }
        }
        if !rest.isEmpty { try await append(rest.count) }
    }

    private func next(_ pieces: inout RecordHTTPBody.AsyncIterator) async throws -> [UInt8]? {
        do {
            return try await pieces.next()
        } catch {
            // An error of the framework: the client's connection has ended, or was too slow for it.
            throw ServiceError.malformed("the body of the request did not arrive as a whole")
        }
    }
}
