#if SQLite
import CSQLite
import NestedRecordsSQLite
import TestSupport
import Testing

/// Tests with one database file in a folder of their own.
protocol SQLiteSuite {
    var folder: TemporaryFolder { get }
}

extension SQLiteSuite {
    var path: String { folder.path("test.sqlite") }

    func open(
        _ change: (inout SQLiteRecordDatabase.Options) -> Void = { _ in }
    ) throws -> SQLiteRecordDatabase {
        var options = SQLiteRecordDatabase.Options()
        options.busyTimeout = .milliseconds(50)
        change(&options)
        return try SQLiteRecordDatabase(path: path, options: options)
    }

    /// Runs statements as another program does, which waits for a connection that is being closed.
    func run(_ sql: String) throws {
        var handle: OpaquePointer?
        try #require(sqlite3_open(path, &handle) == SQLITE_OK)
        defer { sqlite3_close_v2(handle) }
        sqlite3_busy_timeout(handle, 10_000)
        try #require(
            sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK, "\(String(cString: sqlite3_errmsg(handle)))")
    }

    /// Begins a transaction of another program, and returns what ends it.
    func hold(_ begin: String) throws -> @Sendable () -> Void {
        var handle: OpaquePointer?
        try #require(sqlite3_open(path, &handle) == SQLITE_OK)
        try #require(sqlite3_exec(handle, begin, nil, nil, nil) == SQLITE_OK)
        // Used by one thread after the other.
        nonisolated(unsafe) let connection = handle
        return {
            sqlite3_exec(connection, "COMMIT", nil, nil, nil)
            sqlite3_close_v2(connection)
        }
    }
}
#endif
