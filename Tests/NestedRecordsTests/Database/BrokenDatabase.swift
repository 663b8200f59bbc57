import Foundation
import NestedRecords

/// What a database is told to change.
struct ModifyCall: Sendable {
    var saves: [Record]
    var deletes: [Record.ID]
    var policy: SavePolicy

    @discardableResult
    func perform(in database: InMemoryRecordDatabase) async throws -> [Record.ID: Record.Metadata] {
        try await database.modifyRecords(saving: saves, deleting: deletes, savePolicy: policy)
    }
}

/// A database that works but for the closures that are replaced.
struct BrokenDatabase: RecordDatabase {
    typealias Base = InMemoryRecordDatabase

    var base = InMemoryRecordDatabase(now: TickingClock().now)
    var limit = Int.max
    var fetch: @Sendable (Base, [Record.ID]) async throws -> [Record.ID: Record] = { try await $0.records(for: $1) }
    var modify: @Sendable (Base, ModifyCall) async throws -> [Record.ID: Record.Metadata] = {
        try await $1.perform(in: $0)
    }
    var list: @Sendable (Base, String?) -> RecordSequence = { $0.records(ofType: $1) }

    var batchLimit: Int { limit }

    func records(for ids: [Record.ID]) async throws -> [Record.ID: Record] { try await fetch(base, ids) }

    func modifyRecords(
        saving records: [Record], deleting ids: [Record.ID], savePolicy: SavePolicy
    ) async throws -> [Record.ID: Record.Metadata] {
        try await modify(base, ModifyCall(saves: records, deletes: ids, policy: savePolicy))
    }

    func records(ofType type: String?) -> RecordSequence { list(base, type) }
}

extension BrokenDatabase {
    /// Keeps something else than the records that it is told to save.
    static func distorting(_ distort: @escaping @Sendable (inout Record) throws -> Void) -> Self {
        BrokenDatabase(modify: { base, call in
            var call = call
            for index in call.saves.indices { try distort(&call.saves[index]) }
            return try await call.perform(in: base)
        })
    }

    /// Keeps other values in fields than it is told to.
    static func distorting(values distort: @escaping @Sendable (Record.Value) throws -> Record.Value?) -> Self {
        distorting { (record: inout Record) in
            for (name, value) in record.fields { record[name] = try distort(value) }
        }
    }

    /// Shows other metadata than the right ones, the same to who saves and to who fetches.
    static func showing(_ change: @escaping @Sendable (inout Record.Metadata, Record) -> Void) -> Self {
        BrokenDatabase(
            fetch: { base, ids in
                try await base.records(for: ids).mapValues { record in
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
    static func findingRecords<Key: Hashable & Sendable>(
        by key: @escaping @Sendable (Record.ID) -> Key
    ) -> Self {
        BrokenDatabase(fetch: { base, ids in
            var all: [Key: Record] = [:]
            for try await record in base.records(ofType: nil) { all[key(record.id)] = record }
            return Dictionary(uniqueKeysWithValues: ids.compactMap { id in all[key(id)].map { (id, $0) } })
        })
    }
}

/// A clock on which every look takes a second, so that tests do not depend on how fast they run.
final class TickingClock: Sendable {
    private let ticks = Locked(0.0)

    @Sendable func now() -> Date {
        Date(
            timeIntervalSinceReferenceDate: ticks.withLock { ticks in
                ticks += 1
                return ticks
            })
    }
}
