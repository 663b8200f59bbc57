#if Engines
import CLibpq
import Foundation
import GRDB
import NestedRecords
import NestedRecordsFile
import NestedRecordsPostgreSQL
import NestedRecordsSQLite
import Synchronization

/// What makes types of jobs differ: their indexes.
protocol JobKind: Sendable {
    static var recordType: String { get }
}

/// Without an index.
private enum Plain: JobKind {
    static let recordType = "PlainJob"
}

/// With an index on each of two properties.
private enum Indexed: JobKind {
    static let recordType = "IndexedJob"
}

/// With one index on both properties.
private enum Joined: JobKind {
    static let recordType = "JoinedJob"
}

/// A job in a service's list.
private struct Job<Kind: JobKind>: RecordCodable, Identifiable, Sendable {
    var id: Int
    var owner: String
    var due: Int
    var title: String
    var isDone = false
    var priority = 1

    static var recordType: String { Kind.recordType }

    init(_ number: Int) {
        let values = JobValues(number)
        (id, owner, due, title) = (number, values.owner, values.due, values.title)
    }
}

/// The values of a job, which depend on its number alone.
private struct JobValues {
    let owner: String
    let due: Int
    let title: String

    init(_ number: Int) {
        var random = RandomNumbers(seed: UInt64(number))
        owner = "owner\(random.next() % 50)"
        due = Int(random.next() % 1_000_000_000)
        title = "Job \(random.next() % 100_000)"
    }
}

/// A job as a row of GRDB.
private struct JobRow: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "job"
    var id: Int
    var owner: String
    var due: Int
    var title: String
    var isDone = false
    var priority = 1
}

/// The list of a service: the jobs of an owner, ordered by their date, 50 a page.
struct ListComparison {
    private let isQuick: Bool
    private let folder: URL

    static var server: String? { ProcessInfo.processInfo.environment["NESTED_RECORDS_POSTGRESQL"] }
    static let schema = "nested_records_lists"

    static let indexes = [
        FieldIndex(Indexed.recordType, by: "owner"), FieldIndex(Indexed.recordType, by: "due"),
        FieldIndex(Joined.recordType, by: "owner", "due"),
    ]

    init(isQuick: Bool) throws {
        self.isQuick = isQuick
        folder = try TemporaryFolder.make()
    }

    func run() async throws -> [Section] {
        defer { try? FileManager.default.removeItem(at: folder) }
        var section = Section("lists", "Pages of 50 of an owner's jobs by date, a fiftieth of all; wall-clock time")
        for size in isQuick ? [5_000] : [20_000, 200_000, 1_000_000] {
            section.comparisons += try await comparisons(size)
        }
        try await addText(to: &section)
        return [section]
    }

    // MARK: Lists

    private func comparisons(_ size: Int) async throws -> [Comparison] {
        let memory = InMemoryRecordDatabase()
        let file = try FileRecordDatabase(path: folder.appending(path: "\(size).records").path)
        var options = SQLiteRecordDatabase.Options()
        options.indexes = Self.indexes
        let sqlite = try SQLiteRecordDatabase(path: folder.appending(path: "\(size).sqlite").path, options: options)
        let grdb = try DatabasePool(path: folder.appending(path: "\(size).grdb").path)
        var databases: [(String, any RecordDatabase)] = [("memory", memory), ("file", file), ("sqlite", sqlite)]
        var postgreSQL: PostgreSQLRecordDatabase?
        if let server = Self.server {
            var options = PostgreSQLRecordDatabase.Options()
            (options.indexes, options.schema) = (Self.indexes, "\(Self.schema)_\(size)")
            let database = try PostgreSQLRecordDatabase(connection: server, options: options)
            try await database.prepare()
            databases.append(("postgresql", database))
            postgreSQL = database
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (name, database) in databases {
                group.addTask {
                    try await fill(RecordStore(database), Plain.self, size)
                    if name.contains("sql") {
                        try await fill(RecordStore(database), Indexed.self, size)
                        try await fill(RecordStore(database), Joined.self, size)
                    }
                }
            }
            group.addTask { try await fill(grdb, size) }
            try await group.waitForAll()
        }
        var comparisons: [Comparison] = []
        var contenders = databases.map { contender("\($0.0), no index", $0.1, Plain.self) }
        comparisons.append(
            try await comparison("\(size), no index", targets: [], contenders: contenders, named: ", no index"))
        contenders = databases.dropFirst(2).map { contender("\($0.0)", $0.1, Indexed.self) }
        comparisons.append(
            try await comparison("\(size), two indexes", targets: [], contenders: contenders, named: ""))
        contenders =
            databases.dropFirst(2).map { contender("\($0.0)", $0.1, Joined.self) } + [
                Contender(name: "grdb") { round in
                    let owner = Self.owner(round)
                    return try await time {
                        let rows = try await grdb.read {
                            try JobRow.filter(Column("owner") == owner).order(Column("due")).limit(50).fetchAll($0)
                        }
                        guard rows.count == 50 else { throw SQLiteFailure(message: "\(rows.count) rows") }
                    }
                },
                Contender(name: "sql on sqlite") { round in
                    let owner = Self.owner(round)
                    return try await time {
                        // Rows are bound to their thread.
                        let count = try await grdb.read {
                            try Row.fetchAll(
                                $0, sql: "SELECT * FROM job WHERE owner = ? ORDER BY due, id LIMIT 50",
                                arguments: [owner]
                            ).count
                        }
                        guard count == 50 else { throw SQLiteFailure(message: "\(count) rows") }
                    }
                },
            ]
        let libpq = try Self.server.map { try PostgreSQLList(connection: $0, size: size) }
        if let libpq {
            contenders.append(
                Contender(name: "sql on postgresql") { round in
                    try await time {
                        guard try libpq.count(Self.owner(round)) == 50 else {
                            throw SQLiteFailure(message: "too few rows")
                        }
                    }
                })
        }
        comparisons.append(
            try await comparison(
                "\(size), one index",
                targets: [
                    Target("sqlite", to: "grdb", atMost: isQuick ? nil : 1.5), Target("sqlite", to: "sql on sqlite"),
                    Target("postgresql", to: "sql on postgresql"),
                ], contenders: contenders, named: ""))
        comparisons.append(try await sums(size, databases.dropFirst(2) + [("file", file)], grdb))
        comparisons += try await besideWriters(size, databases)
        libpq?.close()
        try await file.close()
        try await sqlite.close()
        try grdb.close()
        await postgreSQL?.close()
        return comparisons
    }

