#if Engines
import Foundation
import GRDBSQLite
@_spi(Engines) import NestedRecords
import Synchronization

/// The work of the engine for SQLite, written by hand for these records over SQLite's C interface.
///
/// It has the same tables, checks the versions of the records, and keeps the index, the references and the batches. It
/// does not wait in a queue, and knows the one index and the one reference of the records. Its pages have no cursor,
/// and it does not check whether more records follow.
final class HandWrittenSQLite: Sendable {
    private let connection: Mutex<HandWrittenConnection>

    init(path: String) throws { connection = Mutex(try HandWrittenConnection(path: path)) }

    func save(_ records: [Record]) throws { try connection.withLock { try $0.save(records) } }

    func fetch(_ ids: [Record.ID]) throws -> [Record] { try connection.withLock { try $0.fetch(ids) } }

    func items(from lower: Int, to upper: Int) throws -> [Record] {
        try connection.withLock {
            try $0.items(
                """
                SELECT body FROM entries JOIN records ON records.number = entries.record
                WHERE field_index = 1 AND entries.key >= ?1 AND entries.key < ?2 ORDER BY entries.name
                """, [.text($0.key(lower)), .text($0.key(upper))])
        }
    }

    func lastItems(_ count: Int) throws -> [Record] {
        try connection.withLock {
            try $0.items(
                """
                SELECT body FROM entries JOIN records ON records.number = entries.record
                WHERE field_index = 1 ORDER BY entries.key DESC, entries.name LIMIT ?1
                """, [.integer(Int64(count))])
        }
    }

    func close() { connection.withLock { $0.close() } }
}

private struct HandWrittenConnection {
    enum Value {
        case integer(Int64)
        case text(String)
        case bytes([UInt8])
    }

    private var database: OpaquePointer?
    private var statements: [String: OpaquePointer] = [:]
    private var writer = RecordWriter()
    private var reader = RecordReader()
    private var batch: Int64 = 0

