#if Engines
import CLibpq
import NestedRecords
import Synchronization

/// Only a query of libpq for the records of a level: the bytes are counted in libpq's memory.
final class HandWrittenPostgreSQL: Sendable {
    private let connection: Mutex<LevelConnection>

    init(connection text: String, table: String) throws {
        connection = Mutex(try LevelConnection(text, table: table))
    }

    /// The number of records.
    func fetch(_ ids: [Record.ID]) throws -> Int { try connection.withLock { try $0.fetch(ids) } }

    /// In bytes, with its indexes.
    func sizeOfTable() throws -> Double { try connection.withLock { try $0.sizeOfTable() } }

    /// The first column of the answer to a statement, such as `EXPLAIN`.
    func lines(_ sql: String) throws -> [String] { try connection.withLock { try $0.lines(sql) } }

    func close() { connection.withLock { $0.close() } }
}

private struct LevelConnection {
    private let pointer: OpaquePointer?
    private let table: String

    init(_ text: String, table: String) throws {
        self.table = table
        pointer = PQconnectdb(text)
        guard PQstatus(pointer) == CONNECTION_OK else { throw failure }
        let sql = """
            SELECT r.type, r.name, r.body FROM unnest($1::text[], $2::text[]) AS i(type, name)
            JOIN \(table) r ON r.type = i.type AND r.name = i.name WHERE r.body IS NOT NULL
            """
        let result = PQprepare(pointer, "level", sql, 2, nil)
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_COMMAND_OK else { throw failure }
    }

    private var failure: SQLiteFailure { SQLiteFailure(message: String(cString: PQerrorMessage(pointer))) }

    func fetch(_ ids: [Record.ID]) throws -> Int {
        // The names of items need no escaping.
        let types = "{" + ids.map(\.type).joined(separator: ",") + "}"
        let names = "{" + ids.map(\.name).joined(separator: ",") + "}"
        let result = types.withCString { types in
            names.withCString { names in PQexecPrepared(pointer, "level", 2, [types, names], nil, nil, 1) }
        }
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_TUPLES_OK else { throw failure }
        return (0..<PQntuples(result)).count { PQgetlength(result, $0, 2) > 0 }
    }

    func sizeOfTable() throws -> Double {
        guard let size = try lines("SELECT pg_total_relation_size('\(table)')").first.flatMap(Double.init) else {
            throw failure
        }
        return size
    }

    func lines(_ sql: String) throws -> [String] {
        let result = PQexec(pointer, sql)
        defer { PQclear(result) }
        guard [PGRES_TUPLES_OK, PGRES_COMMAND_OK].contains(PQresultStatus(result)) else { throw failure }
        return (0..<PQntuples(result)).map { String(cString: PQgetvalue(result, $0, 0)) }
    }

    func close() { PQfinish(pointer) }
}
#endif
