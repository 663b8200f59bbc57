import Foundation
import NestedRecords
import NestedRecordsFile
import TestSupport
import Testing

#if SQLite
import NestedRecordsSQLite
#endif

#if PostgreSQL
import NestedRecordsPostgreSQL
#endif

/// A database of some kind that tests run on.
struct Engine {
    let name: String
    private(set) var database: any RecordDatabase & RecordFeed

    /// Opens the database again, as another process does; nil for one that ends with its object.
    private let open: (@Sendable () async throws -> any RecordDatabase & RecordFeed)?

    /// Gives back space, if the database can.
    private let compact: @Sendable (any RecordDatabase & RecordFeed) async throws -> Void

    /// Ends the use of the database.
    private let close: @Sendable (any RecordDatabase & RecordFeed) async throws -> Void

    /// The change tags of this database by those of the first one.
    var tags: [String: String] = [:]

    /// The arguments with which `DatabaseProcess` opens the database; nil if it cannot.
    var processArguments: [String]?

    /// A reader that has gone on since the beginning.
    var follower: ChangeFollower

    private init(
        _ name: String, _ open: @escaping @Sendable () async throws -> any RecordDatabase & RecordFeed,
        stays: Bool = true,
        compact: @escaping @Sendable (any RecordDatabase & RecordFeed) async throws -> Void = { _ in },
        close: @escaping @Sendable (any RecordDatabase & RecordFeed) async throws -> Void = { _ in }
    ) async throws {
        self.name = name
        database = try await open()
        self.open = stays ? open : nil
        (self.compact, self.close) = (compact, close)
        follower = ChangeFollower(token: try await database.changeToken())
    }

    mutating func reopen() async throws {
        guard let open else { return }
        try await close(database)
        database = try await open()
    }

    func compact() async throws { try await compact(database) }

    func end() async throws { try await close(database) }

    /// Calls the closure with a database of each kind that this build has, empty, and ends their use.
    static func forEach(
        indexes: [FieldIndex] = [], now: @escaping @Sendable () -> Date = { Date() },
        _ body: (Engine) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        for engine in try await all(in: folder, indexes: indexes, now: now) {
            try await body(engine)
            try await engine.end()
        }
    }

    /// Calls the closure with the values of a database of each kind.
    static func forEachStore(
        indexes: [FieldIndex] = [], now: @escaping @Sendable () -> Date = { Date() },
        _ body: (RecordStore, _ name: String) async throws -> Void
    ) async throws {
        try await forEach(indexes: indexes, now: now) { try await body($0.database.values, $0.name) }
    }

    /// All kinds that this build has, empty: the first one in memory.
    static func all(
        in folder: TemporaryFolder, indexes: [FieldIndex], now: @escaping @Sendable () -> Date
    ) async throws -> [Engine] {
        var engines = [
            try await Engine("memory", { InMemoryRecordDatabase(now: now) }, stays: false),
            try await Engine(
                "file",
                {
                    var options = FileRecordDatabase.Options()
                    (options.durability, options.now) = (.relaxed, now)
                    return try FileRecordDatabase(path: folder.path("file"), options: options)
                }, compact: { _ = try await ($0 as? FileRecordDatabase)?.compact() },
                close: { try await ($0 as? FileRecordDatabase)?.close() }),
        ]
        #if SQLite
        engines.append(
            try await Engine(
                "SQLite",
                {
                    var options = SQLiteRecordDatabase.Options()
                    (options.durability, options.now, options.indexes) = (.relaxed, now, indexes)
                    return try SQLiteRecordDatabase(path: folder.path("sqlite"), options: options)
                },
                close: { database in
                    let database = try #require(database as? SQLiteRecordDatabase)
                    do {
                        #expect(try await database.verify().isEmpty)
                    } catch RecordDatabaseError.Code.closed {
                        // The test has opened it again, and closed it then.
                        return
                    }
                    try await database.close()
                }))
        engines[engines.count - 1].processArguments = ["sqlite", folder.path("sqlite")]
        #endif
        #if PostgreSQL
        let environment = ProcessInfo.processInfo.environment
        for (name, variable) in [
            ("PostgreSQL", "NESTED_RECORDS_POSTGRESQL"), ("PostgreSQL with Citus", "NESTED_RECORDS_CITUS"),
        ] {
            guard let connection = environment[variable] else { continue }
            let schema = "e " + UUID().uuidString
            engines.append(
                try await Engine(
                    name,
                    {
                        var options = PostgreSQLRecordDatabase.Options()
                        (options.schema, options.now, options.indexes) = (schema, now, indexes)
                        let database = try PostgreSQLRecordDatabase(connection: connection, options: options)
                        if variable == "NESTED_RECORDS_CITUS" {
                            try await database.prepare(distribution: .citus(shardCount: 4))
                        } else {
                            try await database.prepare()
                        }
                        return database
                    },
                    close: { database in
                        let database = try #require(database as? PostgreSQLRecordDatabase)
                        do {
                            #expect(try await database.verify().isEmpty)
                        } catch RecordDatabaseError.Code.closed {
                            return
                        }
                        await database.close()
                    }))
            engines[engines.count - 1].processArguments = ["postgresql", connection, schema]
        }
        #endif
        return engines
    }
}