    private static func owner(_ round: Int) -> String { "owner\(round * 7 % 50)" }

    private func comparison(
        _ task: String, targets: [Target], contenders: [Contender], named suffix: String
    ) async throws -> Comparison {
        let named = contenders.map { contender in
            Contender(name: String(contender.name.dropLast(suffix.count)), run: contender.run)
        }
        return try await Comparison(
            task, count: 50, rounds: isQuick ? 3 : 300, within: .seconds(10), atLeast: 3, targets: targets, named)
    }

    private func contender<Kind: JobKind>(_ name: String, _ database: any RecordDatabase, _: Kind.Type) -> Contender {
        let store = RecordStore(database)
        return Contender(name: name) { round in
            let owner = Self.owner(round)
            return try await time {
                let page = try await store.query(Job<Kind>.self).filter { $0.owner == owner }.sorted { $0.due }
                    .limit(50).page()
                guard page.count == 50 else { throw SQLiteFailure(message: "\(name) has \(page.count) values") }
            }
        }
    }

    private func fill<Kind: JobKind>(_ store: RecordStore, _: Kind.Type, _ size: Int) async throws {
        for start in stride(from: 0, to: size, by: 5_000) {
            try await store.overwrite((start..<min(start + 5_000, size)).map { Job<Kind>($0) })
        }
    }

    private func fill(_ grdb: DatabasePool, _ size: Int) async throws {
        try await grdb.write { database in
            try database.create(table: "job") { table in
                table.primaryKey("id", .integer)
                table.column("owner", .text).notNull()
                table.column("due", .integer).notNull()
                table.column("title", .text).notNull()
                table.column("isDone", .boolean).notNull()
                table.column("priority", .integer).notNull()
            }
            try database.create(indexOn: "job", columns: ["owner", "due"])
            for number in 0..<size {
                let values = JobValues(number)
                try JobRow(id: number, owner: values.owner, due: values.due, title: values.title).insert(database)
            }
        }
    }

    // MARK: Sums

    private func sums(
        _ size: Int, _ databases: [(String, any RecordDatabase)], _ grdb: DatabasePool
    ) async throws -> Comparison {
        var contenders: [Contender] = []
        for (name, database) in databases {
            let store = RecordStore(database)
            let isSQL = name.contains("sql")
            contenders.append(
                Contender(name: name) { _ in
                    try await time {
                        let count =
                            try await isSQL ? Self.groups(Indexed.self, store) : Self.groups(Plain.self, store)
                        guard count == 50 else { throw SQLiteFailure(message: "\(name) has too few groups") }
                    }
                })
        }
        return try await Comparison(
            "\(size), counts by owner", count: 50, rounds: isQuick ? 1 : 20, within: .seconds(10), targets: [],
            contenders + [
                Contender(name: "grdb") { _ in
                    try await time {
                        try await grdb.read {
                            _ = try Row.fetchAll($0, sql: "SELECT owner, count(*) FROM job GROUP BY owner")
                        }
                    }
                }
            ])
    }

    private static func groups<Kind: JobKind>(_: Kind.Type, _ store: RecordStore) async throws -> Int {
        try await store.query(Job<Kind>.self).grouped { $0.owner }.count().count
    }

    // MARK: Beside writers

