import Foundation
@_spi(Engines) import NestedRecords
import TestSupport
import Testing

@testable import NestedRecordsSync

private struct Photo: RecordCodable {
    @RecordName var id: String
    var image: RecordAsset?
    var title = ""
}

@Suite struct AssetSyncTests {
    private let local = RecordStore(InMemoryRecordDatabase())
    private let remote = RecordStore(InMemoryRecordDatabase())

    private func sync(_ options: SyncOptions = SyncOptions()) throws -> RecordSync {
        try RecordSync(local.database, with: remote.database, named: "cloud", options: options)
    }

    private func bytes(_ digit: UInt8, _ size: Int = 4_000) -> Data { Data(repeating: digit, count: size) }

    @Test func contentsAreCarriedBeforeTheRecordsThatNameThem() async throws {
        let sync = try sync()
        try await local.insert(Photo(id: "a", image: local.assets.add(bytes(1, 270_000))))
        try await remote.insert(Photo(id: "b", image: remote.assets.add(bytes(2))))
        try await sync.synchronize()
        for store in [local, remote] {
            for (name, digit, size) in [("a", 1, 270_000), ("b", 2, 4_000)] as [(String, UInt8, Int)] {
                let image = try #require(try await store.fetch(Photo.self, named: name).image)
                #expect(try await store.assets.data(of: image) == bytes(digit, size))
            }
        }
        // A content that both have is not sent again.
        let counts = try await remote.assets.contents(limit: 10).map(\.date)
        var photo = try await local.fetch(Photo.self, named: "a")
        photo.title = "new"
        try await local.save(&photo)
        try await sync.synchronize()
        #expect(try await remote.assets.contents(limit: 10).map(\.date) == counts)
    }

    @Test func listOfConflictsKeepsTheContentsThatAResolutionMayNeed() async throws {
        let sync = try sync()
        try await local.insert(Photo(id: "a", image: local.assets.add(bytes(1))))
        try await sync.synchronize()
        for (store, digit) in [(local, 2), (remote, 3)] as [(RecordStore, UInt8)] {
            var photo = try await store.fetch(Photo.self, named: "a")
            photo.image = try await store.assets.add(bytes(digit))
            try await store.save(&photo)
        }
        try await sync.synchronize()
        let conflict = try #require(try await sync.conflicts().first)
        for store in [local, remote] { try await store.assets.collect(olderThan: .zero - .seconds(60)) }
        for side in [conflict.base, conflict.local, conflict.remote] {
            guard case .asset(let image)? = side?["image"] else {
                Issue.record("a side has no image")
                continue
            }
            #expect(try await local.assets.exists(image))
        }
        // The lost side is taken after all.
        let present = try #require(try await local.database.record(for: conflict.recordID))
        let other = try #require([conflict.local, conflict.remote].first { $0?["image"] != present["image"] } ?? nil)
        var record = present
        record["image"] = other["image"]
        try await sync.resolve(conflict, with: record)
        try await sync.synchronize()
        for store in [local, remote] {
            let image = try #require(try await store.fetch(Photo.self, named: "a").image)
            #expect(.asset(image) == other["image"])
            #expect(try await store.assets.data(of: image).count == 4_000)
        }
        // Nothing names the other contents any more, except the base.
        for store in [local, remote] { try await store.assets.collect(olderThan: .zero - .seconds(60)) }
        #expect(try await local.assets.contents(limit: 10).count == 1)
        #expect(try await remote.assets.contents(limit: 10).count == 1)
    }

    @Test func contentOfACancelledSynchronizationIsCarriedByTheNext() async throws {
        let hooked = HookedDatabase(InMemoryRecordDatabase())
        let (store, sync) = (RecordStore(hooked), try RecordSync(local.database, with: hooked, named: "cloud"))
        try await local.insert(Photo(id: "a", image: local.assets.add(bytes(1))))
        let image = try #require(try await local.fetch(Photo.self, named: "a").image)
        let task = Task { try await sync.synchronize() }
        task.cancel()
        _ = await task.result
        try await sync.synchronize()
        #expect(try await store.assets.data(of: image) == bytes(1))
        try await store.assets.collect(olderThan: .zero - .seconds(60))
        #expect(try await store.assets.exists(image))
    }

