import GRDBSQLite
@_spi(Engines) import NestedRecords
import Synchronization

/// SQLite through its C interface, written by hand: a table by type and name, statements prepared once.
final class SQLiteEngine: StorageEngine {
    static let name = "sqlite"
    private let connection: Mutex<SQLiteConnection>

    init(path: String) throws {
        connection = Mutex(try SQLiteConnection(path: path))
    }

    func save(_ records: [Record]) throws { try connection.withLock { try $0.save(records) } }

    func fetch(_ ids: [Record.ID]) throws -> Int { try connection.withLock { try $0.fetch(ids) } }

    func scan(type: String?) throws -> Int { try connection.withLock { try $0.scan(type: type) } }

    func compact() throws { try connection.withLock { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") } }

    func close() throws { connection.withLock { $0.close() } }
}

struct SQLiteFailure: Error {
    let message: String
}

/// A connection with its statements.
struct SQLiteConnection {
    static let schema = """
        CREATE TABLE IF NOT EXISTS record (
            type TEXT NOT NULL, name TEXT NOT NULL, body BLOB NOT NULL, PRIMARY KEY (type, name))
        """

    private var database: OpaquePointer?
    private var insert: OpaquePointer?
    private var select: OpaquePointer?
    private var writer = RecordWriter()
    private var reader = RecordReader()

    init(path: String) throws {
        try check(sqlite3_open(path, &database))
        try execute("PRAGMA journal_mode = WAL")
        try execute("PRAGMA synchronous = FULL")
        try execute(Self.schema)
        insert = try prepare("INSERT OR REPLACE INTO record (type, name, body) VALUES (?, ?, ?)")
        select = try prepare("SELECT body FROM record WHERE type = ? AND name = ?")
    }

    mutating func close() {
        sqlite3_finalize(insert)
        sqlite3_finalize(select)
        sqlite3_close(database)
        (insert, select, database) = (nil, nil, nil)
    }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE else {
            throw SQLiteFailure(message: String(cString: sqlite3_errmsg(database)))
        }
    }

    func execute(_ statement: String) throws {
        try check(sqlite3_exec(database, statement, nil, nil, nil))
    }

    private func prepare(_ text: String) throws -> OpaquePointer? {
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v2(database, text, -1, &statement, nil))
        return statement
    }

    /// SQLite copies no text: it does not use the text after the closure returns.
    private func bind<Result>(_ id: Record.ID, to statement: OpaquePointer?, _ body: () throws -> Result) rethrows
        -> Result
    {
        var (type, name) = (id.type, id.name)
        return try type.withUTF8 { type in
            try name.withUTF8 { name in
                _ = type.withMemoryRebound(to: CChar.self) {
                    sqlite3_bind_text(statement, 1, $0.baseAddress, Int32($0.count), nil)
                }
                _ = name.withMemoryRebound(to: CChar.self) {
                    sqlite3_bind_text(statement, 2, $0.baseAddress, Int32($0.count), nil)
                }
                return try body()
            }
        }
    }

    mutating func save(_ records: [Record]) throws {
        try execute("BEGIN IMMEDIATE")
        for record in records {
            let bytes = try writer.bytes(of: record)
            try bind(record.id, to: insert) {
                try bytes.withUnsafeBytes { bytes in
                    sqlite3_bind_blob(insert, 3, bytes.baseAddress, Int32(bytes.count), nil)
                    try check(sqlite3_step(insert))
                }
            }
            try check(sqlite3_reset(insert))
        }
        try execute("COMMIT")
    }

    /// The record in the first column.
    private mutating func record(in statement: OpaquePointer?) throws -> Record {
        let count = Int(sqlite3_column_bytes(statement, 0))
        return try reader.record(from: UnsafeRawBufferPointer(start: sqlite3_column_blob(statement, 0), count: count))
    }

    mutating func fetch(_ ids: [Record.ID]) throws -> Int {
        if ids.count > 1 { try execute("BEGIN") }
        var records: [Record] = []
        for id in ids {
            let isThere = bind(id, to: select) { sqlite3_step(select) == SQLITE_ROW }
            if isThere { records.append(try record(in: select)) }
            try check(sqlite3_reset(select))
        }
        if ids.count > 1 { try execute("COMMIT") }
        return records.reduce(0) { $0 + $1.fields.count }
    }

    mutating func scan(type: String?) throws -> Int {
        let statement = try prepare("SELECT body FROM record" + (type == nil ? "" : " WHERE type = ?"))
        defer { sqlite3_finalize(statement) }
        // SQLite copies the text of the type: the function address -1 requests this.
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        if let type { try check(sqlite3_bind_text(statement, 1, type, -1, transient)) }
        var fields = 0
        while true {
            let code = sqlite3_step(statement)
            guard code == SQLITE_ROW else {
                try check(code)
                return fields
            }
            fields += try record(in: statement).fields.count
        }
    }
}
