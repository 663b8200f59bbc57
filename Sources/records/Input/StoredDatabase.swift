import NestedRecords
import NestedRecordsFile

#if PostgreSQL
import NestedRecordsPostgreSQL
#endif
#if SQLite
import NestedRecordsSQLite
#endif

/// A database that is opened by a path or an address.
protocol StoredDatabase: RecordDatabase, RecordFeed, TypeCountingRecordDatabase {
    /// The damage, and whether it is harmless.
    func damage() async throws -> [(text: String, isHarmless: Bool)]

    /// The indexes by fields that the database keeps; nil if it cannot keep any.
    func fieldIndexes() async throws -> [FieldIndex]?

    /// Closes the database.
    func close() async throws
}

extension StoredDatabase {
    /// The number of records.
    ///
    /// - Parameter types: The types to count; none for all.
    func recordCount(ofTypes types: [String] = []) async throws -> Int {
        try await recordCounts().reduce(0) { $0 + (types.isEmpty || types.contains($1.key) ? $1.value : 0) }
    }

    /// The number of records, without those that the library and `nest` need.
    func shownCount() async throws -> Int {
        try await recordCounts().reduce(0) { $0 + (Record.ID.isReserved(type: $1.key) ? 0 : $1.value) }
    }
}

extension FileRecordDatabase: StoredDatabase {
    func fieldIndexes() -> [FieldIndex]? { nil }

    func damage() async throws -> [(text: String, isHarmless: Bool)] {
        var found = try await verify().map { (text: $0.description, isHarmless: $0.isDead) }
        if recoveredByteCount > 0 {
            found.append(("an unfinished save of \(recoveredByteCount.grouped) bytes at the end", true))
        }
        return found
    }
}

#if SQLite
extension SQLiteRecordDatabase: StoredDatabase {
    func fieldIndexes() async throws -> [FieldIndex]? { try await storedIndexes() }

    func damage() async throws -> [(text: String, isHarmless: Bool)] {
        try await verify().map { ($0.description, false) }
    }
}
#endif

#if PostgreSQL
extension PostgreSQLRecordDatabase: StoredDatabase {
    func fieldIndexes() async throws -> [FieldIndex]? { try await storedIndexes() }

    func damage() async throws -> [(text: String, isHarmless: Bool)] {
        try await verify().map { ($0.description, false) }
    }
}
#endif

/// The purpose of opening a database.
enum DatabaseUse {
    case reading

    /// Creates a missing file or missing tables.
    case writing

    /// Makes the missing ones of these indexes, and removes others if that is wanted.
    case indexing([FieldIndex], removesOthers: Bool)
}

extension OpenFile {
    /// Opens the SQLite database at a path.
    ///
    /// - Throws: ``InputError`` if this build does not support SQLite, and errors of the database.
    static func sqliteDatabase(_ path: String, for use: DatabaseUse) throws -> any StoredDatabase {
        #if SQLite
        var options = SQLiteRecordDatabase.Options()
        switch use {
        case .reading: options.isReadOnly = true
        case .writing: break
        case .indexing(let indexes, let removesOthers):
            (options.indexes, options.removesOtherIndexes) = (indexes, removesOthers)
        }
        return try SQLiteRecordDatabase(path: path, options: options)
        #else
        let reason = "is a SQLite database; this build does not support it, build it with '--traits SQLite'"
        throw InputError(input: path, reason: reason)
        #endif
    }
}

extension ServerAddress {
    /// Connects to the server, and creates missing tables if the use is ``DatabaseUse/writing``.
    ///
    /// - Throws: ``InputError`` if this build does not support PostgreSQL, or the tables to read are missing, and
    ///   errors of the database.
    func database(for use: DatabaseUse) async throws -> any StoredDatabase {
        #if PostgreSQL
        var options = PostgreSQLRecordDatabase.Options()
        if let schema { options.schema = schema }
        // The tool must not forget deletions on the server.
        options.historyAge = nil
        if case .indexing(let indexes, let removesOthers) = use {
            if removesOthers { throw InputError(input: shown, reason: "is on a server, where no index is removed") }
            options.indexes = indexes
        }
        do {
            let database = try PostgreSQLRecordDatabase(connection: connection, options: options)
            switch use {
            // Fails now if the tables are missing, and not in the middle of the work.
            case .reading: _ = try await database.count(RecordQuery("A"))
            case .writing, .indexing: try await database.prepare()
            }
            return database
        } catch let failure as RecordDatabaseError where failure.code == .notPrepared {
            throw InputError(
                input: shown,
                reason: "has no record tables; 'records import' and 'records copy' create them ("
                    + "\(failure.reason ?? failure.code.rawValue))")
        } catch let failure as RecordDatabaseError {
            throw InputError(input: shown, reason: failure.description)
        }
        #else
        let reason = "is on a PostgreSQL server; this build does not support it, build it with '--traits PostgreSQL'"
        throw InputError(input: shown, reason: reason)
        #endif
    }
}