    @Test func contentIsCopiedWhenItIsFirstRead() async throws {
        var options = SyncOptions()
        options.contents = .onFirstRead
        let sync = try sync(options)
        let image = try await remote.assets.add(bytes(1, 300_000))
        try await remote.insert(Photo(id: "a", image: image))
        try await local.insert(Photo(id: "b", image: local.assets.add(bytes(2))))
        try await sync.synchronize()
        #expect(try await remote.assets.contents(limit: 10).count == 2)
        #expect(try await local.fetch(Photo.self, named: "a").image == image)
        #expect(try await !local.assets.exists(image))
        let failure = await #expect(throws: RecordDatabaseError.self) { try await local.assets.data(of: image) }
        #expect(failure?.code == .missingAsset)
        // A change of the record does not need the content.
        var photo = try await local.fetch(Photo.self, named: "a")
        photo.title = "new"
        try await local.save(&photo)
        try await sync.synchronize()
        #expect(try await remote.fetch(Photo.self, named: "a").title == "new")

        var part = Data()
        for try await bytes in sync.assets.bytes(of: image, in: 299_990..<400_000) { part += bytes }
        #expect(part == bytes(1, 10))
        #expect(try await local.assets.data(of: image) == bytes(1, 300_000))
        for store in [local, remote] {
            let found = try await store.assets.collect(olderThan: .seconds(-60))
            #expect(found == AssetCollection())
        }
    }

    @Test func recordWhoseContentIsLostArrivesWithoutIt() async throws {
        let image = try await remote.assets.add(bytes(1))
        try await remote.insert(Photo(id: "a", image: image))
        let sync = try RecordSync(
            local.database, with: InterruptedDatabase(base: remote.database) { $0.loses = true }, named: "cloud")
        try await sync.synchronize()
        #expect(try await local.fetch(Photo.self, named: "a").image == image)
        await #expect(throws: RecordDatabaseError.self) { try await sync.assets.data(of: image) }
        #expect(try await self.sync().assets.data(of: image) == bytes(1))
    }

    @Test(arguments: [false, true]) func damagedContentStopsItsRecordAlone(_ isPull: Bool) async throws {
        let (source, target) = isPull ? (remote, local) : (local, remote)
        let image = try await source.assets.add(bytes(1))
        try await source.insert(Photo(id: "a", image: image))
        try await source.insert(Photo(id: "b", image: source.assets.add(bytes(2))))
        let damaged = InterruptedDatabase(base: source.database) { $0.damaged = image.hash }
        let sync =
            isPull
            ? try RecordSync(local.database, with: damaged, named: "cloud")
            : try RecordSync(damaged, with: remote.database, named: "cloud")
        try await sync.synchronize()
        #expect(try await target.fetch(Photo.self, named: "b").image != nil)
        if isPull {
            #expect(try await local.fetch(Photo.self, named: "a").image == image)
            let failure = await #expect(throws: RecordDatabaseError.self) { try await sync.assets.data(of: image) }
            #expect(failure?.code == .corrupt && failure?.recordID?.name == image.hash)
        } else {
            #expect(try await remote.database.record(for: Record.ID("Photo/a")) == nil)
            #expect(try await sync.rejected().map(\.recordID.name) == ["a"])
            #expect(try await sync.rejected()[0].reason.contains(image.hash))
            for change in try await sync.rejected() { try await self.sync().retry(change) }
        }
        try await self.sync().synchronize()
        #expect(try await target.fetch(Photo.self, named: "a").image == image)
        #expect(try await self.sync().assets.data(of: image) == bytes(1))
    }

    @Test(arguments: [false, true]) func cutContentGoesOnWhereItEnded(_ isPull: Bool) async throws {
        let (source, target) = isPull ? (remote, local) : (local, remote)
        let content = Data((0..<1_200_000).map { UInt8(truncatingIfNeeded: $0 &* $0 / 7) })
        let image = try await source.assets.add(content)
        try await source.insert(Photo(id: "a", image: image))
        let counts = Locked<[Int]>([])
        for _ in 0..<3 {
            let count = Locked(0)
            let interrupted = InterruptedDatabase(base: target.database) { assets in
                assets.append = { base, chunk, upload, offset in
                    if count.withLock({ $0 }) == 2 { throw RecordDatabaseError(.connectionLost) }
                    try await base.append(chunk, toUpload: upload, at: offset)
                    count.withLock { $0 += 1 }
                }
            }
            let sync =
                isPull
                ? try RecordSync(interrupted, with: remote.database, named: "cloud")
                : try RecordSync(local.database, with: interrupted, named: "cloud")
            _ = try? await sync.synchronize()
            counts.withLock { $0.append(count.withLock { $0 }) }
        }
        #expect(counts.withLock { $0 } == [2, 2, 1])
        #expect(try await target.assets.data(of: image) == content)
        #expect(try await target.fetch(Photo.self, named: "a").image == image)
        // Neither an upload nor its entry in the ledger is left.
        for store in [local, remote] {
            for try await record in store.database.records(ofType: nil, including: .system) {
                #expect(!record.id.type.contains("Upload"))
            }
        }
    }

