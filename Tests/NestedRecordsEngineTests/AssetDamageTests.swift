import Foundation
import TestSupport
import Testing

@_spi(Engines) @testable import NestedRecords

/// Bytes of contents that another program has changed.
@Suite struct AssetDamageTests {
    private static let chunk = Int64(AssetContent.chunkSize)
    private static let bytes = Data((0..<chunk + 5_000).map { UInt8(truncatingIfNeeded: $0 &* $0 / 11) })

    /// How the bytes are damaged, with a part that is damaged then.
    private static let damages: [(name: String, damage: @Sendable (any AssetChunks, String) async throws -> Void)] = [
        (
            "a flipped bit",
            { chunks, upload in
                var part = try #require(try await chunks.read(upload, at: chunk, count: Int(chunk)))
                part[1_000] ^= 0x10
                #expect(try await chunks.write(part, to: upload, at: chunk))
            }
        ),
        (
            "another chunk",
            { chunks, upload in
                let part = try #require(try await chunks.read(upload, at: 0, count: 5_000))
                #expect(try await chunks.write(part, to: upload, at: chunk))
            }
        ),
        ("no chunks", { chunks, upload in try await chunks.remove(upload) }),
    ]

    @Test func damageIsFoundByReadingAndHealedByAdding() async throws {
        try await Engine.forEach { engine in
            let assets = RecordStore(engine.database).assets
            let storage = try #require(engine.database.assets as? StoredAssets)
            let asset = try await assets.add(Self.bytes)
            let record = try Record(id: Record.ID(type: "Page", name: "1"), fields: ["photo": .asset(asset)])
            try await engine.database.commit(RecordBatch(saving: [record]))
            for (name, damage) in Self.damages {
                let comment: Testing.Comment = "\(engine.name), \(name)"
                let content = try #require(try await storage.content(asset.hash))
                try await damage(storage.chunks, content.upload)
                for range in [Self.chunk..<Self.chunk + 10, 0..<asset.size, Self.chunk - 1..<Self.chunk + 1] {
                    let failure = await #expect(throws: RecordDatabaseError.self, comment) {
                        for try await _ in assets.bytes(of: asset, in: range) {}
                    }
                    #expect(failure?.code == .corrupt && failure?.recordID?.name == asset.hash, comment)
                }
                await expect(.corrupt, comment) { _ = try await assets.data(of: asset) }
                #expect(try await !assets.isIntact(content), comment)
                let part = 0..<Self.chunk
                if name != "no chunks" {
                    var found = Data()
                    for try await bytes in assets.bytes(of: asset, in: part) { found += bytes }
                    #expect(found == Self.bytes.prefix(found.count) && found.count == Self.chunk, comment)
                }
                #expect(try await assets.add(Self.bytes) == asset, comment)
                let healed = try await assets.contents(limit: 10)
                #expect(healed.count == 1 && healed[0].upload != content.upload, comment)
                #expect(try await assets.isIntact(healed[0]), comment)
                #expect(try await storage.chunks.size(of: content.upload) == nil, comment)
                #expect(try await assets.collect(olderThan: .zero - .seconds(60)) == AssetCollection(), comment)
            }
        }
    }

    /// A process may end after another one has collected the record of its upload, and before it has noticed.
    @Test func uploadWithoutARecordIsCollected() async throws {
        try await Engine.forEach { engine in
            let assets = RecordStore(engine.database).assets
            let storage = try #require(engine.database.assets as? StoredAssets)
            let (begun, used) = (try await storage.beginUpload(), try await assets.add(Data([1])))
            let record = try Record(id: Record.ID(type: "Page", name: "1"), fields: ["photo": .asset(used)])
            try await engine.database.commit(RecordBatch(saving: [record]))
            let upload = UploadRecord.makeName()
            try await storage.chunks.begin(upload)
            #expect(try await storage.chunks.write(Data([2]), to: upload, at: 0))
            let found = try await assets.collect(olderThan: .seconds(3_600))
            #expect(found.uploadCount == 1 && found.contentCount == 0, "\(engine.name)")
            #expect(try await storage.chunks.size(of: upload) == nil, "\(engine.name)")
            #expect(try await storage.size(ofUpload: begun) == 0, "\(engine.name)")
            #expect(try await assets.data(of: used) == Data([1]), "\(engine.name)")
        }
    }

    @Test func contentOfAnotherDatabaseIsNamedUntilItIsAdded() async throws {
        try await Engine.forEach { engine in
            let comment: Testing.Comment = "\(engine.name)"
            let assets = RecordStore(engine.database).assets
            let storage = try #require(engine.database.assets)
            let asset = RecordAsset(AssetDigest(of: Self.bytes), contentType: nil, fileName: nil)
            let record = try Record(id: Record.ID(type: "Page", name: "1"), fields: ["photo": .asset(asset)])
            await expect(.missingAsset, comment) {
                try await engine.database.commit(RecordBatch(saving: [record]))
            }
            for _ in 0..<2 { try await storage.addRemoteContent(asset.hash) }
            try await engine.database.commit(RecordBatch(saving: [record]))
            #expect(try await !assets.exists(asset), comment)
            await expect(.missingAsset, comment) { _ = try await assets.data(of: asset) }
            #expect(try await assets.contents(limit: 10).isEmpty, comment)
            #expect(try await assets.collect(olderThan: .seconds(-60)) == AssetCollection(), comment)
            #expect(try await assets.add(Self.bytes).hash == asset.hash, comment)
            #expect(try await assets.data(of: asset) == Self.bytes, comment)
            // A content that is there stays.
            try await storage.addRemoteContent(asset.hash)
            #expect(try await assets.exists(asset), comment)
            try await engine.database.commit(RecordBatch(deletingAnyVersionOf: [record.id]))
            let other = String(repeating: "0", count: 64)
            try await storage.addRemoteContent(other)
            #expect(try await assets.contents(limit: 10).map(\.hash) == [asset.hash], comment)
            let found = try await assets.collect(olderThan: .seconds(-60))
            #expect(found.contentCount == 2 && found.byteCount == asset.size, comment)
            #expect(try await engine.database.records(for: [asset.contentID]).isEmpty, comment)
        }
    }

    /// A process may sleep between the record of an upload and its chunks.
    @Test func uploadThatIsCollectedWhileItBeginsLeavesNothing() async throws {
        let database = InMemoryRecordDatabase()
        let chunks = SlowChunks { upload in
            _ = try await StoredAssets(database, MemoryAssetChunks()).collect(before: .distantFuture)
        }
        await expect(.unknownUpload) {
            _ = try await StoredAssets(database, chunks).beginUpload()
        }
        #expect(chunks.begun.withLock { $0.count } == 1)
        for upload in chunks.begun.withLock({ $0 }) { #expect(chunks.size(of: upload) == nil) }
    }

    @Test func uploadWhoseBytesMayBeLostIsNotFinished() async throws {
        let database = InMemoryRecordDatabase()
        let chunks = SlowChunks { _ in }
        let storage = StoredAssets(database, chunks)
        let upload = try await storage.beginUpload()
        try await storage.append(Data([1]), toUpload: upload, at: 0)
        var hasher = AssetHasher()
        hasher.add(Data([1]))
        let digest = hasher.digest
        chunks.failsToSync.withLock { $0 = true }
        await expect(.inputOutput) {
            try await storage.finishUpload(upload, as: digest)
        }
        chunks.failsToSync.withLock { $0 = false }
        await expect(.unknownUpload) {
            try await storage.finishUpload(upload, as: digest)
        }
        #expect(try await storage.content(digest.hash) == nil)
    }

    private func expect(
        _ code: RecordDatabaseError.Code, _ comment: Testing.Comment? = nil, _ body: () async throws -> Void
    ) async {
        let failure = await #expect(throws: RecordDatabaseError.self, comment) { try await body() }
        #expect(failure?.code == code, comment)
    }

    /// Chunks in memory, which begin after a closure, and may fail to become durable.
    private final class SlowChunks: AssetChunks {
        let begun = Locked<[String]>([])
        let failsToSync = Locked(false)
        private let base = MemoryAssetChunks()
        private let beforeBegin: @Sendable (String) async throws -> Void

        init(_ beforeBegin: @escaping @Sendable (String) async throws -> Void) { self.beforeBegin = beforeBegin }

        func begin(_ upload: String) async throws {
            begun.withLock { $0.append(upload) }
            try await beforeBegin(upload)
            base.begin(upload)
        }

        func write(_ bytes: Data, to upload: String, at offset: Int64) -> Bool {
            base.write(bytes, to: upload, at: offset)
        }

        func read(_ upload: String, at offset: Int64, count: Int) -> Data? {
            base.read(upload, at: offset, count: count)
        }

        func size(of upload: String) -> Int64? { base.size(of: upload) }

        func synchronize(_ upload: String) throws {
            if failsToSync.withLock({ $0 }) { throw RecordDatabaseError(.inputOutput, reason: "the disk is broken") }
        }

        func remove(_ upload: String) { base.remove(upload) }

        func uploads() -> [String] { base.uploads() }
    }
}

extension AssetDigest {
    fileprivate init(of bytes: Data) {
        var hasher = AssetHasher()
        for start in stride(from: 0, to: bytes.count, by: AssetContent.chunkSize) {
            hasher.add(Data(bytes.dropFirst(start).prefix(AssetContent.chunkSize)))
        }
        self = hasher.digest
    }
}
