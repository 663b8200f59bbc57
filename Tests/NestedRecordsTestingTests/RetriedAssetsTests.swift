import Foundation
import TestSupport
import Testing

@_spi(Engines) @testable import NestedRecords

/// Assets of a database that refuses calls and loses answers, in a store that repeats calls.
@Suite struct RetriedAssetsTests {
    /// Calls that are refused, or whose answers are lost.
    private struct Network: Sendable {
        let random: Locked<SplitMix64>

        func call<Result>(
            losing code: RecordDatabaseError.Code = .connectionLost, _ body: () async throws -> Result
        ) async throws -> Result {
            let number = random.withLock { Int.random(in: 0..<16, using: &$0) }
            if number == 0 { throw RecordDatabaseError(.tooManyRequests) }
            let result = try await body()
            if number == 1 { throw RecordDatabaseError(code, reason: "the answer was lost") }
            return result
        }
    }

    /// A database whose records and chunks are both beyond the network.
    private struct UnreliableDatabase: ForwardingRecordDatabase {
        let base: any RecordDatabase = InMemoryRecordDatabase()
        let network: Network
        let chunks = MemoryAssetChunks()

        init(seed: UInt64) { network = Network(random: Locked(SplitMix64(seed: seed))) }

        var assets: (any AssetStorage)? { StoredAssets(self, UnreliableChunks(base: chunks, network: network)) }

        func records(for ids: [Record.ID]) async throws -> [Record] {
            try await network.call { try await base.records(for: ids) }
        }

        func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
            let isOfAssets = batch.saves.allSatisfy(\.id.isReserved)
            return try await network.call(losing: isOfAssets ? .unknownOutcome : .connectionLost) {
                try await base.commit(batch)
            }
        }

        func versions(
            ofType type: String, after name: String?, limit: Int
        ) async throws -> [RecordBatch.VersionedID] {
            try await network.call { try await base.versions(ofType: type, after: name, limit: limit) }
        }

        func referrers(of ids: [Record.ID]) async throws -> [Record.ID: [RecordReferrer]] {
            try await network.call { try await base.referrers(of: ids) }
        }
    }

    private struct UnreliableChunks: AssetChunks {
        let base: MemoryAssetChunks
        let network: Network

        func begin(_ upload: String) async throws { try await network.call { base.begin(upload) } }

        func write(_ bytes: Data, to upload: String, at offset: Int64) async throws -> Bool {
            try await network.call { base.write(bytes, to: upload, at: offset) }
        }

        func read(_ upload: String, at offset: Int64, count: Int) async throws -> Data? {
            try await network.call { base.read(upload, at: offset, count: count) }
        }

        func size(of upload: String) async throws -> Int64? { try await network.call { base.size(of: upload) } }
        func synchronize(_: String) {}
        func remove(_ upload: String) async throws { try await network.call { base.remove(upload) } }
        func uploads() async throws -> [String] { try await network.call { base.uploads() } }
    }

    @Test(arguments: Sweep.some(1, of: 1...4)) func contentsArriveWholeInSpiteOfFaults(_ seed: UInt64) async throws {
        let database = UnreliableDatabase(seed: seed)
        let store = RecordStore(database, retries: RetryPolicy(attempts: 10_000, repeatsTransientErrors: true))
        let calls = try #require((RetriedRecordDatabase(database, store.retries) as any RecordDatabase).assets)
        var kept: Set<String> = []
        for round in 0..<12 {
            let bytes = Data((0..<(round % 3 * 200_000 + 5)).map { UInt8(truncatingIfNeeded: $0 / 5 &+ round) })
            let asset = try await store.assets.add(bytes)
            let id = try Record.ID(type: "Photo", name: "\(round)")
            let policy = store.retries
            if round.isMultiple(of: 2) {
                let record = try Record(id: id, fields: ["image": .asset(asset)])
                _ = try await RetriedRecordDatabase(database, policy).commit(
                    RecordBatch(saving: [record], savePolicy: .overwrite))
                kept.insert(asset.hash)
            }
            #expect(try await store.assets.data(of: asset) == bytes)
            let upload = try await store.assets.beginUpload()
            try await calls.append(Data([1, 2]), toUpload: upload, at: 0)
            #expect(try await calls.size(ofUpload: upload) == 2)
            #expect(try await calls.chunk(ofUpload: upload, at: 0) == Data([1, 2]))
            if round == 1 { try await calls.cancelUpload(upload) }
        }
        try await store.assets.collect(olderThan: .zero - .seconds(60))
        let contents = try await store.assets.contents(limit: 100)
        #expect(Set(contents.map(\.hash)) == kept && kept.count == 6)
        #expect(Set(database.chunks.uploads()) == Set(contents.map(\.upload)))
    }

    @Test func callsFailWithoutAPolicyThatRepeatsThem() async throws {
        let database = UnreliableDatabase(seed: 1)
        var failures = 0
        for round in 0..<20 {
            do {
                _ = try await RecordStore(database, retries: RetryPolicy()).assets.add(Data([UInt8(round)]))
            } catch let error as RecordDatabaseError
                where error.isTransient || [.unknownOutcome, .unknownUpload].contains(error.code)
            {
                failures += 1
            }
        }
        #expect(failures > 0)
    }

    /// The database and the store may both repeat calls, which share their attempts.
    @Test func attemptsAreBounded() async throws {
        struct Refusing: ForwardingAssetStorage {
            let base: any AssetStorage
            let calls: Locked<Int>

            func content(_: String) async throws -> AssetContent? {
                calls.withLock { $0 += 1 }
                throw RecordDatabaseError(.busy)
            }
        }
        let policy = RetryPolicy(attempts: 4, repeatsTransientErrors: true)
        let base = try #require(InMemoryRecordDatabase().assets)
        let calls = Locked(0)
        let storage = RetriedAssets(RetriedAssets(Refusing(base: base, calls: calls), policy), policy)
        let asset = try RecordAsset(hash: String(repeating: "0", count: 64), size: 1)
        await #expect(throws: RecordDatabaseError.self) { _ = try await AssetStore(storage).exists(asset) }
        #expect(calls.withLock { $0 } == 4)
    }
}