    init(path: String) throws {
        try check(
            sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil))
        let schema = """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
            CREATE TABLE records(
                number INTEGER PRIMARY KEY, type TEXT NOT NULL, name TEXT NOT NULL, batch INTEGER NOT NULL, body BLOB);
            CREATE UNIQUE INDEX by_name ON records(type, name);
            CREATE INDEX by_batch ON records(batch);
            CREATE TABLE batches(number INTEGER PRIMARY KEY, mark INTEGER NOT NULL);
            CREATE TABLE record_references(
                target TEXT NOT NULL, record INTEGER NOT NULL, owns INTEGER NOT NULL,
                PRIMARY KEY(target, record)) WITHOUT ROWID;
            CREATE TABLE entries(
                field_index INTEGER NOT NULL, key TEXT NOT NULL, name TEXT NOT NULL, record INTEGER NOT NULL,
                PRIMARY KEY(field_index, key, name, record)) WITHOUT ROWID
            """
        try check(sqlite3_exec(database, schema, nil, nil, nil))
    }

    mutating func close() {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close(database)
    }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE else {
            throw SQLiteFailure(message: String(cString: sqlite3_errmsg(database)))
        }
    }

    /// Runs a statement that is prepared once.
    private mutating func run(
        _ sql: String, _ values: [Value] = [], row: (inout Self, OpaquePointer) throws -> Void = { _, _ in }
    ) throws {
        let statement: OpaquePointer
        if let known = statements[sql] {
            statement = known
        } else {
            var prepared: OpaquePointer?
            try check(sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil))
            guard let prepared else { throw SQLiteFailure(message: sql) }
            statements[sql] = prepared
            statement = prepared
        }
        defer { sqlite3_reset(statement) }
        // SQLite copies the texts: the function address -1 requests this.
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        for (position, value) in values.enumerated() {
            let position = Int32(position + 1)
            switch value {
            case .integer(let number): sqlite3_bind_int64(statement, position, number)
            case .text(let text): sqlite3_bind_text(statement, position, text, -1, transient)
            case .bytes(let bytes): sqlite3_bind_blob(statement, position, bytes, Int32(bytes.count), transient)
            }
        }
        while true {
            let code = sqlite3_step(statement)
            guard code == SQLITE_ROW else { return try check(code) }
            try row(&self, statement)
        }
    }

    private mutating func record(_ statement: OpaquePointer, _ column: Int32) throws -> Record {
        try reader.record(
            from: UnsafeRawBufferPointer(
                start: sqlite3_column_blob(statement, column),
                count: Int(sqlite3_column_bytes(statement, column))))
    }

    /// The keys of the numbers in their order.
    func key(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 19 - digits.utf8.count)) + digits
    }

    private func key(of record: Record) -> Value {
        guard case .int(let number)? = record[EngineRecords.field] else { return .text("") }
        return .text(key(Int(number)))
    }

    mutating func save(_ records: [Record]) throws {
        try run("BEGIN IMMEDIATE")
        batch += 1
        let mark = Int64.random(in: .min ... .max)
        try run("INSERT INTO batches VALUES (?1, ?2)", [.integer(batch), .integer(mark)])
        let prefix = "\(String(batch, radix: 36))-\(String(UInt64(bitPattern: mark), radix: 36))-"
        let date = Date()
        for (position, record) in records.enumerated() {
            var found: (number: Int64, record: Record)?
            try run(
                "SELECT number, body FROM records WHERE type = ?1 AND name = ?2",
                [.text(record.id.type), .text(record.id.name)]
            ) { found = (sqlite3_column_int64($1, 0), try $0.record($1, 1)) }
            if let tag = record.metadata?.changeTag, tag != found?.record.metadata?.changeTag {
                throw SQLiteFailure(message: "another version")
            }
            var version = record
            version.metadata = Record.Metadata(
                changeTag: prefix + String(position, radix: 36),
                creationDate: found?.record.metadata?.creationDate ?? date, modificationDate: date)
            let bytes = try writer.bytes(of: version)
            if let found {
                try run(
                    "UPDATE records SET body = ?2, batch = ?3 WHERE number = ?1",
                    [.integer(found.number), .bytes(bytes), .integer(batch)])
                if found.record[EngineRecords.field] != record[EngineRecords.field] {
                    try run(
                        "DELETE FROM entries WHERE field_index = 1 AND key = ?1 AND name = ?2 AND record = ?3",
                        [key(of: found.record), .text(record.id.name), .integer(found.number)])
                    try addEntry(of: record, found.number)
                }
                guard found.record["owner"] == record["owner"] else {
                    throw SQLiteFailure(message: "these items keep their owner")
                }
            } else {
                try run(
                    "INSERT INTO records(type, name, batch, body) VALUES (?1, ?2, ?3, ?4)",
                    [.text(record.id.type), .text(record.id.name), .integer(batch), .bytes(bytes)])
                let number = sqlite3_last_insert_rowid(database)
                try addEntry(of: record, number)
                if case .reference(let reference)? = record["owner"] {
                    try run(
                        "INSERT INTO record_references VALUES (?1, ?2, 0)",
                        [.text(reference.id.description), .integer(number)])
                }
            }
        }
        try run("COMMIT")
    }

    private mutating func addEntry(of record: Record, _ number: Int64) throws {
        try run(
            "INSERT INTO entries VALUES (1, ?1, ?2, ?3)",
            [key(of: record), .text(record.id.name), .integer(number)])
    }

    /// One statement finds all of them, which is faster than a statement for each.
    mutating func fetch(_ ids: [Record.ID]) throws -> [Record] {
        if ids.count == 1 {
            return try items(
                "SELECT body FROM records WHERE type = ?1 AND name = ?2", [.text(ids[0].type), .text(ids[0].name)])
        }
        // The names of items need no escaping.
        let names = "[" + ids.map { "\"\($0.name)\"" }.joined(separator: ",") + "]"
        var found = [Record?](repeating: nil, count: ids.count)
        try run(
            """
            SELECT list.key, body FROM json_each(?1) AS list
            CROSS JOIN records ON records.type = ?2 AND records.name = list.value
            """, [.text(names), .text(EngineRecords.type)]
        ) { found[Int(sqlite3_column_int64($1, 0))] = try $0.record($1, 1) }
        return found.compactMap(\.self)
    }

    mutating func items(_ sql: String, _ values: [Value]) throws -> [Record] {
        var found: [Record] = []
        try run(sql, values) { found.append(try $0.record($1, 0)) }
        return found
    }
}
#endif
