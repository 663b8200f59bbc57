import Counting
import Dispatch
import Models
import NestedRecords
import Synchronization

extension GrowthCase {
    static let all = [
        GrowthCase("set fields by name", count: 1_000) { count in
            let names = (0..<count).map { "name\($0)" }
            return Work {
                var fields = Record.Fields()
                for name in names { fields[name] = .null }
                for name in names { fields[name] = .bool(true) }
                return fields
            }
        },
        GrowthCase("set fields of a record", count: 1_000) { count in
            let names = (0..<count).map { "name\($0)" }
            let id = try Record.ID("Record/1")
            return Work {
                var record = try Record(id: id)
                for name in names { record[name] = .int(1) }
                return record
            }
        },
        GrowthCase("compare levels of shared values", count: 2) { count in
            let value = (0..<count).reduce(Record.Value.list([.int(1)])) { value, _ in .list([value, value]) }
            return Work { [copy = value] in value == copy }
        },
        GrowthCase("compare records", count: 500) { count in
            let (old, new) = (try records(count, of: 10, 0), try records(count, of: 10, 1))
            return Work { new.difference(from: old) }
        },
        GrowthCase("compare fields of a record", count: 1_000) { count in
            let (old, new) = (try records(1, of: count, 0), try records(1, of: count, 1))
            return Work { new.difference(from: old) }
        },
        GrowthCase("encode nested containers", count: 500) { count in
            let (table, encoder) = (Table(rows: count), RecordEncoder())
            return Work { try encoder.encode(table) }
        },
        GrowthCase("drop references", count: 500) { count in
            let targets = try (0..<count).map { Record.Reference(to: try Record.ID("Wide/\($0)")) }
            let root = try Record(id: Record.ID("Shelf/root"), fields: ["items": .list(targets.map { .reference($0) })])
            let graph = try RecordGraph([root])
            var decoder = RecordDecoder()
            decoder.coding.omitsDanglingReferences = true
            return Work { [decoder] in try decoder.resolve(Shelf.self, from: graph) }
        },
        GrowthCase("forget deletions", count: 500) { count in
            let records = try (0..<count).map { try Record(id: Record.ID("Record/\($0)")) }
            return Work {
                try wait(for: {
                    let database = InMemoryRecordDatabase(maximumDeletionCount: 1)
                    try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
                    for record in records { try await database.commit(RecordBatch(deletingAnyVersionOf: [record.id])) }
                })
            }
        },
    ]

    private static func records(_ count: Int, of fieldCount: Int, _ value: Int) throws -> RecordGraph {
        let fields = Record.Fields((0..<fieldCount).map { ("field \($0)", .int(Int64($0 + value))) })
        return try RecordGraph((0..<count).map { try Record(id: Record.ID("Record/\($0)"), fields: fields) })
    }

    /// Blocks the thread until asynchronous work has ended.
    private static func wait(for body: @escaping @Sendable () async throws -> Void) throws {
        let hasEnded = DispatchSemaphore(value: 0)
        let failure = Mutex<(any Error)?>(nil)
        Task.detached {
            do { try await body() } catch { failure.withLock { $0 = error } }
            hasEnded.signal()
        }
        hasEnded.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}

private struct Shelf: RecordDecodable {
    var recordName: String { "root" }
    var items: [Wide]
}
