#if canImport(CloudKit) && os(Linux)
import CloudKit
import Foundation
import TestSupport
import Testing

@_spi(Engines) @testable import NestedRecords
@testable import NestedRecordsCloudKit

/// The bytes of assets as files in records of a zone, over Apple's module and over the web services.
struct ZoneAssetChunksTests {
    private static let part = Int(ZoneAssetChunks.partSize)
    private static let chunk = AssetContent.chunkSize
    private let cloud = StandInCloud()
    private let zone = CKRecordZone.ID(zoneName: "NestedRecords-Assets", ownerName: CKCurrentUserDefaultName)

    /// The database of an app with code of its own.
    private var app: CKDatabase { cloud.container(user: "ann").privateCloudDatabase }

    private func database(overWeb isWeb: Bool) async throws -> CloudKitRecordDatabase {
        if !isWeb { return try await NestedRecordsCloudKitTests.database(cloud) }
        let database = try cloud.webDatabase()
        try await database.prepare()
        return database
    }

    private func storage(overWeb isWeb: Bool) async throws -> any AssetStorage {
        try #require(try await database(overWeb: isWeb).assets)
    }

    private static func bytes(_ count: Int, seed: UInt64 = 1) -> Data {
        var random = SplitMix64(seed: seed)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count { withUnsafeBytes(of: random.next()) { bytes.append(contentsOf: $0) } }
        return Data(bytes.prefix(count))
    }

    private func append(
        _ bytes: Data, to upload: String, of storage: any AssetStorage, from offset: Int = 0
    ) async throws {
        for start in stride(from: offset, to: bytes.count, by: Self.chunk) {
            let chunk = bytes[start..<min(start + Self.chunk, bytes.count)]
            try await storage.append(Data(chunk), toUpload: upload, at: Int64(start))
        }
    }

    private func digest(of bytes: Data) -> AssetDigest {
        var hasher = AssetHasher()
        for start in stride(from: 0, to: bytes.count, by: Self.chunk) {
            hasher.add(Data(bytes[start..<min(start + Self.chunk, bytes.count)]))
        }
        return hasher.digest
    }

