#if PostgreSQL
import Foundation
import TestSupport
import Testing

@_spi(Engines) @testable import NestedRecords
@testable import NestedRecordsPostgreSQL

/// Batches whose connection or server is lost.
@Suite(.enabled(if: TestServer.isThere, TestServer.reason), .timeLimit(.minutes(60)))
struct PostgreSQLOutcomeTests {
    private func record(_ name: String) throws -> Record {
        try Record(id: Record.ID(type: "Book", name: name), fields: ["a": 1])
    }

    @Test func connectionsThatAreCutWhileItSavesLoseNothing() async throws {
        try await withDatabase { database in
            let writes = AcknowledgedWrites()
            try await writes.write(to: database) {
                let cutter = try database.another()
                // The connections between the servers of a cluster are cut too, and open slowly.
                for _ in 0..<(TestServer.isCluster ? 8 : 16) {
                    let before = writes.count
                    try await waitUntil { writes.count > before }
                    try await cutter.cutConnections(but: cutter)
                }
                await cutter.close()
            }
            let reader = try database.another()
            try await writes.expectWhole(in: reader)
            await reader.close()
        }
    }

    @Test func theOutcomeOfABatchIsFinal() async throws {
        try await withDatabase { database in
            // One under way is waited for.
            let running = RecordBatch.makeID()
            let holder = PostgreSQLConnection()
            try await holder.open(ConnectionParameters(TestServer.connection), [])
            let statements = try await statements(record("c"), running, of: database)
            _ = try await holder.execute([Statement("test", "BEGIN")] + statements, CancelSwitch())
            let asking = Task { try await database.outcome(of: running) }
            try await waitUntil { try await database.waitingCount() == 1 }
            _ = try await holder.execute([Statement("test", "COMMIT")], CancelSwitch())
            #expect(try await asking.value?.keys.map(\.name) == ["c"])
            // What was saved again since then is left out.
            try await database.commit(RecordBatch(saving: [record("c")], savePolicy: .overwrite))
            #expect(try await database.outcome(of: running) == [:])
            // One of long ago is not known any more.
            try await waitUntil {
                try await database.purgeHistory(olderThan: .zero)
                do {
                    return try await database.outcome(of: running) == nil
                } catch RecordDatabaseError.Code.outcomeForgotten {
                    return true
                }
            }
            await expectFailure(.outcomeForgotten) { _ = try await database.outcome(of: running) }
        }
    }

    #if canImport(Glibc)
    @Test(arguments: [true, false])
    func aLostAnswerToASaveIsAnUnknownOutcome(isSaved: Bool) async throws {
        try await withDatabase { database in
            // With one connection: no announcement of the save before is lost in place of the save.
            try await withRelay(to: database) { client, relay in
                _ = try await client.allRecords()
                _ = try await client.knownCatalog()
                relay.lose(isSaved ? .losesAnswer : .losesRequest)
                let failure = await expectFailure(.unknownOutcome) {
                    try await client.commit(RecordBatch(saving: [try record("a")], savePolicy: .overwrite))
                }
                let id = try #require(failure?.batchID)
                #expect(failure?.isTransient == false && failure?.underlyingError is RecordDatabaseError)
                #expect(try await client.outcome(of: id)?.keys.map(\.name) == (isSaved ? ["a"] : nil))
                #expect(try await database.allRecords().count == (isSaved ? 1 : 0))
                // What only reads is repeated without a word.
                for fault in [Relay.Fault.losesAnswer, .losesRequest] {
                    relay.lose(fault)
                    #expect(try await client.allRecords().count == (isSaved ? 1 : 0))
                }
            }
        }
    }

    @Test(.enabled(if: OwnServer.isPossible, OwnServer.reason))
    func aServerThatIsKilledLosesNoAcknowledgedBatch() async throws {
        let server = try OwnServer()
        defer { server.stop() }
        let database = try PostgreSQLRecordDatabase(connection: server.connection())
        try await database.prepare()
        let writes = AcknowledgedWrites()
        let token = try await database.changeToken()
        try await writes.write(to: database) {
            for _ in 0..<6 {
                // At another moment of a batch each time.
                let count = writes.count + .random(in: 1...20)
                try await waitUntil { writes.count >= count }
                try server.restart()
            }
        }
        try await writes.expectWhole(in: database)
        // The history goes on over the crashes.
        let changes = try await database.changes(since: token, limit: 1_000)
        #expect(Set(changes.saved) == Set(try await database.allRecords()))
        #expect(writes.count > 0)
        await database.close()
    }
    #endif

    private func statements(
        _ record: Record, _ id: String, of database: PostgreSQLRecordDatabase
    ) async throws -> [Statement] {
        let catalog = try await database.knownCatalog()
        let (token, date) = try #require(RecordBatch.parts(ofID: id))
        var rows = BatchRows(catalog, writesFields: true)
        let metadata = Record.Metadata(changeTag: "t", creationDate: date, modificationDate: date)
        try rows.add(record, metadata, expected: .any)
        return database.tables.commit(rows, token: token, isSystem: false, catalog)
    }
}
#endif
