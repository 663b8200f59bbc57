#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A database that keeps its records in memory, for tests, caches and previews.
public final class InMemoryRecordDatabase: RecordDatabase {
    /// The limit of a call, as it was chosen.
    public let limits: RecordDatabaseLimits

    /// Everything, and audiences.
    public var capabilities: RecordCapabilities { [.all, .audiences] }

    private struct State {
        var records = RecordLists()
        var lastTag: UInt64 = 0

        /// The number of batches that have changed something.
        var batchCount: UInt64 = 0

        /// The last batch that has changed other records than those that the library keeps for itself.
        var lastNews: UInt64 = 0

        /// Created for the first token and updated from then on: databases without observers save faster.
        var history: ChangeHistory?

        /// Created when there have been many look-ups, and updated from then on: databases with few save faster.
        var references: BackReferences?

        /// Created for the first declaration or the first token of a reader.
        var audiences: KeptAudiences?

        /// The number of look-ups that were passes over all records.
        var passCount = 0

        /// The records that refer to one of these, in no order.
        mutating func records(referringTo ids: [Record.ID]) -> [Record] {
            if references == nil {
                if passCount < InMemoryRecordDatabase.mostPasses {
                    passCount += 1
                    return records.referring(to: IDInterner(ids))
                }
                references = BackReferences(of: records.all)
            }
            return references?.referring(to: ids).compactMap { records[$0] } ?? []
        }

        mutating func save(_ record: Record) {
            if references != nil { references?.replace(records[record.id], by: record) }
            records.set(record, batch: batchCount, history: &history)
            if audiences != nil { audiences?.save(record, at: batchCount) }
        }

        mutating func delete(_ id: Record.ID, maximumDeletionCount: Int) {
            if references != nil { references?.replace(records[id], by: nil) }
            records.remove(
                id, batch: batchCount, history: &history, maximumDeletionCount: maximumDeletionCount)
            if audiences != nil { audiences?.delete(id, at: batchCount) }
        }

        /// Takes in the declarations of a batch, after its records.
        mutating func declare(_ declarations: [Record.ID], maximumDepartureCount: Int) {
            for id in declarations {
                var kept = audiences ?? KeptAudiences(maximumDepartureCount: maximumDepartureCount)
                audiences = nil
                kept.declare(
                    records[id].flatMap(RecordAudience.init), ofType: id.name, at: batchCount,
                    over: records.records(ofType: id.name))
                audiences = kept
            }
        }

        /// Follows the whole types of a view.
        mutating func follow(_ view: AudienceView, maximumDepartureCount: Int) {
            var kept = audiences ?? KeptAudiences(maximumDepartureCount: maximumDepartureCount)
            audiences = nil
            for type in kept.unfollowedTypes(of: view) {
                kept.follow(type, at: batchCount, over: records.records(ofType: type))
            }
            audiences = kept
        }

        /// A page of the changes of what a reader may see.
        func page(of view: AudienceView, since place: AudiencePlace, limit: Int) throws -> AudiencePage {
            guard let audiences else { throw RecordDatabaseError(.changeTokenExpired, .expiry(.otherStore)) }
            if let refusal = audiences.refusal(of: view, since: place.number) { throw RecordDatabaseError(refusal) }
            return try audiences.index.page(of: view, since: place, until: batchCount, limit: limit)
        }
    }

    /// The number of passes over all records that take a third of the time of making a table of their references.
    ///
    /// A deletion takes two passes, and one more for each level of records that are deleted with their owners.
    private static var mostPasses: Int { 8 }

    private let state = Lock(State())
    private let now: @Sendable () -> Date
    private let maximumDeletionCount: Int
    private let storeID = UUID().uuidString
    private let doorbell = Doorbell()
    private let chunks = MemoryAssetChunks()

    /// Makes an empty database.
    ///
    /// - Parameters:
    ///   - batchLimit: The maximum number of records in one call; no limit by default.
    ///   - maximumDeletionCount: The maximum number of deleted records to remember for
    ///     ``RecordFeed/changes(since:limit:including:)``. The history needs memory for these and for the existing records.
    ///   - now: The clock for the dates of the metadata.
    public init(
        batchLimit: Int = .max, maximumDeletionCount: Int = 100_000, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        limits = RecordDatabaseLimits(batchCount: batchLimit)
        self.maximumDeletionCount = maximumDeletionCount
        self.now = now
    }

    /// The contents of assets, in memory; nil if a batch has fewer than four records.
    public var assets: (any AssetStorage)? {
        batchLimit < StoredAssets.largestBatch ? nil : StoredAssets(self, chunks)
    }