    /// The files of the parts, as an app sees them.
    private func files() async throws -> [String: Data] {
        let changes = try await app.recordZoneChanges(inZoneWith: zone, since: nil)
        var files: [String: Data] = [:]
        for result in changes.modificationResultsByID.values {
            let record = try result.get().record
            guard record.recordType == "NRx_NestedRecords_dAssetPart" else { continue }
            let asset = try #require(record.object(forKey: "file") as? CKAsset)
            files[record.recordID.recordName] = try Data(contentsOf: #require(asset.fileURL))
        }
        return files
    }

    /// What one layer writes the other reads, from files of CloudKit.
    @Test(arguments: [false, true])
    func partsAreFilesOfCloudKit(_ isWeb: Bool) async throws {
        let bytes = Self.bytes(Self.part + Self.chunk + 5)
        let asset = try await RecordStore(database(overWeb: isWeb)).assets.add(bytes)
        let files = try await files()
        #expect(files.values.map(\.count).sorted() == [Self.chunk + 5, Self.part])
        #expect(files.values.sorted { $0.count > $1.count }.reduce(Data(), +) == bytes)
        for isWeb in [false, true] {
            let reader = RecordStore(try await database(overWeb: isWeb)).assets
            #expect(try await reader.data(of: asset) == bytes)
        }
    }

    @Test(arguments: [false, true])
    func uploadsGoOnAfterTheLastStoredPart(_ isWeb: Bool) async throws {
        let bytes = Self.bytes(Self.part + 3)
        let first = try await storage(overWeb: isWeb)
        let upload = try await first.beginUpload()
        try await append(bytes, to: upload, of: first)
        #expect(try await first.size(ofUpload: upload) == Int64(bytes.count))
        // Another process does not have what is in the memory of this one.
        let second = try await storage(overWeb: !isWeb)
        #expect(try await second.size(ofUpload: upload) == Int64(Self.part))
        #expect(try await second.chunk(ofUpload: upload, at: Int64(Self.chunk)) == bytes[Self.chunk..<(2 * Self.chunk)])
        try await append(bytes, to: upload, of: second, from: Self.part)
        try await second.finishUpload(upload, as: digest(of: bytes))
        let store = RecordStore(try await database(overWeb: isWeb))
        let asset = try RecordAsset(hash: digest(of: bytes).hash, size: Int64(bytes.count))
        #expect(try await store.assets.data(of: asset) == bytes)
    }

    @Test(arguments: [false, true])
    func chunksOfStoredPartsAreReplaced(_ isWeb: Bool) async throws {
        let storage = try await storage(overWeb: isWeb)
        var bytes = Self.bytes(Self.part + 7)
        let upload = try await storage.beginUpload()
        try await append(bytes, to: upload, of: storage)
        let new = Self.bytes(Self.chunk, seed: 2)
        bytes.replaceSubrange(Self.chunk..<(2 * Self.chunk), with: new)
        try await storage.append(new, toUpload: upload, at: Int64(Self.chunk))
        #expect(try await storage.size(ofUpload: upload) == Int64(bytes.count))
        try await storage.finishUpload(upload, as: digest(of: bytes))
        let content = try #require(try await storage.content(digest(of: bytes).hash))
        for offset in content.offsets {
            let end = min(Int(offset) + Self.chunk, bytes.count)
            #expect(try await storage.chunk(of: content, at: offset) == bytes[Int(offset)..<end])
        }
    }

    /// More uploads at a time than parts are kept in memory.
    @Test(arguments: [false, true])
    func manyUploadsAreOpenAtATime(_ isWeb: Bool) async throws {
        let storage = try await storage(overWeb: isWeb)
        var uploads: [(name: String, bytes: Data)] = []
        for number in 0..<10 {
            uploads.append((try await storage.beginUpload(), Self.bytes(2 * Self.chunk, seed: UInt64(number))))
        }
        for start in [0, Self.chunk] {
            for (name, bytes) in uploads {
                try await storage.append(
                    Data(bytes[start..<(start + Self.chunk)]), toUpload: name, at: Int64(start))
            }
        }
        for (name, bytes) in uploads { try await storage.finishUpload(name, as: digest(of: bytes)) }
        let reader = try await self.storage(overWeb: !isWeb)
        for (_, bytes) in uploads {
            let content = try #require(try await reader.content(digest(of: bytes).hash))
            #expect(try await reader.chunk(of: content, at: 0) == bytes[..<Self.chunk])
        }
    }

    /// A file that an app has replaced is not taken for the content, and adding the content again repairs it.
    @Test(arguments: [false, true])
    func otherBytesAreFoundByTheHash(_ isWeb: Bool) async throws {
        let bytes = Self.bytes(1_000)
        let asset = try await RecordStore(database(overWeb: isWeb)).assets.add(bytes)
        let name = try #require(try await files().keys.first)
        let record = try await app.record(for: CKRecord.ID(recordName: name, zoneID: zone))
        let folder = try TemporaryFolder()
        try Self.bytes(1_000, seed: 2).write(to: URL(fileURLWithPath: folder.path()))
        record.setObject(CKAsset(fileURL: URL(fileURLWithPath: folder.path())), forKey: "file")
        _ = try await app.save(record)
        let assets = RecordStore(try await database(overWeb: isWeb)).assets
        let error = await #expect(throws: RecordDatabaseError.self) { try await assets.data(of: asset) }
        #expect(error?.code == .corrupt)
        #expect(try await assets.add(bytes) == asset)
        #expect(try await assets.data(of: asset) == bytes)
    }

    /// A lost answer, and a server of files that refuses: the next call stores the content once.
    @Test(arguments: [false, true])
    func contentsAreStoredInSpiteOfFaults(_ isWeb: Bool) async throws {
        let store = RecordStore(try await database(overWeb: isWeb))
        let faults = RandomFaults(seed: Sweep.seed &+ 5)
        cloud.fault = { faults.fault(of: $0) }
        let bytes = Self.bytes(2 * Self.part + 1)
        var asset: RecordAsset?
        for _ in 0..<100 where asset == nil { asset = try? await store.assets.add(bytes) }
        cloud.fault = nil
        let reader = RecordStore(try await database(overWeb: !isWeb)).assets
        #expect(try await reader.data(of: #require(asset)) == bytes)
        #expect(try await reader.contents(limit: 9).map(\.hash) == [asset?.hash])
    }

    /// A collection of many contents reads the zone once, and then what has changed.
    @Test(arguments: [false, true])
    func collectionsReadTheZoneOnce(_ isWeb: Bool) async throws {
        let database = try await database(overWeb: isWeb)
        let records = try (0..<150).map { try Record(id: Record.ID(type: "School", name: "\($0)")) }
        try await database.commit(RecordBatch(saving: records))
        let assets = RecordStore(database).assets
        var all: [RecordAsset] = []
        for number in 1...10 { all.append(try await assets.add(Self.bytes(number))) }
        var named = records[0]
        named.metadata = try await database.record(for: named.id)?.metadata
        named["photo"] = .asset(all[0])
        try await database.commit(RecordBatch(saving: [named]))
        cloud.changesPageLimit = 10
        let other = try await self.database(overWeb: isWeb)
        cloud.resetCounts()
        let found = try await RecordStore(other).assets.collect(olderThan: .zero - .seconds(60))
        #expect(found.contentCount == 9)
        let pages = (cloud.counts[.recordZoneChanges] ?? 0) + (cloud.counts[.webRecordZoneChanges] ?? 0)
        // 17 pages of the records, 4 of the files, and the changes since for each content and each list.
        #expect((21..<50).contains(pages), "\(cloud.counts)")
        #expect(try await assets.data(of: all[0]) == Self.bytes(1))
    }
}
#endif
