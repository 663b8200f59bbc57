import NestedRecords
import TestSupport
import Testing

@Suite struct PageCallTests {
    private struct City: RecordCodable, Identifiable {
        var id: Int
    }

    private struct Author: RecordCodable, Identifiable {
        var id: Int
        var home: City
    }

    private struct Book: RecordCodable, Identifiable {
        var id: Int
        var title: String
        var authors: [Author]
    }

    /// Counts the calls that fetch or find records.
    private struct CountedDatabase: RecordDatabase {
        let base: InMemoryRecordDatabase
        let calls = Locked(0)

        func records(for ids: [Record.ID]) async throws -> [Record] {
            calls.withLock { $0 += 1 }
            return try await base.records(for: ids)
        }

        func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] { try await base.commit(batch) }

        func records(ofType type: String?) -> RecordSequence {
            calls.withLock { $0 += 1 }
            return base.records(ofType: type)
        }

        func page(_ query: RecordQuery) async throws -> RecordPage {
            calls.withLock { $0 += 1 }
            return try await base.page(query)
        }
    }

    @Test func pageOfNestedValuesTakesOneCallAndOneForEachLevel() async throws {
        let database = CountedDatabase(base: InMemoryRecordDatabase())
        let books = (0..<1_000).map { number in
            Book(
                id: number, title: "\(number % 100)",
                authors: (0..<3).map { Author(id: number + $0, home: City(id: (number + $0) % 50)) })
        }
        try await database.save(books)
        let query = Query<Book>().filter(\.title >= "5").sorted(by: \.title).limit(20)
        // The first time teaches which fields lead to records.
        _ = try await database.page(query)
        database.calls.withLock { $0 = 0 }
        let page = try await database.page(query)
        #expect(page.values.count == 20 && page.values.allSatisfy { $0.authors.count == 3 })
        // Books; their authors; the cities of these.
        #expect(database.calls.withLock { $0 } == 3)
    }

    @Test(arguments: [nil, 250]) func pagesOfValuesWithoutALimitGrow(_ limit: Int?) async throws {
        let database = CountedDatabase(base: InMemoryRecordDatabase())
        try await database.base.save((0..<1_000).map { City(id: $0) })
        var ids: [Int] = []
        for try await city in database.values(Query<City>().sorted(by: \.id).limit(limit)) { ids.append(city.id) }
        #expect(ids == Array(0..<1_000))
        // Of 100, 200, 400 and 300 values, or four of 250.
        #expect(database.calls.withLock { $0 } == 4)
    }
}