    /// The median and the 99th percentile of a list while 32 clients save.
    private func besideWriters(_ size: Int, _ databases: [(String, any RecordDatabase)]) async throws -> [Comparison] {
        var medians: [(name: String, median: Double)] = []
        var worst: [(name: String, median: Double)] = []
        for (name, database) in databases {
            let list =
                name.contains("sql")
                ? contender(name, database, Joined.self) : contender(name, database, Plain.self)
            let (store, end, size) = (RecordStore(database), WritersEnd(), size)
            let isSQL = name.contains("sql")
            let writers = (0..<32).map { writer in
                Task {
                    if isSQL {
                        try await Self.save(Joined.self, from: size + writer, in: store, until: end)
                    } else {
                        try await Self.save(Plain.self, from: size + writer, in: store, until: end)
                    }
                }
            }
            var times: [Double] = []
            let start = ContinuousClock.now
            for round in 0..<(isQuick ? 10 : 2_000) {
                times.append(try await list.run(round).seconds)
                if times.count >= 30, start.duration(to: .now) > .seconds(20) { break }
            }
            end.isReached.store(true, ordering: .relaxed)
            for writer in writers { try await writer.value }
            times.sort()
            medians.append((name, times[times.count / 2]))
            worst.append((name, times[times.count * 99 / 100]))
        }
        return [
            Comparison("\(size), beside 32 writers, median", count: 50, seconds: medians, targets: []),
            Comparison("\(size), beside 32 writers, 99th percentile", count: 50, seconds: worst, targets: []),
        ]
    }

    private static func save<Kind: JobKind>(
        _: Kind.Type, from start: Int, in store: RecordStore, until end: WritersEnd
    ) async throws {
        var number = start
        while !end.isReached.load(ordering: .relaxed) {
            try await store.overwrite(Job<Kind>(number))
            number += 32
        }
    }

    // MARK: Text

    private func addText(to section: inout Section) async throws {
        let size = isQuick ? 10_000 : 200_000
        let memory = InMemoryRecordDatabase()
        try await fill(RecordStore(memory), Plain.self, size)
        func seconds(_ filter: RecordFilter) async throws -> Double {
            var times: [Double] = []
            for _ in 0..<(isQuick ? 2 : 15) {
                times.append(
                    try await time { _ = try await memory.count(RecordQuery(Plain.recordType, where: filter)) }
                        .seconds)
            }
            return times.median / Double(size) * 1e9
        }
        section.add("scan of a record, one comparison", try await seconds(.compare("priority", .greater, 5)), "ns")
        section.add(
            "scan of a record, text in a title of 9 letters, ignoring case",
            try await seconds(.containsText("title", "B 7Z", ignoring: .case)), "ns", atMost: isQuick ? nil : 300)
        section.add(
            "the same after a condition that seldom holds",
            try await seconds(
                .containsText("title", "B 7Z", ignoring: .case) && .compare("owner", .equal, "owner7")), "ns")
    }
}

private final class WritersEnd: Sendable {
    let isReached = Atomic(false)
}

/// The list of a service by a statement, on a table with columns and an index on both.
private final class PostgreSQLList: Sendable {
    private struct Connection {
        // Only the closures of the lock use it.
        nonisolated(unsafe) let pointer: OpaquePointer?
    }

    private let connection: Mutex<Connection>

    init(connection text: String, size: Int) throws {
        let pointer = PQconnectdb(text)
        guard PQstatus(pointer) == CONNECTION_OK else { throw Self.failure(pointer) }
        for statement in [
            "DROP TABLE IF EXISTS job_list",
            """
            CREATE TABLE job_list (id bigint PRIMARY KEY, owner text NOT NULL, due bigint NOT NULL, title text NOT NULL,
                is_done boolean NOT NULL, priority int NOT NULL)
            """,
            """
            INSERT INTO job_list SELECT n, 'owner' || n % 50, hashint8(n), 'Job ' || n, false, 1
            FROM generate_series(1, \(size)) n
            """, "CREATE INDEX ON job_list (owner, due)", "ANALYZE job_list",
        ] {
            let result = PQexec(pointer, statement)
            defer { PQclear(result) }
            guard PQresultStatus(result) == PGRES_COMMAND_OK else { throw Self.failure(pointer) }
        }
        let result = PQprepare(
            pointer, "list", "SELECT * FROM job_list WHERE owner = $1 ORDER BY due, id LIMIT 50", 1, nil)
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_COMMAND_OK else { throw Self.failure(pointer) }
        connection = Mutex(Connection(pointer: pointer))
    }

    private static func failure(_ pointer: OpaquePointer?) -> SQLiteFailure {
        SQLiteFailure(message: String(cString: PQerrorMessage(pointer)))
    }

    func count(_ owner: String) throws -> Int {
        try connection.withLock { connection in
            let result = owner.withCString { owner in
                PQexecPrepared(connection.pointer, "list", 1, [owner], nil, nil, 1)
            }
            defer { PQclear(result) }
            guard PQresultStatus(result) == PGRES_TUPLES_OK else { throw Self.failure(connection.pointer) }
            return Int(PQntuples(result))
        }
    }

    func close() {
        connection.withLock { connection in
            PQclear(PQexec(connection.pointer, "DROP TABLE job_list"))
            PQfinish(connection.pointer)
        }
    }
}
#endif
