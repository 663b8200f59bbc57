import NestedRecords
import TestSupport

/// A database that notes its calls, and fails where a test wants it to.
final class HookedDatabase: ForwardingRecordDatabase {
    let base: any RecordDatabase
    let limits: RecordDatabaseLimits
    private let state = Locked(State())

    private struct State {
        var batches: [RecordBatch] = []
        var callCount = 0
        var fetched: [Record.ID] = []
        var versionLimits: [Int] = []
        var beforeCommit: @Sendable (RecordBatch) async throws -> Void = { _ in }
        var afterCommit: @Sendable (RecordBatch) async throws -> Void = { _ in }
        var beforeVersions: @Sendable (String) -> Void = { _ in }
        var expiry: ChangeToken.Expiry?
    }

    init(_ base: any RecordDatabase, limits: RecordDatabaseLimits? = nil) {
        (self.base, self.limits) = (base, limits ?? base.limits)
    }

    var batches: [RecordBatch] { state.withLock { $0.batches } }
    var callCount: Int { state.withLock { $0.callCount } }
    var fetched: [Record.ID] { state.withLock { $0.fetched } }

    /// The limits of the calls that list versions.
    var versionLimits: [Int] { state.withLock { $0.versionLimits } }

    func forgetCalls() {
        state.withLock { ($0.batches, $0.callCount, $0.fetched, $0.versionLimits) = ([], 0, [], []) }
    }

    func before(_ hook: @escaping @Sendable (RecordBatch) async throws -> Void) {
        state.withLock { $0.beforeCommit = hook }
    }

    /// Calls the closure with the base before the first commit of callers' records.
    func beforeFirstChange(_ write: @escaping @Sendable (any RecordDatabase) async throws -> Void) {
        let isFirst = Locked(true)
        before { [base] batch in
            guard batch.changesRecordsOfCallers,
                isFirst.withLock({ first in
                    defer { first = false }
                    return first
                })
            else { return }
            try await write(base)
        }
    }

    /// Calls the closure with the type before versions are listed.
    func beforeVersions(_ hook: @escaping @Sendable (String) -> Void) { state.withLock { $0.beforeVersions = hook } }

    func after(_ hook: @escaping @Sendable (RecordBatch) async throws -> Void) {
        state.withLock { $0.afterCommit = hook }
    }

    /// Lets tokens of other databases expire for this reason.
    func expire(_ expiry: ChangeToken.Expiry) { state.withLock { $0.expiry = expiry } }

    func records(for ids: [Record.ID]) async throws -> [Record] {
        state.withLock { state in
            state.callCount += 1
            state.fetched += ids.filter { !$0.isReserved }
        }
        return try await base.records(for: ids)
    }

    func versions(ofType type: String, after name: String?, limit: Int) async throws -> [RecordBatch.VersionedID] {
        let hook = state.withLock { state in
            state.callCount += 1
            state.versionLimits.append(limit)
            return state.beforeVersions
        }
        hook(type)
        return try await base.versions(ofType: type, after: name, limit: limit)
    }

    func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        let (before, after) = state.withLock { state in
            state.callCount += 1
            state.batches.append(batch)
            return (state.beforeCommit, state.afterCommit)
        }
        try await before(batch)
        let saved = try await base.commit(batch)
        try await after(batch)
        return saved
    }

    var feed: (any RecordFeed)? { base.feed.map { Feed(base: $0, hooked: self) } }

    private struct Feed: RecordFeed {
        let base: any RecordFeed
        let hooked: HookedDatabase
        var database: any RecordDatabase { hooked }

        func changeToken() async throws -> ChangeToken {
            hooked.state.withLock { $0.callCount += 1 }
            return try await base.changeToken()
        }

        func storedChanges(since token: ChangeToken, limit: Int) async throws -> RecordChanges {
            let expiry = hooked.state.withLock { state in
                state.callCount += 1
                return state.expiry
            }
            do {
                return try await base.storedChanges(since: token, limit: limit)
            } catch let error as RecordDatabaseError where error.code == .changeTokenExpired {
                throw expiry.map { RecordDatabaseError(.changeTokenExpired, .expiry($0)) } ?? error
            }
        }

        func waitForChanges(after token: ChangeToken) async throws { try await base.waitForChanges(after: token) }
    }
}

extension InMemoryRecordDatabase {
    /// A copy of a database with all of its records, as a backup of it has them.
    static func copy(of database: some RecordDatabase) async throws -> InMemoryRecordDatabase {
        let copy = InMemoryRecordDatabase()
        var records: [Record] = []
        for try await record in database.records(ofType: nil, including: .system) { records.append(record) }
        try await copy.commit(RecordBatch(saving: records, savePolicy: .overwrite))
        return copy
    }
}

extension RecordDatabase {
    /// Saves fields over whatever version of a record.
    func put(_ name: String, _ fields: Record.Fields, type: String = "Card") async throws {
        let record = try Record(id: Record.ID(type: type, name: name), fields: fields)
        try await commit(RecordBatch(saving: [record], savePolicy: .overwrite))
    }

    func remove(_ name: String, type: String = "Card") async throws {
        try await commit(RecordBatch(deletingAnyVersionOf: [Record.ID(type: type, name: name)]))
    }

    func fields(_ name: String) async throws -> Record.Fields? {
        try await record(for: Record.ID(type: "Card", name: name))?.fields
    }
}
