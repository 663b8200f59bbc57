import Foundation
import NestedRecords
import NestedRecordsFile
import TestSupport
import Testing

#if PostgreSQL
import NestedRecordsPostgreSQL
#endif

/// What every function throws if the database cannot be used: the database's own error, and the same one.
@Suite struct EngineErrorTests {
    private struct Note: RecordCodable, Identifiable {
        var id: String
        var count = 0
        static let recordType = "EngineNote"
    }

    /// A call of each function that reads or writes.
    private static func calls(
        of database: any RecordDatabase & RecordFeed, _ stored: Stored<Note>
    ) async throws -> [(name: String, call: () async throws -> Void)] {
        func values<Values: AsyncSequence>(_ values: Values) async throws { for try await _ in values {} }
        func read(_ database: some RecordDatabase & RecordFeed) async throws {
            try await values(database.values.query(Note.self).values())
        }
        func live(_ database: some RecordDatabase & RecordFeed) async throws {
            try await values(database.values.query(Note.self).live())
        }
        func follow(_ database: some RecordDatabase & RecordFeed, _ token: ChangeToken) async throws {
            try await values(database.changes(since: token, ofTypes: nil))
        }
        let id = try Record.ID("EngineNote/n")
        let record = try RecordEncoder().encode(Note(id: "n"))
        let token = try await InMemoryRecordDatabase().changeToken()
        return [
            ("records(for:)", { _ = try await database.records(for: [id]) }),
            ("record(for:)", { _ = try await database.record(for: id) }),
            ("page", { _ = try await database.page(RecordQuery("EngineNote")) }),
            ("count", { _ = try await database.count(RecordQuery("EngineNote")) }),
            ("fetch of a value", { _ = try await database.values.fetch(Note.self, named: "n").value }),
            ("fetchIfPresent", { _ = try await database.values.fetchIfPresent(Note.self, named: "n")?.value }),
            ("query", { _ = try await database.values.query(Note.self).all() }),
            ("fetch", { _ = try await database.values.fetch(Note.self, named: "n") }),
            ("values", { try await read(database) }),
            ("live values", { try await live(database) }),
            ("commit", { _ = try await database.commit(RecordBatch(saving: Array(record), savePolicy: .overwrite)) }),
            ("save", { _ = try await database.values.overwrite(Note(id: "n")) }),
            ("save of a graph", { _ = try await database.save(record) }),
            (
                "save of a stored value",
                {
                    var stored = stored
                    stored.count += 1
                    _ = try await database.values.save(&stored)
                }
            ),
            ("update", { _ = try await database.values.update(Note.self, named: "n") { $0.count += 1 } }),
            ("delete", { try await database.delete([id], .dangling) }),
            ("delete of a type", { try await database.values.delete(Note.self, named: "n", .dangling) }),
            (
                "transaction",
                { try await database.transaction { _ = try await $0.values.fetch(Note.self, named: "n") } }
            ),
            ("referrers", { _ = try await database.referrers(of: [id]) }),
            ("changeToken", { _ = try await database.changeToken() }),
            ("changes", { _ = try await database.changes(since: token, limit: 10) }),
            ("changes as a sequence", { try await follow(database, token) }),
        ]
    }

    private func expectEach(
        _ code: RecordDatabaseError.Code, of database: any RecordDatabase & RecordFeed, _ stored: Stored<Note>
    ) async throws {
        for (name, call) in try await Self.calls(of: database, stored) {
            let failure = await #expect(throws: RecordDatabaseError.self, "\(type(of: database)).\(name)") {
                try await call()
            }
            #expect(failure?.code == code, "\(type(of: database)).\(name): \(failure.map { "\($0)" } ?? "")")
        }
    }

    @Test func everyFunctionOfAClosedDatabaseSaysThatItIsClosed() async throws {
        let folder = try TemporaryFolder()
        for engine in try await Engine.all(in: folder, indexes: [], now: { Date() }).dropFirst() {
            try await engine.database.values.overwrite(Note(id: "n"))
            let stored = try await engine.database.values.fetch(Note.self, named: "n")
            try await engine.end()
            try await expectEach(.closed, of: engine.database, stored)
        }
    }

    #if PostgreSQL
    @Test func everyFunctionOfAnUnpreparedServerSaysThatItIsUnprepared() async throws {
        guard let connection = ProcessInfo.processInfo.environment["NESTED_RECORDS_POSTGRESQL"] else { return }
        let memory = InMemoryRecordDatabase()
        try await memory.values.overwrite(Note(id: "n"))
        let stored = try await memory.values.fetch(Note.self, named: "n")
        var options = PostgreSQLRecordDatabase.Options()
        options.schema = "none " + UUID().uuidString
        let database = try PostgreSQLRecordDatabase(connection: connection, options: options)
        try await expectEach(.notPrepared, of: database, stored)
        await database.close()
    }
    #endif
}
