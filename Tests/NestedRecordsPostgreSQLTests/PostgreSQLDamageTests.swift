#if PostgreSQL
import Foundation
import TestSupport
import Testing

@_spi(Engines) @testable import NestedRecords
@testable import NestedRecordsPostgreSQL

/// Rows that another program has changed.
@Suite(.enabled(if: TestServer.isThere, TestServer.reason), .timeLimit(.minutes(60)))
struct PostgreSQLDamageTests {
    private func record(_ name: String) throws -> Record {
        try Record(id: Record.ID(type: "Book", name: name), fields: ["a": 1])
    }

    /// Changes of rows by another program, and the ID of the damaged row; nil if it is none.
    static let damages: [(sql: String, id: String?)] = [
        ("UPDATE RECORDS SET name = '9' WHERE name = '1'", "Book/9"),
        ("UPDATE RECORDS SET type = 'Z' WHERE name = '1'", "Z/1"),
        ("UPDATE RECORDS SET body = (SELECT body FROM RECORDS WHERE name = '3') WHERE name = '1'", "Book/1"),
        ("UPDATE RECORDS SET body = '\\x00' WHERE name = '1'", "Book/1"),
        ("UPDATE RECORDS SET name = 'a' || chr(10) WHERE name = '1'", nil),
        ("UPDATE RECORDS SET name = E'\\'\\U00000301\\\\\\n' WHERE name = '1'", nil),
        ("UPDATE RECORDS SET type = 'A/''B' WHERE name = '1'", nil),
    ]

    @Test(TestServer.isOneServer) func lostKeysAreFoundAndAddedAsTheHintSays() async throws {
        try await withDatabase {
            $0.indexes = [FieldIndex("Book", by: "a"), FieldIndex("Book", by: "a", "b")]
        } _: { database in
            try await database.commit(
                RecordBatch(saving: try (1...3).map { try record("\($0)") }, savePolicy: .overwrite))
            #expect(try await database.verify().isEmpty)
            for damage in ["keys[2] = 'x'", "keys[1] = NULL", "keys = NULL"] {
                try await database.sql("UPDATE \(database.tables.records) SET \(damage) WHERE name = '2'")
                let found = try await database.verify()
                #expect(found.map(\.recordID?.description) == ["Book/2"], "\(damage)")
                let statement = try #require(found.first?.hint?.components(separatedBy: ": ").last)
                try await database.sql(statement)
                try await database.prepare()
                #expect(try await database.verify().isEmpty, "\(damage)")
                #expect(try await database.count(RecordQuery("Book", where: .compare("a", .equal, 1))) == 3)
            }
        }
    }

    @Test(TestServer.isOneServer, arguments: damages.indices, [SavePolicy?.none, .overwrite])
    func aDamagedRowIsAnErrorThatNamesItAndTheWayOut(_ number: Int, _ policy: SavePolicy?) async throws {
        let (sql, id) = Self.damages[number]
        try await withDatabase {
            // With it, a save looks at the version that it replaces if that was saved later.
            $0.indexes = [FieldIndex("Book", by: .modificationDate), FieldIndex("Z", by: .modificationDate)]
        } _: { database in
            let token = try await database.changeToken()
            try await database.commit(
                RecordBatch(
                    saving: try (1...3).map { number in
                        try Record(
                            id: Record.ID(type: "Book", name: "\(number)"),
                            fields: ["a": 1, "r": .reference(Record.Reference(to: Record.ID("Book/x")))])
                    }, savePolicy: .overwrite))
            try await database.sql(sql.replacing("RECORDS", with: database.tables.records))
            try await database.sql(
                """
                UPDATE \(database.tables.records) SET modified = 9e9,
                keys = CASE type WHEN 'Book' THEN ARRAY[$1] WHEN 'Z' THEN ARRAY[NULL, $1] END
                """, .text(SortKey(.date(Date(timeIntervalSinceReferenceDate: 9e9))).text))
            let type = id?.first == "Z" ? "Z" : "Book"
            var calls: [() async throws -> Void] = [
                { _ = try await database.allRecords() },
                { _ = try await database.changes(since: token, limit: 10) },
                { _ = try await database.danglingReferences() },
                { _ = try await database.referrers(of: [Record.ID("Book/x")]) },
            ]
            if id != nil || !sql.contains("A/") {
                calls += [
                    { for try await _ in database.records(ofType: type) {} },
                    { _ = try await database.page(RecordQuery(type)) },
                    { _ = try await database.count(RecordQuery(type, where: .compare("a", .equal, 1))) },
                ]
            }
            if type == "Book", id != nil {
                calls.append {
                    _ = try await database.page(RecordQuery("Book", order: [RecordOrder(.modificationDate)]))
                }
            }
            var hint = ""
            for call in calls {
                let failure = try #require(await expectFailure(.corrupt, call))
                #expect(failure.recordID?.description == id)
                hint = try #require(failure.hint)
                #expect(failure.description.contains(id ?? "no ID") && failure.description.hasSuffix(hint))
            }
            #expect(try await database.verify().map(\.recordID?.description) == [id])
            if let id = try id.map(Record.ID.init) {
                #expect(hint == "delete the record with a RecordBatch, or overwrite it")
                let saved = try Record(id: id, fields: ["a": 7])
                let batch =
                    policy.map { RecordBatch(saving: [saved], savePolicy: $0) }
                    ?? RecordBatch(deletingAnyVersionOf: [id])
                let metadata = try await database.commit(batch)
                #expect(try await database.records(for: [id]).map(\.fields["a"]) == (policy == nil ? [] : [7]))
                #expect(try await database.records(for: [id]).first?.metadata == metadata[id])
            } else {
                let start = try #require(hint.range(of: "DELETE")).lowerBound
                try await database.sql(String(hint[start...]))
            }
            #expect(try await database.verify().isEmpty)
            for call in calls { try await call() }
            #expect(try await database.allRecords().count == (id == nil || policy == nil ? 2 : 3))
        }
    }

