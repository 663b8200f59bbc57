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
    }

    private let state = Lock(State())
    private let now: @Sendable () -> Date

    /// Makes an empty database.
    ///
    /// - Parameters:
    ///   - batchLimit: The greatest number of records in one call; no limit by default.
    ///   - now: The clock for the dates of the metadata.
    public init(batchLimit: Int = .max, now: @escaping @Sendable () -> Date = { Date() }) {
        self.batchLimit = batchLimit
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
        return try state.withLock { state in
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
            for deletion in batch.deletions { state.records[deletion.id] = nil }
            return saved
        }
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
