import Foundation
import HTTPTestSupport
@_spi(Engines) import NestedRecords
import NestedRecordsHTTP
import NestedRecordsSync
import TestSupport
import Testing

/// Assets over HTTP: what the contract does not say.
@Suite struct RemoteAssetTests {
    private struct Photo: Codable, RecordRepresentable {
        @RecordName var id: String
        var owner: String
        var image: RecordAsset?
    }

    private let memory = InMemoryRecordDatabase()

    /// A service whose readers see their own photos.
    private func service(_ change: (inout RecordDatabaseService.Options) -> Void = { _ in }) -> RecordDatabaseService {
        var options = RecordDatabaseService.Options.unhurried
        change(&options)
        let store = RecordStore(memory)
        return RecordDatabaseService(options: options) { request in
            let reader = String(try #require(request.headers["authorization"]).dropFirst(7))
            let scope = try store.scoped(for: reader) { $0.rule(Photo.self) { $0.owner == reader } }
            return RecordDatabaseService.Access(reader: reader, database: scope.database)
        }
    }

    private func store(_ reader: String, _ service: RecordDatabaseService) -> RecordStore {
        var options = RemoteRecordDatabase.Options()
        options.accessToken = { _ in reader }
        return RecordStore(RemoteRecordDatabase(JoinedTransport(service), options: options))
    }

    private func request(
        _ method: String, _ path: String, _ headers: RecordHTTPHeaders = [:], by reader: String = "ann",
        body: RecordHTTPBody = RecordHTTPBody([])
    ) -> RecordHTTPRequest {
        var request = RecordHTTPRequest(method: method, path: "/records/v1/" + path, headers: headers, body: body)
        request.headers["authorization"] = "Bearer " + reader
        return request
    }

    private let bytes = Data((0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) })

