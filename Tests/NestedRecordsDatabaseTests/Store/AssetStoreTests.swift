import Foundation
import NestedRecordsFile
import TestSupport
import Testing

@testable import NestedRecords

@Suite struct AssetStoreTests {
    private struct Photo: Codable, RecordRepresentable {
        @RecordName var id: String
        var image: RecordAsset?
        var title = ""
    }

    private let store = RecordStore(InMemoryRecordDatabase())
    private let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 2) })

    /// SHA-256 as FIPS 180-4 publishes it for these texts, in parts of all sizes.
    @Test func hashesAreThoseOfTheStandard() {
        let texts = [
            "": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "abc": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq":
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
        ]
        for (text, expected) in texts {
            let bytes = Array(text.utf8)
            for size in [1, 3, 55, 63, 64, 65, 1_000] {
                var hash = SHA256()
                for start in stride(from: 0, to: bytes.count, by: size) {
                    Array(bytes[start..<min(start + size, bytes.count)]).withBytesInPlace { hash.add($0) }
                }
                #expect(hash.digest == expected)
            }
        }
    }

    @Test func bytesAreAddedFromFilesSequencesAndMemory() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("photo.png")
        try bytes.write(to: URL(fileURLWithPath: path))
        let parts = AsyncStream<Data> { continuation in
            for start in stride(from: 0, to: bytes.count, by: 1_003) {
                continuation.yield(bytes[start..<min(start + 1_003, bytes.count)])
            }
            continuation.finish()
        }
        let single = AsyncStream<UInt8> { continuation in
            for byte in bytes { continuation.yield(byte) }
            continuation.finish()
        }
        let added = [
            try await store.assets.add(file: path), try await store.assets.add(parts),
            try await store.assets.add(single), try await store.assets.add(bytes),
        ]
        #expect(Set(added.map(\.hash)).count == 1)
        #expect(added[0].fileName == "photo.png" && added[1].fileName == nil)
        #expect(try await store.assets.contents(limit: 10).count == 1)
        let copy = folder.path("copy")
        let progress = Locked<[Int64]>([])
        try await store.assets.copy(added[0], to: copy) { count in progress.withLock { $0.append(count) } }
        #expect(progress.withLock { $0 } == [262_144, 300_000])
        #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == bytes)
        #expect(try folder.names == ["copy", "photo.png"])
    }

    @Test func valueWithAnAssetIsSavedOnlyWithItsContent() async throws {
        let missing = try RecordAsset(hash: String(repeating: "b", count: 64), size: 1)
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await store.insert(Photo(id: "1", image: missing))
        }
        #expect(error?.code == .missingAsset && error?.context.field == "image")
        #expect("\(try #require(error))".contains(missing.hash))
        #expect(error?.recordID == (try Record.ID("Photo/1")))
        let image = try await store.assets.add(bytes)
        var photo = try await store.insert(Photo(id: "1", image: image))
        photo.title = "new"
        try await store.save(&photo)
        try await store.assets.collect(olderThan: .zero - .seconds(1))
        #expect(try await store.assets.exists(image))
        try await store.transaction { store in
            var photo = try await store.fetch(Photo.self, named: "1")
            photo.image = nil
            _ = try await store.save(photo)
        }
        #expect(try await store.assets.collect(olderThan: .zero - .seconds(1)).byteCount == 300_000)
    }

    @Test func failedAndCancelledUploadsLeaveNothing() async throws {
        struct Cut: Error {}
        let cut = AsyncThrowingStream<Data, any Error> { continuation in
            continuation.yield(bytes)
            continuation.finish(throwing: Cut())
        }
        await #expect(throws: Cut.self) { try await store.assets.add(cut) }
        let parts = AsyncStream<Data> { continuation in
            continuation.yield(bytes)
            continuation.finish()
        }
        #expect(
            await databaseErrorCode { _ = try await store.assets.add(parts, maximumSize: 299_999) } == .assetTooLarge)
        #expect(await databaseErrorCode { _ = try await store.assets.add(file: "/missing/file") } == .cannotOpen)
        #expect(await databaseErrorCode { _ = try await store.assets.add(file: "a\0b") } == .invalidPath)
        // A stream that is cancelled ends as if it were complete.
        let open = AsyncStream<Data> { $0.yield(Data([1, 2, 3])) }
        let task = Task { [store] in try await store.assets.add(open) }
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        for try await record in store.database.records(ofType: nil, including: .system) {
            Issue.record("\(record.id) is left")
        }
    }

    @Test func fileThatHasChangedIsAddedAsItIs() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("photo.png")
        let storage = try #require(store.database.assets)
        let upload = try await store.assets.beginUpload()
        try await storage.append(Data(bytes.prefix(AssetContent.chunkSize)), toUpload: upload, at: 0)
        var changed = bytes
        changed[1_000] ^= 1
        try changed.write(to: URL(fileURLWithPath: path))
        let image = try await store.assets.add(file: path, continuing: upload)
        #expect(try await store.assets.data(of: image) == changed)
        // The upload of a longer file is of no use for a shorter one.
        let other = try await store.assets.beginUpload()
        try await storage.append(Data(bytes.prefix(AssetContent.chunkSize)), toUpload: other, at: 0)
        try await storage.append(Data([1]), toUpload: other, at: Int64(AssetContent.chunkSize))
        try Data([1]).write(to: URL(fileURLWithPath: path))
        #expect(
            await databaseErrorCode { _ = try await store.assets.add(file: path, continuing: other) } == .invalidUpload)
    }

    @Test func copyThatFailsKeepsTheFile() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("photo")
        try Data("old".utf8).write(to: URL(fileURLWithPath: path))
        let missing = try RecordAsset(hash: String(repeating: "b", count: 64), size: 1)
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await store.assets.copy(missing, to: path)
        }
        #expect(error?.code == .missingAsset && error?.hint == nil)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "old")
        #expect(try folder.names == ["photo"])
    }

    @Test func assetOfAnotherSizeIsNotRead() async throws {
        let image = try await store.assets.add(bytes)
        let other = try RecordAsset(hash: image.hash, size: 5)
        #expect(await databaseErrorCode { _ = try await store.assets.data(of: other) } == .corrupt)
    }

    @Test func contentsAreNeitherListedNorReportedAsChanges() async throws {
        let token = try await #require(store.database.feed).changeToken()
        let image = try await store.assets.add(bytes)
        try await store.insert(Photo(id: "1", image: image))
        let changes = try await #require(store.database.feed).changes(since: token, limit: 100)
        #expect(changes.saved.map(\.id.description) == ["Photo/1"])
        #expect(try await store.database.danglingReferences().isEmpty)
        #expect(try await store.database.orphans(reachableFrom: [Record.ID("Photo/1")]).isEmpty)
    }

    @Test func decoratorsPassAssetsOn() async throws {
        let image = try await store.assets.add(bytes)
        let decorated: [any RecordDatabase] = [
            MonitoredRecordDatabase(store.database) { _ in },
            QueuedRecordDatabase(store.database, maximumRunning: 1),
            try CachedRecordDatabase(store.database, maximumCount: 10),
            RetriedRecordDatabase(store.database, RetryPolicy(repeatsTransientErrors: true)),
        ]
        for database in decorated {
            #expect(try await RecordStore(database).assets.data(of: image) == bytes, "\(type(of: database))")
        }
    }

    @Test func databaseOfFewRecordsABatchKeepsNoAssets() async throws {
        let small = RecordStore(InMemoryRecordDatabase(batchLimit: 3))
        #expect(await databaseErrorCode { _ = try await small.assets.add(Data()) } == .unsupported)
        let image = try await store.assets.add(bytes)
        #expect(await databaseErrorCode { try await small.insert(Photo(id: "1", image: image)) } == .missingAsset)
    }

    @Test func scopeWithoutAReaderTakesNoAssets() async throws {
        let image = try await store.assets.add(bytes)
        try await store.insert(Photo(id: "1", image: image, title: "a"))
        let scope = try store.scoped { $0.rule(Photo.self) { $0.title == "a" } }
        #expect(try await scope.assets.data(of: image) == bytes)
        #expect(await databaseErrorCode { _ = try await scope.assets.add(bytes) } == .unsupported)
        let others = try store.scoped { $0.rule(Photo.self) { $0.title == "b" } }
        #expect(try await !others.assets.exists(image))
        // Who may see the photo may move its asset to another one.
        try await scope.insert(Photo(id: "2", image: image, title: "a"))
        #expect(
            await databaseErrorCode { try await others.insert(Photo(id: "3", image: image, title: "b")) }
                == .missingAsset)
    }

    private struct Album: RecordCodable, Identifiable {
        @RecordName var id: String
        var owner: String
    }

    private struct Page: RecordCodable, Identifiable {
        @RecordName var id: String
        var album: RecordLink<Album>
        var image: RecordAsset?
    }

    /// By its time, a refusal could otherwise tell a reader which files others have.
    @Test(arguments: [1, 3, 150], [false, true])
    func refusalTakesTheSameCallsForAHiddenContentAndAMissingOne(_ count: Int, hasContainers: Bool) async throws {
        let calls = Locked<[String]>([])
        let monitored = MonitoredRecordDatabase(store.database) { call in calls.withLock { $0.append(call.function) } }
        let bobs = try RecordStore(monitored).scoped(for: "bob") { scope in
            scope.rule(Photo.self) { $0.title == "bob" }
            if hasContainers { scope.rule(Page.self) { $0.album.owner == "bob" } }
        }
        let album = Album(id: "ann", owner: "ann")
        try await store.insert(album)
        let image = try await store.assets.add(bytes)
        for number in 0..<count {
            try await store.insert(Photo(id: "\(number)", image: image, title: "ann"))
            if hasContainers {
                try await store.insert(Page(id: "\(number)", album: RecordLink(to: album), image: image))
            }
        }
        let unnamed = try await store.assets.add(Data("unnamed".utf8))
        let missing = try RecordAsset(hash: String(repeating: "0", count: 64), size: 300_000)
        var found: [[String]] = []
        for asset in [image, unnamed, missing] {
            calls.withLock { $0 = [] }
            #expect(
                await databaseErrorCode { try await bobs.insert(Photo(id: "mine", image: asset, title: "bob")) }
                    == .missingAsset)
            #expect(try await !bobs.assets.exists(asset))
            #expect(await databaseErrorCode { _ = try await bobs.assets.data(of: asset) } == .missingAsset)
            found.append(calls.withLock { $0 })
        }
        #expect(found[0].contains("referrers") && found[0] == found[2] && found[1] == found[2], "\(found)")
    }

    /// A record that the reader may see may be after many that they may not see.
    @Test func contentIsShownByOneOfManyRecords() async throws {
        let image = try await store.assets.add(bytes)
        for number in 0..<250 {
            try await store.insert(Photo(id: "\(number)", image: image, title: number == 99 ? "bob" : "ann"))
        }
        let bobs = try store.scoped(for: "bob") { $0.rule(Photo.self) { $0.title == "bob" } }
        #expect(try await bobs.assets.exists(image))
        try await bobs.insert(Photo(id: "mine", image: image, title: "bob"))
    }
}
