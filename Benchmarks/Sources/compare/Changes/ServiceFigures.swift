import Foundation
import Models
import NestedRecords
import NestedRecordsHTTP
import NestedRecordsSync
import Synchronization

#if Engines
import NestedRecordsPostgreSQL
#endif

/// What tasks cost over HTTP: requests and the bytes of their bodies, and the time beside the same tasks with the database
/// directly.
///
/// The requests are answered in the same process, so the times are those of coding and of the database, without a network.
struct ServiceFigures {
    private let count: Int
    private let school: School

    private static let schema = "nested_records_service"

    init(isQuick: Bool) throws {
        count = isQuick ? 10_000 : 100_000
        school = try School(records: 100)
    }

    func run() async throws -> Section {
        var section = Section("service", "a database over HTTP, with \(count) records, beside the database itself")
        for (name, database) in try await databases() {
            let transport = CountingTransport(RecordDatabaseService { _ in .init(reader: "ann", database: database) })
            try await fill(database)
            for (way, store) in [
                ("directly", RecordStore(database)), ("over HTTP", RecordStore(RemoteRecordDatabase(transport))),
            ] {
                func measure(_ task: String, _ body: () async throws -> Void) async throws {
                    transport.reset()
                    section.add("\(task), \(name) \(way)", try await time(body).seconds * 1e3, "ms")
                    guard transport.requests > 0 else { return }
                    section.add("  requests", Double(transport.requests), "")
                    section.add("  bytes sent", Double(transport.sent), "B")
                    section.add("  bytes received", Double(transport.received), "B")
                }
                try await measure("nested value of 100 records") {
                    _ = try await store.fetch(School.self, named: school.id)
                }
                try await measure("save of a record") { try await store.database.commit(changed()) }
                let phone = InMemoryRecordDatabase()
                let sync = try RecordSync(phone, with: store.database, named: "cloud")
                try await measure("first pull") { try await sync.synchronize() }
                try await measure("quiet round") { try await sync.synchronize() }
                try await phone.commit(changed())
                try await measure("round with one changed record") { try await sync.synchronize() }
            }
        }
        return section
    }

    private func databases() async throws -> [(String, any RecordDatabase & RecordFeed)] {
        var databases: [(String, any RecordDatabase & RecordFeed)] = [("memory", InMemoryRecordDatabase())]
        #if Engines
        if let server = ProcessInfo.processInfo.environment["NESTED_RECORDS_POSTGRESQL"] {
            var options = PostgreSQLRecordDatabase.Options()
            options.schema = Self.schema
            let database = try PostgreSQLRecordDatabase(connection: server, options: options)
            try await database.prepare()
            databases.append(("PostgreSQL", database))
        }
        #endif
        return databases
    }

    private func fill(_ database: any RecordDatabase) async throws {
        let records = StorageRecords()
        for start in stride(from: 0, to: count, by: 1_000) {
            let part = try records.records(start..<min(start + 1_000, count))
            try await database.commit(RecordBatch(saving: part, savePolicy: .overwrite))
        }
        try await RecordStore(database).save(school)
    }

    private func changed() throws -> RecordBatch {
        let version = Int.random(in: 1..<1_000_000)
        return RecordBatch(saving: [try StorageRecords().record(0, version: version)], savePolicy: .overwrite)
    }
}

/// Passes requests to a service in the same process, and counts them and the bytes of their bodies.
private final class CountingTransport: RecordHTTPTransport {
    private let service: RecordDatabaseService
    private let counts = Mutex((requests: 0, sent: 0, received: 0))

    init(_ service: RecordDatabaseService) { self.service = service }

    var requests: Int { counts.withLock { $0.requests } }

    var sent: Int { counts.withLock { $0.sent } }

    var received: Int { counts.withLock { $0.received } }

    func reset() { counts.withLock { $0 = (0, 0, 0) } }

    func send(_ request: RecordHTTPRequest, deadline: Duration) async throws -> RecordHTTPResponse {
        let sent = try await request.body.bytes() ?? []
        var response = await service.respond(to: request)
        // Lists are not among the tasks: an answer is whole.
        let received = try await response.body.bytes() ?? []
        response.body = RecordHTTPBody(received)
        counts.withLock { $0 = ($0.requests + 1, $0.sent + sent.count, $0.received + received.count) }
        return response
    }
}
