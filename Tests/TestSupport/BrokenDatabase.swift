import Foundation
package import NestedRecords

/// What a database changes.
package struct ModifyCall: Sendable {
    package var saves: [Record]
    package var deletes: [Record.ID]
    package var policy: SavePolicy
    package var conditions: [RecordBatch.VersionedID] = []
    package var allowedReferrers: [Record.ID: Set<Record.ID>] = [:]

    package var id: String?

    /// The versions of the records to delete that are not any.
    package var versions: [Record.ID: RecordBatch.Version] = [:]

    package init(_ batch: RecordBatch) {
        self.init(saves: batch.saves, deletes: batch.deletions.map(\.id), policy: batch.savePolicy)
        (conditions, allowedReferrers, id) = (batch.conditions, batch.allowedReferrers, batch.id)
        for deletion in batch.deletions where deletion.version != .any { versions[deletion.id] = deletion.version }
    }

    package init(saves: [Record], deletes: [Record.ID], policy: SavePolicy) {
        self.saves = saves
        self.deletes = deletes
        self.policy = policy
    }

    @discardableResult
    package func perform(in database: InMemoryRecordDatabase) async throws -> [Record.ID: Record.Metadata] {
        var batch = RecordBatch(saving: saves, savePolicy: policy)
        batch.deletions = deletes.map { RecordBatch.VersionedID($0, version: versions[$0] ?? .any) }
        (batch.conditions, batch.allowedReferrers, batch.id) = (conditions, allowedReferrers, id)
        return try await database.commit(batch)
    }
}

/// A database that works but for the closures that are replaced.
package struct BrokenDatabase: RecordDatabase, AudienceFeed {
    package typealias Base = InMemoryRecordDatabase

    package var base: Base
    package var limit: Int
    package var capabilities = RecordCapabilities.all
    package var fetch: @Sendable (Base, [Record.ID]) async throws -> [Record] = {
        try await $0.records(for: $1)
    }
    package var modify: @Sendable (Base, ModifyCall) async throws -> [Record.ID: Record.Metadata] = {
        try await $1.perform(in: $0)
    }
    package var listVersions: @Sendable (Base, String, String?, Int) async throws -> [RecordBatch.VersionedID] = {
        try await $0.versions(ofType: $1, after: $2, limit: $3)
    }
    package var list: @Sendable (Base, String?) -> RecordSequence = { $0.storedRecords(ofType: $1) }
    package var answer: @Sendable (Base, RecordQuery) async throws -> RecordPage = { try await $0.page($1) }
    package var count: @Sendable (Base, RecordQuery) async throws -> Int = { try await $0.count($1) }
    package var summarize: @Sendable (Base, RecordQuery, FieldPath?, RecordGrouping?) async throws -> [RecordSummary] =
        {
            try await $0.summaries(of: $1, field: $2, groupedBy: $3)
        }
    package var refer: @Sendable (Base, [Record.ID]) async throws -> [Record.ID: [RecordReferrer]] = {
        try await $0.referrers(of: $1)
    }

    package var feed: @Sendable (Base, ChangeToken, Int) async throws -> RecordChanges = {
        try await $0.storedChanges(since: $1, limit: $2)
    }
    package var findOutcome: @Sendable (Base, String) async throws -> [Record.ID: Record.Metadata]? = {
        try await $0.outcome(of: $1)
    }
    package var oldest: @Sendable (Base) async throws -> ChangeToken = { try await $0.oldestChangeToken() }
    package var wait: @Sendable (Base, ChangeToken) async throws -> Void = { try await $0.waitForChanges(after: $1) }

    package var readerToken: @Sendable (Base, AudienceView) async throws -> ChangeToken = {
        try await $0.changeToken(of: $1)
    }
    package var followReader: @Sendable (Base, AudienceView, AudienceToken, Int) async throws -> AudienceChanges = {
        try await $0.changes(of: $1, since: $2, limit: $3)
    }
    package var waitForReader: @Sendable (Base, AudienceView, AudienceToken) async throws -> Void = {
        try await $0.waitForChanges(of: $1, after: $2)
    }

    /// The storage of assets, made of that of the base; none by default.
    package var storage: @Sendable (any AssetStorage) -> (any AssetStorage)? = { _ in nil }

    /// What becomes of the database when it is closed and opened again.
    package var reopen: @Sendable (BrokenDatabase) -> BrokenDatabase = { $0 }

    package init(
        base: Base = InMemoryRecordDatabase(now: TickingClock().now), limit: Int = .max,
        fetch: (@Sendable (Base, [Record.ID]) async throws -> [Record])? = nil,
        modify: (@Sendable (Base, ModifyCall) async throws -> [Record.ID: Record.Metadata])? = nil,
        list: (@Sendable (Base, String?) -> RecordSequence)? = nil,
        answer: (@Sendable (Base, RecordQuery) async throws -> RecordPage)? = nil
    ) {
        self.base = base
        self.limit = limit
        if let fetch { self.fetch = fetch }
        if let modify { self.modify = modify }
        if let list { self.list = list }
        if let answer { self.answer = answer }
    }

    package var limits: RecordDatabaseLimits { RecordDatabaseLimits(batchCount: limit) }

    package var assets: (any AssetStorage)? { base.assets.flatMap(storage) }

    package func records(for ids: [Record.ID]) async throws -> [Record] { try await fetch(base, ids) }

    package func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        var call = ModifyCall(batch)
        if capabilities.contains(.outcomes) { call.id = nil }
        return try await modify(base, call)
    }

    package func storedRecords(ofType type: String?) -> RecordSequence { list(base, type) }

    package func versions(
        ofType type: String, after name: String?, limit: Int
    ) async throws -> [RecordBatch.VersionedID] {
        try await listVersions(base, type, name, limit)
    }

    package func page(_ query: RecordQuery) async throws -> RecordPage { try await answer(base, query) }

    package func count(_ query: RecordQuery) async throws -> Int { try await count(base, query) }

    package func summaries(
        of query: RecordQuery, field: FieldPath?, groupedBy group: RecordGrouping?
    ) async throws -> [RecordSummary] {
        try await summarize(base, query, field, group)
    }

    package func referrers(of ids: [Record.ID]) async throws -> [Record.ID: [RecordReferrer]] {
        try await refer(base, ids)
    }

    package func outcome(of id: String) async throws -> [Record.ID: Record.Metadata]? {
        try await findOutcome(base, id)
    }

    package func changeToken() async throws -> ChangeToken { try await base.changeToken() }

    package func oldestChangeToken() async throws -> ChangeToken { try await oldest(base) }

    package func storedChanges(since token: ChangeToken, limit: Int) async throws -> RecordChanges {
        try await feed(base, token, limit)
    }

    package func waitForChanges(after token: ChangeToken) async throws { try await wait(base, token) }

    package func changeToken(of view: AudienceView) async throws -> ChangeToken { try await readerToken(base, view) }

    package func changes(
        of view: AudienceView, since token: AudienceToken, limit: Int
    ) async throws -> AudienceChanges {
        try await followReader(base, view, token, limit)
    }

    package func waitForChanges(of view: AudienceView, after token: AudienceToken) async throws {
        try await waitForReader(base, view, token)
    }
}