    @Test func readerGetsAndAddsOnlyTheirOwnContents() async throws {
        let service = service()
        let (ann, bob) = (store("ann", service), store("bob", service))
        var photo = Photo(id: "1", owner: "ann", image: try await ann.assets.add(bytes, contentType: "image/png"))
        try await ann.insert(photo)
        let image = try #require(photo.image)
        #expect(try await ann.assets.data(of: image) == bytes)
        #expect(try await !bob.assets.exists(image))
        #expect(await databaseErrorCode { _ = try await bob.assets.data(of: image) } == .missingAsset)
        #expect(await service.respond(to: request("GET", "assets/\(image.hash)", by: "bob")).status == 404)
        // A content that others have is as missing as one that does not exist.
        let absent = try RecordAsset(hash: String(repeating: "0", count: 64), size: 1)
        var messages: [String] = []
        for stolen in [image, absent] {
            let error = await #expect(throws: RecordDatabaseError.self) {
                try await bob.insert(Photo(id: "2", owner: "bob", image: stolen))
            }
            #expect(error?.code == .missingAsset)
            messages.append("\(try #require(error))".replacing(stolen.hash, with: "HASH"))
        }
        #expect(messages[0] == messages[1])
        // Who has the bytes may name them.
        photo = Photo(id: "2", owner: "bob", image: try await bob.assets.add(bytes))
        try await bob.insert(photo)
        #expect(try await bob.assets.data(of: image) == bytes)
        #expect(try await RecordStore(memory).assets.contents(limit: 10).count == 1)
        #expect(await databaseErrorCode { try await bob.assets.collect(olderThan: .zero) } == .unsupported)
    }

    @Test func browserGetsAContentWithRangesAndAnEntityTag() async throws {
        let service = service()
        let image = try await store("ann", service).assets.add(bytes)
        let path = "assets/\(image.hash)"
        let whole = await service.respond(to: request("GET", path))
        #expect(whole.status == 200 && whole.headers["content-length"] == "700000")
        #expect(whole.headers["x-content-type-options"] == "nosniff")
        #expect(try await whole.body.bytes() == Array(bytes))
        let tag = try #require(whole.headers["etag"])
        for (tags, status) in [
            (tag, 304), ("W/" + tag, 304), ("\"a,b\", \(tag)", 304), ("*", 304), ("\"a\"", 200), (image.hash, 200),
        ] {
            #expect(
                await service.respond(to: request("GET", path, ["if-none-match": tags])).status == status, "\(tags)")
        }
        // A range has no meaning for HEAD, as RFC 9110 says.
        for headers: RecordHTTPHeaders in [[:], ["range": "bytes=0-1"]] {
            let head = await service.respond(to: request("HEAD", path, headers))
            #expect(head.status == 200 && head.headers["content-length"] == "700000")
            #expect(try await head.body.bytes() == [])
        }
        // A range of other bytes than the client has is not sent.
        for (condition, status) in [(tag, 206), ("W/" + tag, 200), ("\"a\"", 200)] {
            let part = await service.respond(to: request("GET", path, ["range": "bytes=0-1", "if-range": condition]))
            #expect(part.status == status, "\(condition)")
        }
        for (field, range) in [
            ("bytes=0-0", 0..<1), ("bytes=262143-262144", 262_143..<262_145), ("bytes=699999-", 699_999..<700_000),
            ("bytes=-5", 699_995..<700_000), ("bytes=-9999999", 0..<700_000), ("bytes=5-99999999", 5..<700_000),
            ("bytes=0-9223372036854775807", 0..<700_000),
        ] {
            let part = await service.respond(to: request("GET", path, ["range": field]))
            #expect(part.status == 206, "\(field)")
            #expect(part.headers["content-range"] == "bytes \(range.lowerBound)-\(range.upperBound - 1)/700000")
            #expect(try await part.body.bytes() == Array(bytes[range]), "\(field)")
        }
        // Fields that are not a range are ignored, as RFC 9110 demands.
        for field in ["bytes=5-4", "bytes=a-b", "lines=0-1", "bytes=0-1,5-6", "bytes=-", "0-1"] {
            #expect(await service.respond(to: request("GET", path, ["range": field])).status == 200, "\(field)")
        }
        for field in ["bytes=700000-", "bytes=-0"] {
            let none = await service.respond(to: request("GET", path, ["range": field]))
            #expect(none.status == 416 && none.headers["content-range"] == "bytes */700000", "\(field)")
        }
    }

    @Test func routeOfAServiceAnswersWithAnAssetThatItsReaderSees() async throws {
        let store = RecordStore(memory)
        let image = try await store.assets.add(bytes)
        try await store.insert(Photo(id: "1", owner: "ann", image: image))
        func answer(_ reader: String, _ headers: RecordHTTPHeaders = [:]) async throws -> RecordHTTPResponse {
            let scope = try store.scoped(for: reader) { $0.rule(Photo.self) { $0.owner == reader } }
            return try await RecordHTTPResponse(
                image, from: scope.assets, to: RecordHTTPRequest(method: "GET", path: "/photo", headers: headers),
                contentType: "image/png")
        }
        let whole = try await answer("ann")
        #expect(try await whole.body.bytes() == Array(bytes))
        #expect(whole.headers["content-type"] == "image/png" && whole.headers["x-content-type-options"] == "nosniff")
        #expect(whole.headers["cache-control"] == "private, no-cache")
        let part = try await answer("ann", ["range": "bytes=300000-300009"])
        #expect(try await part.body.bytes() == Array(bytes[300_000..<300_010]))
        let error = await #expect(throws: RecordDatabaseError.self) { try await answer("bob") }
        #expect(error?.code == .missingAsset)
    }

    @Test func synchronizationGivesUpOnAContentThatIsTooLargeAndSendsTheRest() async throws {
        let service = service { $0.maximumAssetBytes = 300_000 }
        let device = RecordStore(InMemoryRecordDatabase())
        let sync = try RecordSync(device.database, with: store("ann", service).database, named: "cloud")
        try await RecordStore(memory).declare(Photo.self, readers: { $0.owner })
        try await device.insert(Photo(id: "large", owner: "ann", image: device.assets.add(bytes)))
        try await device.insert(Photo(id: "small", owner: "ann", image: device.assets.add(bytes.prefix(300_000))))
        let outcome = try await sync.synchronize()
        #expect(outcome.pushedCount == 1 && outcome.rejectedCount == 1)
        #expect(try await sync.rejected().map(\.recordID.name) == ["large"])
        #expect(try await sync.rejected().first?.reason.contains("300000 bytes") == true)
        #expect(try await RecordStore(memory).fetch(Photo.self, named: "small").image?.size == 300_000)
    }

    @Test func fileIsUploadedInOneRequestAndContinuedAfterACut() async throws {
        let service = service()
        let folder = try TemporaryFolder()
        let path = folder.path("photo.png")
        try bytes.write(to: URL(fileURLWithPath: path))
        var options = RemoteRecordDatabase.Options()
        options.accessToken = { _ in "ann" }
        let client = RemoteRecordDatabase(JoinedTransport(service), options: options)
        let store = RecordStore(client)
        let upload = try await store.assets.beginUpload()
        var sent = try await client.uploadRequest(upload, at: 0)
        struct Cut: Error {}
        sent.body = RecordHTTPBody(
            AsyncThrowingStream<Data, any Error> { continuation in
                for start in stride(from: 0, to: 600_000, by: 10_007) {
                    continuation.yield(bytes[start..<min(start + 10_007, 600_000)])
                }
                continuation.finish(throwing: Cut())
            })
        #expect(await service.respond(to: sent).status == 400)
        #expect(try await client.assets?.size(ofUpload: upload) == 524_288)
        let progress = Locked<[Int64]>([])
        let asset = try await store.assets.add(file: path, continuing: upload) { count in
            progress.withLock { $0.append(count) }
        }
        #expect(progress.withLock { $0 } == [262_144, 524_288, 700_000])
        #expect(asset.fileName == "photo.png")
        #expect(try await store.assets.data(of: asset) == bytes)
        let copy = folder.path("copy.png")
        try await store.assets.copy(asset, to: copy)
        #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == bytes)
    }

    @Test func serviceRefusesForgedHashesAndAssetsThatAreTooLarge() async throws {
        let service = service { $0.maximumAssetBytes = 300_000 }
        let client = store("ann", service)
        #expect(await databaseErrorCode { _ = try await client.assets.add(bytes) } == .assetTooLarge)
        let storage = try #require(client.database.assets)
        let upload = try await storage.beginUpload()
        try await storage.append(Data([1, 2, 3]), toUpload: upload, at: 0)
        var hasher = AssetHasher()
        hasher.add(Data([3, 2, 1]))
        let forged = hasher.digest
        #expect(await databaseErrorCode { try await storage.finishUpload(upload, as: forged) } == .invalidUpload)
        #expect(try await storage.content(hasher.digest.hash) == nil)
        for path in ["uploads/\(upload)/1", "uploads/\(upload)/262144", "uploads/ffff/0", "uploads/..%2F..%2Fx/0"] {
            let body = RecordHTTPBody([1])
            let status = await service.respond(to: request("PUT", path, body: body)).status
            #expect(status == 400 || status == 404, "\(path): \(status)")
        }
        for offset: Int64 in [.max, .max - 1, Int64.max / 262_144 * 262_144] {
            let put = await service.respond(
                to: request("PUT", "uploads/\(upload)/\(offset)", body: RecordHTTPBody([1])))
            #expect(put.status == 413)
            let get = await service.respond(to: request("GET", "uploads/\(upload)/\(offset)"))
            #expect(get.status == (offset.isMultiple(of: 262_144) ? 200 : 400))
        }
        for (method, path) in [("DELETE", "assets/\(hasher.digest.hash)"), ("POST", "uploads/\(upload)/0")] {
            #expect(await service.respond(to: request(method, path)).status == 404)
        }
    }

    @Test func bodyOfAnUploadThatStopsIsRefusedInTime() async throws {
        let service = service { $0.bodyDeadline = .milliseconds(100) }
        let upload = try await store("ann", service).assets.beginUpload()
        let body = RecordHTTPBody(AsyncStream<Data> { $0.yield(Data([1])) })
        let response = await service.respond(to: request("PUT", "uploads/\(upload)/0", body: body))
        #expect(response.status == 400)
    }
}
