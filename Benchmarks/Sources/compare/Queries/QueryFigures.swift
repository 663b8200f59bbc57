import Foundation
import NestedRecords
import NestedRecordsFile
import Synchronization

extension QueryComparison {
    /// The calls for a page of nested values.
    func addCalls(to section: inout Section) async throws {
        let count = isQuick ? 1_000 : 100_000
        let database = CalledDatabase(base: InMemoryRecordDatabase())
        for start in stride(from: 0, to: count, by: 1_000) {
            try await RecordStore(database).overwrite((start..<start + 1_000).map { QueryBook($0) })
        }
        let query = RecordStore(database).query(QueryBook.self).filter { $0.title >= "5" }.sorted { $0.title }.limit(20)
        // The first call learns which fields lead to records.
        _ = try await query.page()
        database.calls.withLock { $0 = 0 }
        let page = try await query.page()
        guard page.values.count == 20 else { throw SQLiteFailure(message: "a page is too short") }
        section.add(
            "calls for a page of 20 of \(count) values, nested two levels deep",
            Double(database.calls.withLock { $0 }), "", atMost: 3)
    }

    /// The memory that a sorted page takes, in a process of its own.
    func addMemory(to section: inout Section) async throws {
        for (count, limit) in [(100_000, 20), (1_000_000, 20), (1_000_000, 20_000)] {
            let count = isQuick ? count / 20 : count
            let page = try await SortedPage.run(count: count, limit: limit)
            section.add("memory of a sorted page of \(limit) of \(count)", page.memory / 1e6, "MB")
        }
    }
}

/// A record for a page of nested values: a book with three authors, who have homes.
private struct QueryBook: RecordCodable, Identifiable {
    struct Author: RecordCodable, Identifiable {
        var id: Int
        var home: Home
    }

    struct Home: RecordCodable, Identifiable {
        var id: Int
    }

    var id: Int
    var title: String
    var authors: [Author]

    init(_ number: Int) {
        id = number
        title = "\(number % 1_000)"
        authors = (0..<3).map { Author(id: (number + $0) % 5_000, home: Home(id: (number + $0) % 100)) }
    }
}

/// Counts the calls that find or fetch records.
private struct CalledDatabase: RecordDatabase {
    let base: InMemoryRecordDatabase
    let calls = Calls()

    final class Calls: Sendable {
        private let count = Mutex(0)

        func withLock<Result: Sendable>(_ body: (inout Int) -> sending Result) -> Result {
            count.withLock { body(&$0) }
        }
    }

    func records(for ids: [Record.ID]) async throws -> [Record] {
        calls.withLock { $0 += 1 }
        return try await base.records(for: ids)
    }

    func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] { try await base.commit(batch) }

    func storedRecords(ofType type: String?) -> RecordSequence {
        calls.withLock { $0 += 1 }
        return base.storedRecords(ofType: type)
    }

    func page(_ query: RecordQuery) async throws -> RecordPage {
        calls.withLock { $0 += 1 }
        return try await base.page(query)
    }
}

/// A sorted page in a process of its own.
struct SortedPage: Codable {
    static let command = "sorted-page"

    /// The bytes of memory that the page took beyond those of the open file.
    var memory: Double

    static func run(count: Int, limit: Int) async throws -> SortedPage {
        let folder = try TemporaryFolder.make()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "sorted.records").path
        let database = try FileRecordDatabase(path: path)
        var random = RandomNumbers(seed: 5)
        for start in stride(from: 0, to: count, by: 5_000) {
            let records = try (start..<start + 5_000).map { number in
                try Record(
                    id: Record.ID(type: "Item", name: "\(number)"),
                    fields: [
                        "count": .int(Int64(random.next() % 1_000_000)), "name": .string("Name of \(number)"),
                        "price": .double(Double(random.next() % 10_000)),
                    ])
            }
            try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
        }
        try await database.close()
        return try ChildProcess.answer(command, path, String(limit))
    }

    /// The work of the process.
    init(in arguments: [String]) async throws {
        guard arguments.count == 2, let limit = Int(arguments[1]) else {
            throw SQLiteFailure(message: "sorted-page PATH LIMIT")
        }
        let database = try FileRecordDatabase(path: arguments[0])
        // A page of one record first, so that one-time allocations do not count.
        _ = try await database.page(RecordQuery("None", limit: 1))
        let before = ProcessMemory.figure("VmRSS")
        let query = RecordQuery("Item", order: [RecordOrder("count", isDescending: true)], limit: limit)
        guard try await database.page(query).records.count == limit else {
            throw SQLiteFailure(message: "a page is too short")
        }
        memory = ProcessMemory.figure("VmHWM") - before
        try await database.close()
    }
}
