#if PostgreSQL && canImport(Glibc)
import NestedRecords
import TestSupport
import Testing

@testable import NestedRecordsPostgreSQL

/// A server and a replica of it.
@Suite(.enabled(if: OwnServer.isPossible, OwnServer.reason), .timeLimit(.minutes(60)))
struct PostgreSQLReplicaTests {
    private func open(_ server: OwnServer) throws -> PostgreSQLRecordDatabase {
        var options = PostgreSQLRecordDatabase.Options()
        options.indexes = [FieldIndex("A", by: "n")]
        options.pollInterval = .milliseconds(10)
        return try PostgreSQLRecordDatabase(connection: server.connection(), options: options)
    }

    @Test func aReplicaIsReadAndFollowed() async throws {
        let server = try OwnServer()
        defer { server.stop() }
        let database = try open(server)
        try await database.prepare()
        let record = try Flat.record("A/1", ["n": 1, "r": Flat.reference("A/2")])
        try await database.commit(RecordBatch(saving: [record], savePolicy: .overwrite))
        let start = try await database.changeToken()
        let second = try OwnServer(replicaOf: server)
        defer { second.stop() }
        let replica = try open(second)
        // There is nothing to make.
        try await replica.prepare()
        #expect(try await replica.allRecords == database.allRecords)
        #expect(try await replica.page(RecordQuery("A", where: .compare("n", .equal, 1))).records.count == 1)
        #expect(try await replica.referrers(of: [Record.ID("A/2")]).count == 1)
        let known = try #require(try await replica.record(for: record.id))

        let following = Task {
            var follower = ChangeFollower(token: try await replica.oldestChangeToken())
            try await follower.catchUp(with: replica)
            while follower.records.count < 3 {
                try await replica.waitForChanges(after: follower.token)
                try await follower.catchUp(with: replica)
            }
            return follower.records
        }
        for name in ["A/3", "A/4"] {
            try await database.commit(RecordBatch(saving: [try Flat.record(name)], savePolicy: .overwrite))
        }
        #expect(try await following.value == database.allRecords)
        #expect(try await replica.changes(since: start, limit: 10).saved.count == 2)

        let failure = await expectFailure(.refused) {
            try await replica.commit(RecordBatch(saving: [record], savePolicy: .overwrite))
        }
        #expect(failure?.systemCode == "25006")
        // What was read there is saved here, unless there is a newer version.
        try await database.commit(RecordBatch(saving: [known]))
        let conflict = await #expect(throws: RecordDatabaseError.self) {
            try await database.commit(RecordBatch(saving: [known]))
        }
        #expect(conflict?.code == .conflict)
        await replica.close()
        await database.close()
    }

    @Test func aReplicaWithoutTheLastBatchesRefusesTheirTokens() async throws {
        let server = try OwnServer()
        defer { server.stop() }
        let database = try open(server)
        try await database.prepare()
        try await database.commit(RecordBatch(saving: [try Flat.record("A/1")], savePolicy: .overwrite))
        let early = try await database.changeToken()
        let second = try OwnServer(replicaOf: server)
        defer { second.stop() }
        let replica = try open(second)
        try await waitUntil { try await replica.allRecords.count == 1 }
        second.stop()
        try await database.commit(RecordBatch(saving: [try Flat.record("A/2")], savePolicy: .overwrite))
        let late = try await database.changeToken()
        await database.close()
        server.stop()

        try second.start()
        try await waitUntil { (try? await replica.sql("SELECT pg_promote()")) != nil }
        try await waitUntil {
            (try? await replica.commit(RecordBatch(saving: [Flat.record("A/3")], savePolicy: .overwrite))) != nil
        }
        #expect(try await replica.changes(since: early, limit: 10).saved.map(\.id.name) == ["3"])
        let failure = await #expect(throws: RecordDatabaseError.self) {
            try await replica.changes(since: late, limit: 10)
        }
        #expect(failure?.expiry == .wentBack, "\(String(describing: failure))")
        await replica.close()
    }
}
#endif
