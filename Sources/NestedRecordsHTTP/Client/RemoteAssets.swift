@_spi(Engines) import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The assets of a service's database.
///
/// Each chunk is a request, and every request has the same effect if it is repeated.
struct RemoteAssets: CheckingAssetStorage {
    let exchange: ServiceExchange

    func beginUpload() async throws -> String {
        try await exchange.send(.beginUpload, Message([:])) { try $0.map.text("upload") }
    }

    func size(ofUpload upload: String) async throws -> Int64 {
        try await exchange.send(.uploadSize, Message(["upload": .string(upload)])) {
            Int64(try $0.map.integer("size"))
        }
    }

    func append(_ chunk: Data, toUpload upload: String, at offset: Int64) async throws {
        guard !chunk.isEmpty, chunk.count <= AssetContent.chunkSize else {
            throw RecordDatabaseError(.invalidUpload, reason: "a chunk of \(chunk.count) bytes")
        }
        let body = try await exchange.begin(.upload(try checked(upload), offset: offset), body: Array(chunk))
        _ = try await body.bytes()
    }

    func chunk(ofUpload upload: String, at offset: Int64) async throws -> Data {
        let body = try await exchange.begin(.chunk(try checked(upload), offset: offset))
        guard let bytes = try await body.bytes(atMost: AssetContent.chunkSize) else {
            throw RecordError(.invalidResponse, reason: "a chunk has more bytes than were asked for")
        }
        return Data(bytes)
    }

    /// The name of an upload is a part of a path.
    private func checked(_ upload: String) throws -> String {
        guard !upload.isEmpty, upload.unicodeScalars.allSatisfy({ $0.properties.isASCIIHexDigit }) else {
            throw RecordDatabaseError(.unknownUpload, reason: "\(upload.debugDescription) is not the name of one")
        }
        return upload
    }

    func finishUpload(_ upload: String, as digest: AssetDigest) async throws {
        do {
            let message = AssetForm.message(of: digest, upload)
            try await exchange.send(.finishUpload, message) { _ in }
        } catch let error as RecordDatabaseError where error.code == .unknownUpload {
            // An earlier attempt whose answer was lost may have finished it.
            guard try await content(digest.hash)?.digest == digest else { throw error }
        }
    }

    func cancelUpload(_ upload: String) async throws {
        try await exchange.send(.cancelUpload, Message(["upload": .string(upload)])) { _ in }
    }

    func content(_ hash: String) async throws -> AssetContent? {
        try await exchange.send(.asset, Message(["hash": .string(hash)])) {
            try $0.map.optional("asset", AssetForm.content)
        }
    }

    func chunk(of content: AssetContent, at offset: Int64) async throws -> Data? {
        let end = min(content.size, offset + Int64(AssetContent.chunkSize))
        guard offset < end else { return nil }
        do {
            let body = try await exchange.begin(.content(hash: content.hash), range: offset..<end)
            let bytes = try await body.bytes(atMost: AssetContent.chunkSize)
            guard let bytes, bytes.count == Int(end - offset) else {
                throw RecordDatabaseError(.connectionLost, reason: "the answer has \(bytes?.count ?? 0) bytes")
            }
            let chunk = Data(bytes)
            guard content.digest.matches(chunk, at: offset) else {
                throw RecordDatabaseError(
                    .corrupt, reason: "the bytes \(offset) to \(end) of the asset \(content.hash) are others")
            }
            return chunk
        } catch let error as RecordDatabaseError where error.code == .missingAsset {
            return nil
        }
    }

    func contents(after hash: String?, limit: Int) async throws -> [AssetContent] {
        let message = Message(["after": hash.map { .string($0) }, "limit": Record.Value(limit)])
        return try await exchange.send(.assets, message) { try $0.map.list("assets", AssetForm.content) }
    }

    func collect(before date: Date) async throws -> AssetCollection {
        // After a lost answer, its numbers are missing in the result.
        try await exchange.send(.collect, Message(["before": .date(date)]), Self.collection)
    }

    private static func collection(_ answer: Message) throws -> AssetCollection {
        var found = AssetCollection()
        found.contentCount = try answer.map.integer("contents")
        found.uploadCount = try answer.map.integer("uploads")
        found.byteCount = Int64(try answer.map.integer("bytes"))
        return found
    }
}
