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
    /// A way to the records, and a database that is synchronized on it.
    private struct Side {
        let name: String
        let store: RecordStore
        let phone = InMemoryRecordDatabase()
        let sync: RecordSync

        init(_ name: String, _ store: RecordStore) throws {
            (self.name, self.store) = (name, store)
            sync = try RecordSync(phone, with: store.database, named: "cloud")
        }
    }

    private struct Task {
        let name: String
        let rounds: Int
        var prepare: (Side) async throws -> Void = { _ in }
        let work: (Side) async throws -> Void
    }

    private let isQuick: Bool
    private let count: Int
    private let school: School

    private static let schema = "nested_records_service"

    init(isQuick: Bool) throws {
        (self.isQuick, count) = (isQuick, isQuick ? 10_000 : 100_000)
        school = try School(records: 100)
    }

    func run() async throws -> [Section] {
        var sections: [Section] = []
        for (name, database) in try await databases() { sections.append(try await section(name, database)) }
        return sections
    }

    private func section(_ name: String, _ database: any RecordDatabase) async throws -> Section {
        var section = Section("service", "\(name) over HTTP, \(count) records; wall-clock time, in one process")
        try await fill(database)
        let transport = CountingTransport(RecordDatabaseService { _ in .init(reader: "ann", database: database) })
        let sides = try [
            Side("directly", RecordStore(database)), Side("HTTP", RecordStore(RemoteRecordDatabase(transport))),
        ]
        // The second round sees the records that the other side's first one has written.
        for side in sides + sides { try await side.sync.synchronize() }
        for task in tasks {
            let contenders = sides.map { side in
                Contender(name: side.name) { _ in
                    try await task.prepare(side)
                    transport.reset()
                    return try await time { try await task.work(side) }
                }
            }
            section.comparisons.append(
                try await Comparison(
                    task.name, count: 1, rounds: isQuick ? 2 : task.rounds, targets: [Target("HTTP", to: "directly")],
                    contenders))
            _ = try await contenders[1].run(0)
            section.add("requests, \(task.name)", Double(transport.requests), "")
            section.add("  bytes sent", Double(transport.sent), "B")
            section.add("  bytes received", Double(transport.received), "B")
        }
        return section
    }

    private var tasks: [Task] {
        [
            Task(name: "nested value of 100 records", rounds: 100) { side in
                _ = try await side.store.fetch(School.self, named: school.id)
            },
            Task(name: "save of a record", rounds: 100) { side in try await side.store.database.commit(changed()) },
            Task(name: "quiet round", rounds: 100) { side in
                // The other side has changed a record in its last task.
                try await side.sync.synchronize()
            } work: { side in
                try await side.sync.synchronize()
            },
            Task(name: "round with one changed record", rounds: 100) { side in
                try await side.sync.synchronize()
                try await side.phone.commit(changed())
            } work: { side in
                try await side.sync.synchronize()
            },
            Task(name: "first pull", rounds: 3) { side in
                let sync = try RecordSync(InMemoryRecordDatabase(), with: side.store.database, named: "cloud")
                let found = try await sync.synchronize().savedCount
                guard found >= count else { throw SQLiteFailure(message: "\(found) records were pulled") }
            },
        ]
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
        try await RecordStore(database).insert(school)
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
