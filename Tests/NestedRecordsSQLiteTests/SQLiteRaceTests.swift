#if SQLite
import Foundation
import NestedRecords
import TestSupport
import Testing

@testable import NestedRecordsSQLite

/// Pages for which one index has the records of the filter, and another one the order.
@Suite struct SQLiteRaceTests {
    private let folder: TemporaryFolder
    private let database: SQLiteRecordDatabase

    /// 600 records of a type, of 5 kinds, whose values in the orders have up to 10 records each.
    init() async throws {
        folder = try TemporaryFolder()
        var options = SQLiteRecordDatabase.Options()
        options.indexes = ["kind", "related", "unrelated"].map { FieldIndex("T", by: FieldPath([$0])) }
        options.durability = .relaxed
        database = try SQLiteRecordDatabase(path: folder.path("test.sqlite"), options: options)
        let bounds = [0, 3, 13, 93, 300, 600]
        let records = try (0..<600).map { number in
            let kind = bounds.firstIndex { number < $0 }.map { $0 - 1 } ?? 0
            return try Flat.record(
                "T/\(number * 7_919 % 600)",
                [
                    "kind": .int(Int64(kind)), "related": .int(Int64(number / 3)),
                    "unrelated": .int(Int64(number * 7_907 % 600 / 10)),
                ])
        }
        try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
        // The rows of deleted records stay, among the names.
        let deleted = try (0..<160).map { try Flat.record("T/\($0)d", ["kind": 3]) }
        let ids = deleted.map(\.id)
        try await database.commit(RecordBatch(saving: deleted, savePolicy: .overwrite))
        try await database.commit(RecordBatch(deletingAnyVersionOf: ids, savePolicy: .overwrite))
    }

    @Test(arguments: ["related", "unrelated", "@name"], [false, true])
    func pagesAreThoseOfAScan(_ order: String, _ isDescending: Bool) async throws {
        let path = order == "@name" ? FieldPath.recordName : FieldPath([order])
        let scanned = ScannedDatabase(database)
        for kind in 0..<5 {
            for filter in [
                RecordFilter.compare("kind", .equal, .int(Int64(kind))),
                .isAny("kind", of: [.int(Int64(kind)), .int(1)]),
                .compare("kind", .equal, .int(Int64(kind))) && .compare("related", .greater, 50),
            ] {
                for limit in [1, 12, 40] {
                    var query = RecordQuery(
                        "T", where: filter, order: [RecordOrder(path, isDescending: isDescending)], limit: limit)
                    for _ in 0..<2 {
                        let page = try await database.page(query)
                        let expected = try await scanned.page(query)
                        #expect(page.records == expected.records && page.next == expected.next, "\(query)")
                        guard let next = expected.next else { break }
                        query.after = next
                    }
                }
            }
        }
    }

    @Test func aPageInTheMiddleOfTheOrderReadsFewRecords() async throws {
        func examinedCount(_ kind: Int, _ order: String, _ limit: Int) async throws -> Int {
            try await database.page(
                RecordQuery(
                    "T", where: .compare("kind", .equal, .int(Int64(kind))), order: [RecordOrder(FieldPath([order]))],
                    limit: limit)
            ).examinedCount
        }
        // All three selected records.
        #expect(try await examinedCount(0, "unrelated", 10) == 3)
        // In the order alone.
        #expect(try await examinedCount(4, "unrelated", 10) < 60)
        // The 80 selected records come after 13 others, the 207 after 93 others.
        #expect(try await examinedCount(2, "related", 10) < 60)
        #expect(try await examinedCount(3, "related", 1) < 120)
        // The 300 selected records come last.
        #expect(try await examinedCount(4, "related", 10) < 400)
    }
}
#endif