    @Test func aDamagedRowIsNotReplacedByASaveOfAnotherVersion() async throws {
        try await withDatabase { database in
            let id = try record("1").id
            try await database.commit(RecordBatch(saving: [try record("1")], savePolicy: .overwrite))
            try await database.sql("UPDATE \(database.tables.records) SET body = '\\x00'")
            var known = try record("1")
            known.metadata = Record.Metadata(changeTag: "t", creationDate: Date(), modificationDate: Date())
            var batches = [
                RecordBatch(saving: [known]),
                RecordBatch(saving: [try record("1")], savePolicy: .ifUnchanged),
                RecordBatch(), RecordBatch(),
            ]
            batches[2].deletions = [RecordBatch.VersionedID(id, version: .changeTag("t"))]
            batches[3].conditions = [RecordBatch.VersionedID(id, version: .missing)]
            batches[3].saves = [try record("2")]
            for batch in batches {
                let failure = await expectFailure(.corrupt) { try await database.commit(batch) }
                #expect(failure?.recordID == id)
            }
            #expect(try await database.verify().map(\.recordID) == [id])
        }
    }

    @Test(TestServer.isOneServer) func everyDamagedRowIsFound() async throws {
        try await withDatabase { database in
            try await database.commit(
                RecordBatch(saving: try (1...2_000).map { try record("\($0)") }, savePolicy: .overwrite))
            try await database.commit(RecordBatch(deletingAnyVersionOf: [try record("6").id]))
            let table = database.tables.records
            try await database.sql("UPDATE \(table) SET body = '\\x00' WHERE name IN ('1', '1500')")
            try await database.sql("UPDATE \(table) SET type = '' WHERE name IN ('3', '6')")
            try await database.sql("UPDATE \(table) SET name = 'z' WHERE name = '2000'")
            let problems = try await database.verify()
            #expect(problems.map(\.recordID?.name) == [nil, nil, "1", "1500", "z"])
            #expect(problems[0].description.contains(#"the type "" and the name "3""#))
            #expect(problems[4].description.contains("Book/z"))
        }
    }

    @Test func aRowThatTheServerCannotReadEndsTheVerification() async throws {
        try await withDatabase { database in
            let names = (1...300).map { String(1_000 + $0) }
            try await database.commit(RecordBatch(saving: try names.map { try record($0) }, savePolicy: .overwrite))
            // As a row whose bytes are damaged on the disk.
            let table = database.tables.records
            let schema = database.options.schema.asIdentifier
            try await database.sql("ALTER TABLE \(table) RENAME TO rest")
            try await database.sql(
                """
                CREATE VIEW \(table) AS SELECT type, name, xid, tag, expected, created, modified,
                CASE WHEN name IN ('1001', '1150', '1151', '1300') THEN decode('z' || name, 'hex') ELSE body END AS body,
                keys, refs, fields FROM \(schema).rest
                """)
            await expectFailure(.refused) { _ = try await database.verify() }
            await expectFailure(.refused) { _ = try await database.allRecords() }
        }
    }
}
#endif