    /// The existing records with these IDs, in their order.
    ///
    /// - Complexity: O(*n*) for *n* IDs.
    public func records(for ids: [Record.ID]) async throws -> [Record] {
        try checkCount(of: ids)
        return state.withLock { state in
            var found: [Record] = []
            found.reserveCapacity(ids.count)
            for id in ids {
                if let record = state.records[id] { found.append(record) }
            }
            return found
        }
    }

    /// Applies a batch: all of it, or nothing if an error is thrown.
    ///
    /// - Complexity: O(*n*) for *n* records and IDs; with ``RecordBatch/allowedReferrers`` also what ``referrers(of:)``
    ///   takes.
    @discardableResult
    public func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        try check(batch)
        return try await batch.withContents { try apply($0) }
    }

    /// Applies a batch without assets to a new database.
    func fill(with batch: RecordBatch) throws {
        try check(batch)
        _ = try apply(batch)
    }

    private func apply(_ batch: RecordBatch) throws -> [Record.ID: Record.Metadata] {
        let date = now()
        let (saved, isObserved) = try state.withLock { state in
            if !batch.allowedReferrers.isEmpty {
                let holders = state.records(referringTo: Array(batch.allowedReferrers.keys))
                try batch.checkReferrers(among: holders) { state.records[$0] }
            }
            var tag = state.lastTag
            let versions = try batch.newVersions(date: date) {
                tag += 1
                return String(tag, radix: 36)
            } over: {
                state.records[$0]
            }
            state.lastTag = tag
            var saved: [Record.ID: Record.Metadata] = [:]
            let hasChanges = !versions.isEmpty || batch.deletions.contains { state.records[$0.id] != nil }
            guard hasChanges else { return (saved, false) }
            state.batchCount += 1
            state.history?.beginBatch(state.batchCount)
            saved.reserveCapacity(versions.count)
            for version in versions {
                saved[version.id] = version.metadata
                state.save(version)
            }
            for deletion in batch.deletions {
                state.delete(deletion.id, maximumDeletionCount: maximumDeletionCount)
            }
            state.history?.endBatch()
            state.declare(batch.declarations, maximumDepartureCount: maximumDeletionCount)
            if batch.changesRecordsOfCallers { state.lastNews = state.batchCount }
            let isFollowed = state.history != nil || state.audiences != nil
            return (saved, isFollowed && state.lastNews == state.batchCount)
        }
        if isObserved { doorbell.ring() }
        return saved
    }

    /// All records, or all records of a type, as they are now, in the order of their IDs.
    public func storedRecords(ofType type: String?) -> RecordSequence {
        RecordSequence(reading: { [self] in
            let found = state.withLock { state in
                type.map { Array(state.records.records(ofType: $0)) } ?? Array(state.records.all)
            }
            return found.sorted { $0.id < $1.id }
        })
    }
}

// MARK: Queries

extension InMemoryRecordDatabase {
    /// Returns the records of a query, or its first page.
    ///
    /// - Complexity: O(*n* log *m*) for *n* records of the type and *m* records of the page.
    public func page(_ query: RecordQuery) async throws -> RecordPage {
        let (targets, examined) = try await targets(of: query.filter)
        var scan = try QueryScan(query, targets: targets)
        let records = state.withLock { $0.records.records(ofType: query.recordType) }
        try withExtendedLifetime(records) {
            let records = ElementsInPlace(records)
            for start in stride(from: 0, to: records.count, by: Self.pieceSize) {
                try Task.checkCancellation()
                scan.add(records, in: start..<min(start + Self.pieceSize, records.count))
            }
        }
        return scan.page(examinedElsewhere: examined)
    }

    /// The number of records between two checks for cancellation: a check takes as long as examining a record.
    private static var pieceSize: Int { 1_024 }

    /// Returns the number of records of a query, regardless of its order, limit and cursor.
    ///
    /// - Complexity: O(*n*) for *n* records of the type, O(1) without a filter.
    public func count(_ query: RecordQuery) async throws -> Int {
        if query.filter == nil { return state.withLock { $0.records.count(ofType: query.recordType) } }
        return try await page(RecordQuery(query.recordType, where: query.filter, limit: 0)).matchCount
    }

    /// Returns summaries of the records of a query.
    ///
    /// - Complexity: O(*n*) for *n* records of the type.
    public func summaries(
        of query: RecordQuery, field: FieldPath?, groupedBy group: RecordGrouping?
    ) async throws -> [RecordSummary] {
        let part = RecordFilterPart(query.filter, targets: try await targets(of: query.filter).ids)
        var scan = try RecordSummaryScan(part, of: field, groupedBy: group)
        for (number, record) in state.withLock({ $0.records.records(ofType: query.recordType) }).enumerated() {
            if number.isMultiple(of: Self.pieceSize) { try Task.checkCancellation() }
            try scan.add(record)
        }
        return scan.summaries
    }

