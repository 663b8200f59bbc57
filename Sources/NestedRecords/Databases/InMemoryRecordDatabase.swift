#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A database that keeps its records in memory, for tests, caches and previews.
public final class InMemoryRecordDatabase: RecordDatabase {
    /// The greatest number of records in one call; larger calls are rejected.
    public let batchLimit: Int

    private struct State {
        var records: [Record.ID: Record] = [:]
        var lastTag: UInt64 = 0

        /// Made for the first token, and kept up from then on: databases that nobody observes save faster.
        var history: ChangeHistory?
    }

    private let state = Lock(State())
    private let now: @Sendable () -> Date
    private let maximumDeletionCount: Int
    private let storeID = UUID().uuidString
    private let doorbell = Doorbell()

    /// Makes an empty database.
    ///
    /// - Parameters:
    ///   - batchLimit: The greatest number of records in one call; no limit by default.
    ///   - maximumDeletionCount: How many deleted records to remember at most for ``changes(since:limit:)``; about as many
    ///     are remembered.
    ///   - now: The clock for the dates of the metadata.
    public init(
        batchLimit: Int = .max, maximumDeletionCount: Int = 100_000, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.batchLimit = batchLimit
        self.maximumDeletionCount = maximumDeletionCount
        self.now = now
    }

    /// The records with these IDs.
    ///
    /// - Parameter ids: IDs.
    /// - Returns: The records that are there, in the order of the IDs.
    /// - Throws: ``RecordDatabaseError/batchTooLarge(count:limit:)``.
    /// - Complexity: O(*n*) for *n* IDs.
    public func records(for ids: [Record.ID]) async throws -> [Record] {
        guard ids.count <= batchLimit else {
            throw RecordDatabaseError.batchTooLarge(count: ids.count, limit: batchLimit)
        }
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
    /// - Parameter batch: The records to save and to delete, and the versions that others must have.
    /// - Returns: The new metadata of every saved record.
    /// - Throws: ``RecordDatabaseError``, and ``RecordError/invalidKey(_:reason:context:)`` for a field without a name.
    /// - Complexity: O(*n*) for *n* records and IDs.
    @discardableResult
    public func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        try check(batch)
        let date = now()
        let (saved, isObserved) = try state.withLock { state in
            var tag = state.lastTag
            let versions = try batch.newVersions(date: date) {
                tag += 1
                return String(tag, radix: 36)
            } over: {
                state.records[$0]
            }
            state.lastTag = tag
            var saved: [Record.ID: Record.Metadata] = [:]
            saved.reserveCapacity(versions.count)
            for version in versions {
                saved[version.id] = version.metadata
                state.records[version.id] = version
            }
            if state.history != nil {
                let deleted = batch.deletions.map(\.id).filter { state.records[$0] != nil }
                if !saved.isEmpty || !deleted.isEmpty {
                    state.history?.add(saved: versions.lazy.map(\.id), deleted: deleted)
                }
            }
            for deletion in batch.deletions { state.records[deletion.id] = nil }
            return (saved, state.history != nil)
        }
        if isObserved { doorbell.ring() }
        return saved
    }

    /// Every record, or every record of a type, as they are now.
    ///
    /// - Parameter type: The record type; nil for all.
    /// - Returns: The records in the order of their IDs.
    public func records(ofType type: String?) -> RecordSequence {
        RecordSequence { [self] in
            var rest = state.withLock { state in
                state.records.values.filter { type == nil || $0.id.type == type }.sorted { $0.id < $1.id }[...]
            }
            return { rest.popFirst() }
        }
    }
}

// MARK: Changes

extension InMemoryRecordDatabase: ObservableRecordDatabase {
    /// The present place in the history, which begins with the first call.
    ///
    /// - Returns: A token behind the last change.
    public func changeToken() async throws -> ChangeToken {
        state.withLock { state in
            let history = state.history ?? ChangeHistory(maximumDeletionCount: maximumDeletionCount)
            state.history = history
            return ChangeToken(store: storeID, position: history.position)
        }
    }

    /// What has changed since a token.
    ///
    /// - Parameters:
    ///   - token: The place behind what is known.
    ///   - limit: The number of records after which a page ends, with the batch that it is in.
    /// - Returns: The changes, and the place behind them.
    /// - Throws: ``RecordDatabaseError/changeTokenExpired(_:)``.
    /// - Complexity: O(log *m* + *n*) for *m* changes in the history and *n* of them behind the token.
    public func changes(since token: ChangeToken, limit: Int) async throws -> RecordChanges {
        try state.withLock { state in
            guard token.store == storeID, let history = state.history, token.position <= history.position else {
                throw RecordDatabaseError.changeTokenExpired(.otherStore)
            }
            guard let changes = history.changes(since: token.position, limit: limit) else {
                throw RecordDatabaseError.changeTokenExpired(.purged)
            }
            return RecordChanges(
                saved: changes.saved.compactMap { state.records[$0] }, deleted: changes.deleted,
                token: ChangeToken(store: storeID, position: changes.position), isComplete: changes.isComplete)
        }
    }

    /// Waits until something has changed since a token.
    ///
    /// - Parameter token: The place behind what is known.
    /// - Throws: ``RecordDatabaseError/changeTokenExpired(_:)``, and `CancellationError` if the task is cancelled.
    public func waitForChanges(after token: ChangeToken) async throws {
        guard token.store == storeID else { throw RecordDatabaseError.changeTokenExpired(.otherStore) }
        try await doorbell.wait { state.withLock { $0.history?.position != token.position } }
    }
}

extension InMemoryRecordDatabase: CustomStringConvertible {
    /// The number of records, and the limit of a batch if there is one.
    public var description: String {
        let count = state.withLock { $0.records.count }
        let limit = batchLimit == .max ? "" : ", at most \(batchLimit) in one call"
        return "InMemoryRecordDatabase with \(count.counted("record"))\(limit)"
    }
}

extension InMemoryRecordDatabase: CustomReflectable {
    /// No children: `dump` prints the description.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
