#if PostgreSQL
import Foundation
@_spi(Engines) import NestedRecords
import TestSupport
import Testing

@testable import NestedRecordsPostgreSQL

/// The column with the fields as JSON, read by programs that know nothing of the library.
@Suite(.enabled(if: TestServer.isThere, TestServer.reason)) struct PostgreSQLFieldsTests {
    private func save(_ fields: [String: Record.Fields], to database: PostgreSQLRecordDatabase) async throws {
        let records = try fields.sorted { $0.key < $1.key }.map { try Flat.record($0.key, $0.value) }
        try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
    }

    private func texts(_ expression: String, in database: PostgreSQLRecordDatabase) async throws -> [String?] {
        let rows = try await database.sql("SELECT (\(expression))::text FROM \(database.tables.records) ORDER BY name")
        return (0..<rows.count).map { rows.text($0, 0) }
    }

    @Test func everyRecordHasJSONThatTheServerReads() async throws {
        try await withDatabase { database in
            let records = try SampleRecords.all() + (0..<300).map { try SampleRecords.random($0) }
            try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
            #expect(try await texts("fields IS NULL", in: database).allSatisfy { $0 == "false" })
            // The server reads all strings and numbers of the JSON then.
            #expect(try await texts("fields::jsonb IS NULL", in: database).allSatisfy { $0 == "false" })
            #expect(try await database.verify().isEmpty)
        }
    }

    @Test func conditionsAndDeletionsKeepAndRemoveTheFields() async throws {
        try await withDatabase { database in
            try await save(["A/1": ["n": 1], "A/2": ["n": 2]], to: database)
            let first = try #require(try await database.record(for: Record.ID("A/1")))
            var batch = RecordBatch(deletingAnyVersionOf: [try Record.ID("A/2")])
            batch.conditions = [RecordBatch.VersionedID(first.id, version: RecordBatch.Version(of: first))]
            try await database.commit(batch)
            #expect(try await texts("fields", in: database) == [#"{"n":1}"#, nil])
            try await save(["A/1": ["n": 3]], to: database)
            #expect(try await texts("fields", in: database) == [#"{"n":3}"#, nil])
        }
    }

    @Test func tablesWithoutTheColumnGetItWhenTheyArePrepared() async throws {
        try await withDatabase {
            $0.writesFieldsForSQL = false
        } _: { database in
            let many = Dictionary(
                uniqueKeysWithValues: (1...3_000).map { ("A/\($0)", ["n": .int(Int64($0))] as Record.Fields) })
            try await save(many, to: database)
            #expect(try await texts("fields", in: database).allSatisfy { $0 == nil })
            try await database.sql("ALTER TABLE \(database.tables.records) DROP COLUMN fields")
            try await database.sql("UPDATE \(database.tables.records) SET body = '\\xff' WHERE name = '17'")
            let later = try database.another { $0.writesFieldsForSQL = true }
            await expectFailure(.notPrepared) { _ = try await later.page(RecordQuery("A")) }
            try await later.prepare()
            #expect(
                try await texts("fields::text = '{\"n\":' || name || '}'", in: database).count { $0 == "true" } == 2_999
            )
            #expect(try await later.verify().map(\.recordID?.name) == ["17"])
            try await later.prepare()
            await later.close()
        }
    }

    @Test func changesByOthersAreFound() async throws {
        try await withDatabase { database in
            try await save(["A/1": ["n": 1], "A/2": ["n": 2]], to: database)
            try await database.sql("UPDATE \(database.tables.records) SET fields = '{\"n\": 2}' WHERE name = '2'")
            let problem = try #require(try await database.verify().first)
            #expect(problem.code == .corrupt && problem.recordID?.name == "2")
            try await database.sql(try #require(problem.hint?.components(separatedBy: "prepare(): ").last))
            try await database.prepare()
            #expect(try await database.verify().isEmpty)
            #expect(try await texts("fields", in: database) == [#"{"n":1}"#, #"{"n":2}"#])
        }
    }

    @Test func theStatementsOfTheArticleDoWhatItSays() async throws {
        try await withDatabase { database in
            try await database.commit(RecordBatch(saving: try Article.cities(), savePolicy: .overwrite))
            let blocks = try Article("NestedRecordsPostgreSQL/NestedRecordsPostgreSQL.docc/Tables.md")
                .blocks
            let path = "SET search_path = \(database.options.schema.asIdentifier)"
            var count = 0
            for (block, next) in zip(blocks, blocks.dropFirst()) where block.language == "sql" {
                let found = try Article.output(
                    of: "psql", ["-AtqX", "-v", "ON_ERROR_STOP=1", "-c", path, "-c", block.text, TestServer.connection])
                // The quiet mode does not print the names of commands.
                #expect(found == (next.text.utf8.starts(with: "CREATE".utf8) ? "" : next.text))
                count += 1
            }
            #expect(count == 3)
            let rows = try await database.sql(
                "SELECT count(*) FROM pg_indexes WHERE schemaname = $1 AND indexdef LIKE '%->>%'",
                .text(database.options.schema))
            // Citus refuses two statements that make indexes in one command.
            #expect(TestServer.isCluster || rows.integer(0, 0) == 2)
        }
    }
}
#endif