    /// Returns the references to the given records, from all records in the order of their IDs.
    ///
    /// - Complexity: O(*m* log *m*) for *m* fields and list elements of the records that refer to the given ones; the
    ///   first calls are O(*n*) for *n* fields and list elements in the database.
    public func referrers(of ids: [Record.ID]) async throws -> [Record.ID: [RecordReferrer]] {
        let sought = Set(ids)
        var found: [Record.ID: [RecordReferrer]] = [:]
        let records = state.withLock { $0.records(referringTo: ids) }
        for record in records.sorted(by: { $0.id < $1.id }) { record.collectReferrers(to: sought, into: &found) }
        return found
    }
}

// MARK: Changes

extension InMemoryRecordDatabase: RecordFeed {
    /// Returns the current position in the history, which begins with the first record.
    ///
    /// - Complexity: O(1); the first call is O(*n* log *n*) for *n* records.
    public func changeToken() async throws -> ChangeToken { token { $0.position } }

    /// Returns the beginning of the history: before the first record, or after the last forgotten deletion.
    ///
    /// - Complexity: That of ``changeToken()``.
    public func oldestChangeToken() async throws -> ChangeToken { token { $0.purgedPosition } }

    private func token(at position: (ChangeHistory) -> UInt64) -> ChangeToken {
        state.withLock { state in
            let history =
                state.history
                ?? state.records.makeHistory(until: state.batchCount, maximumDeletionCount: maximumDeletionCount)
            state.history = history
            return ChangeToken(store: storeID, position: position(history))
        }
    }

    /// Returns the changes since a token.
    ///
    /// - Complexity: O(log *m* + *n*) for *m* changes in the history and *n* of them after the token.
    public func storedChanges(since token: ChangeToken, limit: Int) async throws -> RecordChanges {
        try state.withLock { state in
            let start = try token.place(in: storeID).position
            guard let history = state.history, start <= history.position else {
                throw RecordDatabaseError(.changeTokenExpired, .expiry(.otherStore))
            }
            guard let changes = history.changes(since: start, limit: limit) else {
                throw RecordDatabaseError(.changeTokenExpired, .expiry(.purged))
            }
            return RecordChanges(
                saved: changes.saved.compactMap { state.records[$0] }, deleted: changes.deleted,
                token: ChangeToken(store: storeID, position: changes.position), isComplete: changes.isComplete)
        }
    }

    /// Waits for a change after a token.
    public func waitForChanges(after token: ChangeToken) async throws {
        let start = try token.place(in: storeID).position
        try await doorbell.wait { state.withLock { $0.lastNews > start || $0.batchCount < start } }
    }
}

extension InMemoryRecordDatabase: AudienceFeed {
    package func changeToken(of view: AudienceView) async throws -> ChangeToken {
        try state.withLock { state in
            state.follow(view, maximumDepartureCount: maximumDeletionCount)
            if let refusal = state.audiences?.refusal(of: view, since: state.batchCount) {
                throw RecordDatabaseError(refusal)
            }
            return ChangeToken(store: storeID, position: state.batchCount)
        }
    }

    package func changes(
        of view: AudienceView, since token: AudienceToken, limit: Int
    ) async throws -> AudienceChanges {
        try state.withLock { state in
            let page = try state.page(of: view, since: place(of: token, in: state), limit: limit)
            return AudienceChanges(
                page, records: page.saved.compactMap { state.records[$0] },
                token: ChangeToken(store: storeID, position: page.place.number))
        }
    }

    package func waitForChanges(of view: AudienceView, after token: AudienceToken) async throws {
        var token = token
        while true {
            let count = doorbell.ringCount
            let page = try await changes(of: view, since: token, limit: 1)
            guard page.changes.isEmpty, page.changes.isComplete else { return }
            // The changes of strangers need not be passed again.
            token = page.token
            try await doorbell.wait { [doorbell] in doorbell.ringCount != count }
        }
    }

    private func place(of token: AudienceToken, in state: State) throws -> AudiencePlace {
        let number = try token.base.place(in: storeID).position
        guard number <= state.batchCount else {
            throw RecordDatabaseError(.changeTokenExpired, .expiry(.otherStore))
        }
        return AudiencePlace(number: number, listing: token.listing)
    }
}

extension InMemoryRecordDatabase: CustomStringConvertible {
    /// The number of records, and the batch limit if there is one.
    public var description: String {
        let count = state.withLock { $0.records.count }
        let limit = batchLimit == .max ? "" : ", at most \(batchLimit) in one call"
        return "InMemoryRecordDatabase with \(count.counted("record"))\(limit)"
    }
}

extension InMemoryRecordDatabase: ChildlessReflectable {}
