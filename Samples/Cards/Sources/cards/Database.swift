import CardService
import NestedRecords
import NestedRecordsFile

#if SQLite
import NestedRecordsSQLite
#endif
#if PostgreSQL
import NestedRecordsPostgreSQL
#endif

/// An open database, and the function that closes it.
struct Database {
    var records: any RecordDatabase
    var close: () async throws -> Void

    static func open(_ place: Options.Place) async throws -> Database {
        switch place {
        case .memory: return Database(records: InMemoryRecordDatabase(), close: {})
        case .file(let path):
            let database = try FileRecordDatabase(path: path)
            // Damage is reported now, and not in the middle of the work.
            try await database.prepare()
            return Database(records: database, close: { try await database.close() })
        case .sqlite(let path): return try await sqlite(path)
        case .postgresql(let address): return try await postgresql(address)
        }
    }

    #if SQLite
    private static func sqlite(_ path: String) async throws -> Database {
        var options = SQLiteRecordDatabase.Options()
        options.indexes = try CardService.indexes
        let database = try SQLiteRecordDatabase(path: path, options: options)
        try await database.prepare()
        return Database(records: database, close: { try await database.close() })
    }
    #else
    private static func sqlite(_ path: String) async throws -> Database {
        throw Options.Mistake(description: "Build with --traits SQLite to use --sqlite.")
    }
    #endif

    #if PostgreSQL
    private static func postgresql(_ address: String) async throws -> Database {
        var options = PostgreSQLRecordDatabase.Options()
        options.indexes = try CardService.indexes
        let database = try PostgreSQLRecordDatabase(connection: address, options: options)
        try await database.prepare()
        return Database(records: database, close: { await database.close() })
    }
    #else
    private static func postgresql(_ address: String) async throws -> Database {
        throw Options.Mistake(description: "Build with --traits PostgreSQL to use --postgresql.")
    }
    #endif
}
