import Foundation
import NestedRecords
import TestSupport

/// What happens to a call over a network.
enum NetworkFault: CaseIterable {
    /// The request is lost.
    case request

    /// The answer is lost.
    case answer

    /// The request is lost for the caller, and arrives later.
    case late

    /// A copy of the request arrives later.
    case twice
}

/// The network of a simulation: its faults, and the batches that are still to arrive.
final class Network: Sendable {
    private struct State {
        var random: SplitMix64
        var isFaulty = true
        var late: [(RecordBatch, Replica)] = []
    }

    private let state: Locked<State>

    init(seed: UInt64) { state = Locked(State(random: SplitMix64(seed: seed))) }

    func setFaulty(_ isFaulty: Bool) { state.withLock { $0.isFaulty = isFaulty } }

    func nextFault() -> NetworkFault? {
        state.withLock { state in
            guard state.isFaulty, state.random.chance(oneIn: 5) else { return nil }
            return state.random.pick(NetworkFault.allCases)
        }
    }

    func keep(_ batch: RecordBatch, for replica: Replica) { state.withLock { $0.late.append((batch, replica)) } }

    /// Drops one of the late batches; returns whether there was one.
    func drop() -> Bool { state.withLock { $0.late.popLast() != nil } }

    /// Delivers one of the late batches; returns whether there was one.
    func deliver(_ choose: (Int) -> Int) async -> Bool {
        let late = state.withLock { state -> (RecordBatch, Replica)? in
            state.late.isEmpty ? nil : state.late.remove(at: choose(state.late.count))
        }
        guard let (batch, replica) = late else { return false }
        _ = try? await replica.database.commit(batch)
        return true
    }
}

/// A database as a process sees it: each call waits until the simulation lets it go on, and some calls fail.
struct ParkedDatabase: ForwardingRecordDatabase {
    let base: any RecordDatabase
    let strand: Strand

    /// Nil for a local database.
    var network: (Network, Replica)?
    var refuses: @Sendable (RecordBatch) -> (any Error)? = { _ in nil }

    func parked<Result>(_ body: () async throws -> Result) async throws -> Result {
        try await strand.park()
        guard let (network, _) = network else { return try await body() }
        let fault = network.nextFault()
        if fault == .request || fault == .late { throw RecordDatabaseError(.connectionLost) }
        let result = try await body()
        try await strand.park()
        if fault == .answer { throw RecordDatabaseError(.connectionLost) }
        return result
    }

    func records(for ids: [Record.ID]) async throws -> [Record] {
        try await parked { try await base.records(for: ids) }
    }

    func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        try await strand.park()
        if let error = refuses(batch) { throw error }
        guard let (network, replica) = network else { return try await base.commit(batch) }
        let fault = network.nextFault()
        if fault == .late || fault == .twice { network.keep(batch, for: replica) }
        if fault == .request || fault == .late { throw RecordDatabaseError(.unknownOutcome) }
        let result: Result<[Record.ID: Record.Metadata], any Error>
        do { result = .success(try await base.commit(batch)) } catch { result = .failure(error) }
        try await strand.park()
        if fault == .answer { throw RecordDatabaseError(.unknownOutcome) }
        return try result.get()
    }

    func versions(ofType type: String, after name: String?, limit: Int) async throws -> [RecordBatch.VersionedID] {
        try await parked { try await base.versions(ofType: type, after: name, limit: limit) }
    }

    func storedRecords(ofType type: String?) -> RecordSequence {
        RecordSequence(reading: { [self] in
            try await parked {
                var records: [Record] = []
                for try await record in base.storedRecords(ofType: type) { records.append(record) }
                return records
            }
        })
    }

    var feed: (any RecordFeed)? { base.feed.map { ParkedFeed(base: $0, parked: self) } }

    var assets: (any AssetStorage)? { base.assets.map { ParkedAssets(base: $0, parked: self) } }
}

private struct ParkedAssets: ForwardingAssetStorage {
    let base: any AssetStorage
    let parked: ParkedDatabase

    func beginUpload() async throws -> String { try await parked.parked { try await base.beginUpload() } }

    func size(ofUpload upload: String) async throws -> Int64 {
        try await parked.parked { try await base.size(ofUpload: upload) }
    }

    func append(_ chunk: Data, toUpload upload: String, at offset: Int64) async throws {
        try await parked.parked { try await base.append(chunk, toUpload: upload, at: offset) }
    }

    func finishUpload(_ upload: String, as digest: AssetDigest) async throws {
        try await parked.parked { try await base.finishUpload(upload, as: digest) }
    }

    func content(_ hash: String) async throws -> AssetContent? {
        try await parked.parked { try await base.content(hash) }
    }

    func chunk(of content: AssetContent, at offset: Int64) async throws -> Data? {
        try await parked.parked { try await base.chunk(of: content, at: offset) }
    }

    func addRemoteContent(_ hash: String) async throws {
        try await parked.parked { try await base.addRemoteContent(hash) }
    }
}

private struct ParkedFeed: RecordFeed {
    let base: any RecordFeed
    let parked: ParkedDatabase
    var database: any RecordDatabase { parked }

    func changeToken() async throws -> ChangeToken { try await parked.parked { try await base.changeToken() } }

    func storedChanges(since token: ChangeToken, limit: Int) async throws -> RecordChanges {
        try await parked.parked { try await base.storedChanges(since: token, limit: limit) }
    }

    func waitForChanges(after token: ChangeToken) async throws {
        try await parked.parked { try await base.waitForChanges(after: token) }
    }
}

/// A database of the simulation, which may be replaced by a backup of it.
final class Replica: Sendable {
    private let state: Locked<any RecordDatabase>
    let number: Int

    init(_ number: Int, _ database: any RecordDatabase) { (self.number, state) = (number, Locked(database)) }

    var database: any RecordDatabase { state.withLock { $0 } }

    func replace(by database: any RecordDatabase) { state.withLock { $0 = database } }
}

extension RecordDatabase {
    /// The records without those of the library, by ID, without metadata.
    func contents() async throws -> [Record.ID: Record.Fields] {
        var contents: [Record.ID: Record.Fields] = [:]
        for try await record in records(ofType: nil) { contents[record.id] = record.fields }
        return contents
    }
}