    /// The power of the other computer may have failed, or a program may have written to the upload.
    @Test func chunkThatTheUploadHasLostIsSentAgain() async throws {
        let content = Data((0..<1_200_000).map { UInt8(truncatingIfNeeded: $0 &* $0 / 7) })
        let image = try await local.assets.add(content)
        try await local.insert(Photo(id: "a", image: image))
        let interrupted = InterruptedDatabase(base: remote.database) { assets in
            assets.append = { base, chunk, upload, offset in
                if offset > 0 { throw RecordDatabaseError(.connectionLost) }
                try await base.append(Data(repeating: 0, count: chunk.count), toUpload: upload, at: offset)
            }
        }
        _ = try? await RecordSync(local.database, with: interrupted, named: "cloud").synchronize()
        try await sync().synchronize()
        #expect(try await remote.assets.data(of: image) == content)
    }

    @Test func chunkThatAPulledUploadHasLostIsReadAgain() async throws {
        let content = Data((0..<1_200_000).map { UInt8(truncatingIfNeeded: $0 &* $0 / 7) })
        let image = try await remote.assets.add(content)
        try await remote.insert(Photo(id: "a", image: image))
        let interrupted = InterruptedDatabase(base: local.database) { assets in
            assets.append = { base, chunk, upload, offset in
                if offset > 0 { throw RecordDatabaseError(.busy) }
                try await base.append(Data(repeating: 0, count: chunk.count), toUpload: upload, at: offset)
            }
        }
        _ = try? await RecordSync(interrupted, with: remote.database, named: "cloud").synchronize()
        try await sync().synchronize()
        #expect(try await local.assets.data(of: image) == content)
    }

    @Test func contentThatIsReadTwiceAtOnceIsCopied() async throws {
        let content = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* $0 / 7) })
        let image = try await remote.assets.add(content)
        try await remote.insert(Photo(id: "a", image: image))
        var options = SyncOptions()
        options.contents = .onFirstRead
        let sync = try RecordSync(local.database, with: remote.database, named: "cloud", options: options)
        try await sync.synchronize()
        try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 0..<4 { group.addTask { try await sync.assets.data(of: image) } }
            for try await data in group { #expect(data == content) }
        }
    }

    @Test func databaseWithoutAssetsRefusesTheRecordAndTakesTheOthers() async throws {
        struct Bare: ForwardingRecordDatabase {
            let base: any RecordDatabase
            var assets: (any AssetStorage)? { nil }

            func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
                try check(batch)
                return try await base.commit(batch)
            }
        }
        let bare = Bare(base: InMemoryRecordDatabase())
        let sync = try RecordSync(local.database, with: bare, named: "cloud")
        try await local.insert(Photo(id: "a", image: local.assets.add(bytes(1))))
        try await local.insert(Photo(id: "b"))
        _ = try? await sync.synchronize()
        #expect(try await bare.record(for: Record.ID("Photo/b")) != nil)
        #expect(try await bare.record(for: Record.ID("Photo/a")) == nil)
        #expect(try await sync.rejected().map(\.recordID.name) == ["a"])
    }
}

/// A database whose storage of assets works but for what a test replaces.
private struct InterruptedDatabase: ForwardingRecordDatabase {
    let base: any RecordDatabase
    let change: @Sendable (inout InterruptedAssets) -> Void

    var assets: (any AssetStorage)? {
        base.assets.map {
            var assets = InterruptedAssets(base: $0)
            change(&assets)
            return assets
        }
    }
}

private struct InterruptedAssets: ForwardingAssetStorage {
    let base: any AssetStorage
    var loses = false
    var damaged: String?
    var append: @Sendable (any AssetStorage, Data, String, Int64) async throws -> Void = {
        try await $0.append($1, toUpload: $2, at: $3)
    }

    func append(_ chunk: Data, toUpload upload: String, at offset: Int64) async throws {
        try await append(base, chunk, upload, offset)
    }

    func chunk(of content: AssetContent, at offset: Int64) async throws -> Data? {
        if content.hash != damaged { return try await base.chunk(of: content, at: offset) }
        throw RecordDatabaseError(
            .corrupt, reason: "the asset \(content.hash) is damaged", recordID: content.recordID)
    }

    func content(_ hash: String) async throws -> AssetContent? { loses ? nil : try await base.content(hash) }
}
