#if PostgreSQL
import Foundation
import TestSupport
import Testing

@_spi(Engines) @testable import NestedRecords
@testable import NestedRecordsPostgreSQL

/// The tables of a database, and the schema that they are in.
@Suite(.enabled(if: TestServer.isThere, TestServer.reason), .timeLimit(.minutes(60)))
struct PostgreSQLPreparationTests {
    private func record(_ name: String) throws -> Record {
        try Record(id: Record.ID(type: "Book", name: name), fields: ["a": 1])
    }

    @Test func withoutTablesItSaysWhatToDo() async throws {
        let database = try PostgreSQLRecordDatabase(connection: TestServer.connection, options: .ofOwnSchema())
        for call in [
            { _ = try await database.allRecords() },
            { _ = try await database.outcome(of: RecordBatch.makeID()) },
        ] as [() async throws -> Void] {
            let failure = await expectFailure(.notPrepared, call)
            #expect(failure?.description.contains("prepare()") == true && failure?.isTransient == false)
        }
        await database.close()
    }

    @Test(arguments: PostgreSQLConnectionStringTests.quotes)
    func theNameOfASchemaIsNeverAStatement(_ quote: String) async throws {
        let schema = "t\(quote).records(a int); SELECT 1; --\(Int.random(in: 1...999_999_999))"
        try await withDatabase {
            $0.schema = schema
        } _: { database in
            let count = try await database.sql(
                "SELECT count(*) FROM pg_namespace WHERE nspname = $1", .text(schema))
            #expect(count.integer(0, 0) == 1)
            try await database.commit(RecordBatch(saving: [try record("a")], savePolicy: .overwrite))
            #expect(try await database.allIDs() == [try record("a").id])
        }
    }

    @Test(TestServer.isOneServer) func aServerWithoutCitusDistributesNothing() async throws {
        try await withDatabase { database in
            await expectFailure(.unsupported) { try await database.prepare(distribution: .citus(shardCount: 4)) }
            await expectFailure(.invalidOptions) { try await database.prepare(distribution: .citus(shardCount: 0)) }
            try await database.commit(RecordBatch(saving: [try record("a")], savePolicy: .overwrite))
        }
    }

    @Test func severalMayPrepareAtOnce() async throws {
        try await withDatabase { database in
            try await database.sql("DROP SCHEMA \(database.options.schema.asIdentifier) CASCADE")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        let other = try database.another { $0.indexes = [FieldIndex("Book", by: "a")] }
                        try await other.prepare()
                        try await other.commit(
                            RecordBatch(saving: [try record(UUID().uuidString)], savePolicy: .overwrite))
                        await other.close()
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await database.allRecords().count == 6)
            #expect(try await database.readCatalog().indexes.count == 1)
        }
    }

    @Test func processesThatAddIndexesOfATypeAtOnceLeaveTheKeysOfEachOther() async throws {
        try await withDatabase { database in
            let records = try (0..<20).map { number in
                try Record(id: Record.ID(type: "Book", name: "\(number)"), fields: ["a": 1, "b": .int(Int64(number))])
            }
            try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
            let indexes = [FieldIndex("Book", by: "a"), FieldIndex("Book", by: "b")]
            let (first, second) = (
                try database.another { $0.indexes = indexes }, try database.another { $0.indexes = [indexes[1]] }
            )
            // The first process knows one index when it reads the records, and both exist when it writes.
            try await first.execute(first.tables.registration(of: StoredIndex(indexes[0])))
            let slot = try #require(try await first.readCatalog().slot(of: indexes[0]))
            try await second.prepare()
            try await first.addKeys(of: indexes[0], slot: slot)
            try await first.prepare()
            for database in [first, second] {
                let filter = RecordFilter.compare("b", .atLeast, 15)
                #expect(try await database.count(RecordQuery("Book", where: filter)) == 5)
                #expect(try await database.verify().isEmpty)
                await database.close()
            }
        }
    }

    @Test(TestServer.isOneServer) func anOlderStateThatIsRestoredUnderAProcessIsSeen() async throws {
        try await withDatabase { database in
            try await database.commit(RecordBatch(saving: [try record("a")], savePolicy: .overwrite))
            let generation = try await database.readCatalog().generation
            let other = try database.another { $0.indexes = [FieldIndex("Book", by: "a")] }
            try await other.prepare()
            let query = RecordQuery("Book", where: .compare("a", .equal, 1))
            #expect(try await other.count(query) == 1)
            // As after a dump from before the index.
            try await database.sql("DELETE FROM \(database.tables.indexes)")
            try await database.sql("UPDATE \(database.tables.store) SET generation = $1", .integer(generation))
            try await database.sql("UPDATE \(database.tables.records) SET keys = NULL")
            try await other.commit(RecordBatch(saving: [try record("b")], savePolicy: .overwrite))
            #expect(try await other.count(query) == 2)
            await other.close()
        }
    }

    @Test func tablesOfALaterVersionAreLeftAlone() async throws {
        try await withDatabase { database in
            try await database.sql("UPDATE \(database.tables.store) SET version = version + 1")
            let other = try database.another()
            await expectFailure(.unsupportedVersion) {
                try await other.commit(RecordBatch(saving: [try record("a")], savePolicy: .overwrite))
            }
            await expectFailure(.unsupportedVersion) { try await other.prepare() }
            await expectFailure(.unsupportedVersion) { _ = try await other.changeToken() }
            await other.close()
        }
    }
}
#endif