extension BrokenDatabase {
    /// Keeps something else than the saved records.
    package static func distorting(_ distort: @escaping @Sendable (inout Record) throws -> Void) -> Self {
        BrokenDatabase(modify: { base, call in
            var call = call
            for index in call.saves.indices { try distort(&call.saves[index]) }
            return try await call.perform(in: base)
        })
    }

    /// Keeps other values in fields than the saved ones.
    package static func distorting(values distort: @escaping @Sendable (Record.Value) throws -> Record.Value?) -> Self {
        distorting { (record: inout Record) in
            for (name, value) in record.fields { record[name] = try distort(value) }
        }
    }

    /// Shows other metadata than the right ones, the same to who saves and to who fetches.
    package static func showing(_ change: @escaping @Sendable (inout Record.Metadata, Record) -> Void) -> Self {
        BrokenDatabase(
            fetch: { base, ids in
                try await base.records(for: ids).map { record in
                    var changed = record
                    if var metadata = record.metadata {
                        change(&metadata, record)
                        changed.metadata = metadata
                    }
                    return changed
                }
            },
            modify: { base, call in
                var answer = try await ModifyCall(saves: call.saves, deletes: call.deletes, policy: .overwrite)
                    .perform(in: base)
                for record in call.saves {
                    guard var metadata = answer[record.id] else { continue }
                    change(&metadata, record)
                    answer[record.id] = metadata
                }
                return answer
            })
    }

    /// Takes records whose IDs give the same key for one.
    package static func findingRecords<Key: Hashable & Sendable>(
        by key: @escaping @Sendable (Record.ID) -> Key
    ) -> Self {
        BrokenDatabase(fetch: { base, ids in
            var all: [Key: Record] = [:]
            for try await record in base.records(ofType: nil) { all[key(record.id)] = record }
            return ids.compactMap { all[key($0)] }
        })
    }
}

extension RecordSequence {
    /// The records of a database, changed together.
    package static func changing(
        _ base: InMemoryRecordDatabase, _ type: String?, _ change: @escaping @Sendable ([Record]) throws -> [Record]
    ) -> RecordSequence {
        RecordSequence(reading: {
            var all: [Record] = []
            for try await record in base.records(ofType: type) { all.append(record) }
            return try change(all)
        })
    }
}

/// What a broken database throws.
package struct Malfunction: Error {
    package init() {}
}
