#if PostgreSQL && canImport(Glibc)
import NestedRecords
import TestSupport
import Testing

@testable import NestedRecordsPostgreSQL

/// What depends on the extension citus, on a server without it whose catalog says that it is there.
///
/// It shows how such servers are recognized, and not how they do.
@Suite(.enabled(if: OwnServer.isPossible, OwnServer.reason), .timeLimit(.minutes(3)))
struct PostgreSQLCitusTests {
    @Test func databasesWithTheExtensionSaveAndFindRecordsButHaveNoFeed() async throws {
        let server = try OwnServer()
        defer { server.stop() }
        let before = try PostgreSQLRecordDatabase(connection: server.connection())
        try await before.prepare()
        let token = try await before.changeToken()
        // As CREATE EXTENSION would, without its files.
        try await before.sql(
            """
            INSERT INTO pg_extension(oid, extname, extowner, extnamespace, extrelocatable, extversion) \
            SELECT 4000000000, 'citus', oid, 11, false, '13.2-1' FROM pg_roles WHERE rolname = current_user
            """)
        let client = try PostgreSQLRecordDatabase(connection: server.connection())
        try await client.prepare()
        let record = try Flat.record("A/1", ["n": 1, "r": Flat.reference("A/2")])
        try await client.commit(RecordBatch(saving: [record], savePolicy: .overwrite))
        #expect(try await client.record(for: record.id)?.fields == record.fields)
        #expect(try await client.page(RecordQuery("A")).records.count == 1)
        #expect(try await client.referrers(of: [Record.ID("A/2")]).count == 1)
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await client.changeToken() },
            { _ = try await client.oldestChangeToken() },
            { _ = try await client.changes(since: token, limit: 10) },
            { try await client.waitForChanges(after: token) },
        ]
        for call in calls {
            let failure = await expectFailure(.unsupported, call)
            #expect(failure?.description.contains("Citus") == true)
            #expect(failure?.isTransient == false)
        }
        await client.close()
        await before.close()
    }
}
#endif
