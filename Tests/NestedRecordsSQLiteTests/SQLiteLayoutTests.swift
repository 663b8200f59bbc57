#if SQLite
import Foundation
@_spi(Engines) @testable import NestedRecords
import TestSupport
import Testing

@testable import NestedRecordsSQLite

/// What the tables hold, seen with plain `sqlite3`, which knows nothing of the library.
@Suite struct SQLiteLayoutTests: SQLiteSuite {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func sqlite3(_ sql: String) throws -> String { try Article.output(of: "sqlite3", [path, sql]) }

    @Test func filesOfTheOlderLayoutAreRefusedWithAdvice() async throws {
        try await open().close()
        try run("PRAGMA user_version = 2")
        let failure = #expect(throws: RecordDatabaseError.self) { try open() }
        #expect(failure?.code == .unsupportedVersion && failure?.hint != nil)
        #expect("\(failure, default: "")".contains("version 2,"))
    }

    @Test func sqliteChecksTheWholeFile() async throws {
        let database = try open { $0.indexes = [FieldIndex("A", by: "n")] }
        let records = try SampleRecords.all() + [Flat.record("A/1", ["n": 1, "r": Flat.reference("B/1")])]
        try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
        #expect(try sqlite3("PRAGMA integrity_check").contains("ok"))
        #expect(try await database.verify().isEmpty)
    }

    @Test func referrersHaveAllReferencesInTheOrderOfTheFields() async throws {
        let database = try open()
        let target = try Record.ID("B/missing")
        let fields: Record.Fields = [
            "owner": .reference(Record.Reference(to: target, action: .deleteSelf)),
            "list": [try Flat.reference("B/missing"), 1, .reference(Record.Reference(to: target, isLink: true))],
            "map": ["a": [["b": try Flat.reference("B/missing")]]], "x[7]": try Flat.reference("B/missing"),
            "y[07]": try Flat.reference("B/missing"),
        ]
        let record = try Flat.record("A/1", fields)
        try await database.commit(RecordBatch(saving: [record], savePolicy: .overwrite))
        var expected: [Record.ID: [RecordReferrer]] = [:]
        record.collectReferrers(to: [target], into: &expected)
        #expect(expected[target]?.count == 6)
        #expect(try await database.referrers(of: [target]) == expected)
        #expect(try await database.allRecords.count == 1)
        // Nothing is left of a target that nothing names.
        try await database.commit(RecordBatch(saving: [try Flat.record("A/1")], savePolicy: .overwrite))
        #expect(try await database.referrers(of: [target]).isEmpty)
        #expect(try sqlite3("SELECT count(*) FROM records").hasPrefix("1"))
        #expect(try await database.verify().isEmpty)
    }

    @Test func countersAreExactAfterEachChange() async throws {
        let database = try open { $0.maximumDeletionCount = 1 }
        func expectCount(_ count: Int) async throws {
            #expect(try await database.count(RecordQuery("A")) == count)
            #expect(try await database.recordCounts()["A"] ?? 0 == count)
            #expect(try await database.verify().isEmpty)
        }
        let records = try (1...4).map { try Flat.record("A/\($0)", ["r": Flat.reference("A/\($0 % 4 + 1)")]) }
        try await database.commit(RecordBatch(saving: records))
        try await expectCount(4)
        await #expect(throws: RecordDatabaseError.self) {
            try await database.commit(RecordBatch(saving: [Flat.record("A/9"), records[0]]))
        }
        try await expectCount(4)
        try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
        try await expectCount(4)
        try await database.commit(RecordBatch(deletingAnyVersionOf: records[..<3].map(\.id)))
        try await expectCount(1)
        try await database.commit(RecordBatch(saving: [records[0]]))
        try await expectCount(2)
    }

    @Test func tagsAndDatesOutliveTheHistory() async throws {
        let database = try open { $0.maximumDeletionCount = 0 }
        let old = try Flat.record("A/old")
        try await database.commit(RecordBatch(saving: [old]))
        let saved = try await database.record(for: old.id)
        for number in 1...8 {
            let record = try Flat.record("A/\(number)")
            try await database.commit(RecordBatch(saving: [record]))
            try await database.commit(RecordBatch(deletingAnyVersionOf: [record.id]))
        }
        #expect(try await database.record(for: old.id) == saved && saved?.metadata != nil)
        try await database.commit(RecordBatch(deletingAnyVersionOf: [old.id]))
        #expect(try await database.verify().isEmpty)
    }

    @Test(arguments: [
        "UPDATE batches SET mark = mark + 1 WHERE number = 1", "DELETE FROM batches WHERE number = 1",
        "UPDATE records SET batch = 0 WHERE name = '1'", "UPDATE types SET name = 'B' WHERE name = 'A'",
        "UPDATE shapes SET names = CAST(replace(CAST(names AS TEXT), 'n', 'm') AS BLOB)",
        "UPDATE records SET number = 77 WHERE number = 1",
    ]) func damagedTagsTypesAndNamesAreFoundByReading(_ sql: String) async throws {
        let database = try open()
        let record = try Flat.record("A/1", ["n": 1])
        try await database.commit(RecordBatch(saving: [record]))
        try await database.commit(RecordBatch(saving: [try Flat.record("C/1")]))
        try await database.close()
        try run(sql)
        let reopened = try open()
        #expect(try await !reopened.verify().isEmpty)
        await #expect(throws: RecordDatabaseError.self) {
            for try await _ in reopened.records(ofType: nil) {}
        }
    }

    @Test func namesThatNeverRepeatStayInTheBodies() async throws {
        let database = try open()
        let name = String(repeating: "n", count: 3_000)
        let record = try Flat.record("A/1", [name: 1])
        try await database.commit(RecordBatch(saving: [record]))
        #expect(try await database.record(for: record.id)?.fields == record.fields)
        #expect(try sqlite3("SELECT count(*) FROM shapes").hasPrefix("0"))
    }
}
#endif
