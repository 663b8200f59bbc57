import Foundation
import GRDB
import GRDBSQLite
import NestedRecords
import Synchronization

/// The queries of the comparison in SQL, on a table with a JSON text and without an index on its fields.
enum QuerySQL {
    static let schema = """
        CREATE TABLE IF NOT EXISTS record (
            type TEXT NOT NULL, name TEXT NOT NULL, body TEXT NOT NULL, owner TEXT,
            PRIMARY KEY (type, name));
        CREATE TABLE IF NOT EXISTS owned (
            name TEXT PRIMARY KEY, owner TEXT REFERENCES owned(name) ON DELETE CASCADE, body TEXT NOT NULL);
        CREATE INDEX IF NOT EXISTS byOwner ON owned(owner);
        CREATE INDEX IF NOT EXISTS byReference ON record(owner);
        """

    static let filter = "SELECT body FROM record WHERE type = ? AND json_extract(body, '$.count1') > 99000"
    static let sort = """
        SELECT body FROM record WHERE type = ?
        ORDER BY json_extract(body, '$.count1') DESC, json_extract(body, '$.name0'), name LIMIT 20
        """
    static let count = """
        SELECT count(*) FROM record
        WHERE type = ? AND json_extract(body, '$.price3') < 5000 AND json_extract(body, '$.active4')
        """

    static func referrers(_ ids: [NestedRecords.Record.ID], isIndexed: Bool) -> String {
        let list = ids.map { "'\($0)'" }.joined(separator: ",")
        return isIndexed
            ? "SELECT body FROM record WHERE owner IN (\(list))"
            : "SELECT body FROM record WHERE json_extract(body, '$.owner6') IN (\(list))"
    }

    /// The fields as JSON.
    static func json(of record: NestedRecords.Record) throws -> String {
        let members = record.fields.map { name, value in
            switch value {
            case .string(let text): "\"\(name)\":\"\(text)\""
            case .int(let number): "\"\(name)\":\(number)"
            case .double(let number): "\"\(name)\":\(number)"
            case .bool(let value): "\"\(name)\":\(value)"
            case .date(let date): "\"\(name)\":\(date.timeIntervalSince1970)"
            case .reference(let reference): "\"\(name)\":\"\(reference.id)\""
            case .location(let location): "\"\(name)\":[\(location.latitude),\(location.longitude)]"
            case .list(let values): "\"\(name)\":[\(values.map { "\($0)" }.joined(separator: ","))]"
            default: "\"\(name)\":null"
            }
        }
        return "{" + members.joined(separator: ",") + "}"
    }

    /// The targets of a record's references.
    static func owner(of record: NestedRecords.Record) -> String? {
        guard case .reference(let reference)? = record["owner6"] else { return nil }
        return "\(reference.id)"
    }
}

/// SQLite through its C interface.
final class SQLiteQueries: Sendable {
    private struct Connection {
        var database: OpaquePointer?
    }

    private let connection: Mutex<Connection>

    init(path: String) throws {
        var database: OpaquePointer?
        guard sqlite3_open(path, &database) == SQLITE_OK else { throw SQLiteFailure(message: path) }
        connection = Mutex(Connection(database: database))
        for statement in ["PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "PRAGMA foreign_keys = ON"] {
            _ = try rows(statement)
        }
        for statement in QuerySQL.schema.split(separator: ";") { _ = try rows(String(statement)) }
    }

    /// The number of bytes of text, or the number, that a statement finds.
    @discardableResult
    func rows(_ sql: String, _ arguments: [String?] = []) throws -> Int {
        try connection.withLock { connection in
            var statement: OpaquePointer?
            defer { sqlite3_finalize(statement) }
            guard sqlite3_prepare_v2(connection.database, sql, -1, &statement, nil) == SQLITE_OK else {
                throw SQLiteFailure(message: String(cString: sqlite3_errmsg(connection.database)))
            }
            // SQLite copies the texts: the function address -1 requests this.
            let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
            for (position, argument) in arguments.enumerated() {
                if let argument { sqlite3_bind_text(statement, Int32(position + 1), argument, -1, transient) }
            }
            var sum = 0
            while true {
                switch sqlite3_step(statement) {
                case SQLITE_ROW:
                    sum +=
                        sqlite3_column_type(statement, 0) == SQLITE_INTEGER
                        ? Int(sqlite3_column_int64(statement, 0)) : Int(sqlite3_column_bytes(statement, 0))
                case SQLITE_DONE: return sum
                default: throw SQLiteFailure(message: String(cString: sqlite3_errmsg(connection.database)))
                }
            }
        }
    }

    func fill(_ records: [NestedRecords.Record]) throws {
        try rows("BEGIN")
        for record in records {
            try rows(
                "INSERT INTO record VALUES (?, ?, ?, ?)",
                [record.id.type, record.id.name, QuerySQL.json(of: record), QuerySQL.owner(of: record)])
        }
        try rows("COMMIT")
    }

    func addOwned(_ count: Int, to owner: String) throws {
        try rows("BEGIN")
        try rows("INSERT INTO owned VALUES (?, NULL, '{}')", [owner])
        for number in 0..<count { try rows("INSERT INTO owned VALUES (?, ?, '{}')", ["\(owner)-\(number)", owner]) }
        try rows("COMMIT")
    }

    func close() { connection.withLock { _ = sqlite3_close($0.database) } }
}

/// The same with GRDB.
final class GRDBQueries: Sendable {
    private let pool: DatabasePool

    init(path: String) throws { pool = try DatabasePool(path: path) }

    func texts(_ sql: String, _ arguments: [String] = []) async throws -> Int {
        try await pool.read { database in
            try String.fetchAll(database, sql: sql, arguments: StatementArguments(arguments)).count
        }
    }

    func delete(_ owner: String) async throws {
        try await pool.write { try $0.execute(sql: "DELETE FROM owned WHERE name = ?", arguments: [owner]) }
    }

    func close() throws { try pool.close() }
}
