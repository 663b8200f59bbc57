#if SQLite
import CSQLite
import Foundation
@_spi(Engines) import NestedRecords

/// A connection to a file of SQLite that reads one state of it, and never writes it.
///
/// Changes in a write-ahead log are read, and stay there. Beside a database with such a log SQLite may leave the files
/// `-wal` and `-shm`, as for each of its readers.
final class SQLiteFile {
    private let handle: OpaquePointer
    let path: String

    /// Opens a file, and begins to read.
    init(_ path: String) throws {
        self.path = path
        var opened: OpaquePointer?
        // Absolute, so that it is none of the names that have a meaning for SQLite.
        let file = URL(fileURLWithPath: path).path
        let result = sqlite3_open_v2(file, &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil)
        guard let opened else { throw InputError(input: path, reason: "cannot be read: there is not enough memory") }
        handle = opened
        if result != SQLITE_OK { throw failure() }
        sqlite3_busy_timeout(handle, 5_000)
        // The file may be from anywhere: its views must not call functions that do more than compute.
        for statement in ["PRAGMA trusted_schema = OFF", "PRAGMA cell_size_check = ON", "BEGIN"] {
            try forEachRow(statement) { _ in }
        }
    }

    deinit { sqlite3_close_v2(handle) }

    /// Calls a closure with the values of each row of a statement.
    func forEachRow(_ sql: String, _ body: ([Record.Value]) throws -> Void) throws {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else { throw failure() }
        defer { sqlite3_finalize(statement) }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW:
                try body((0..<sqlite3_column_count(statement)).map { Self.value($0, of: statement) })
            case SQLITE_DONE: return
            default: throw failure()
            }
            try Task.checkCancellation()
        }
    }

    /// The value of a column, of SQLite's own type; a text that is not UTF-8 is bytes.
    private static func value(_ column: Int32, of row: OpaquePointer) -> Record.Value {
        switch sqlite3_column_type(row, column) {
        case SQLITE_INTEGER: return .int(sqlite3_column_int64(row, column))
        case SQLITE_FLOAT: return .double(sqlite3_column_double(row, column))
        case SQLITE_NULL: return .null
        case let type:
            // The text first: that makes UTF-8 of it.
            let text = type == SQLITE_TEXT ? sqlite3_column_text(row, column) : nil
            guard let address = text.map({ UnsafeRawPointer($0) }) ?? sqlite3_column_blob(row, column) else {
                return type == SQLITE_TEXT ? .string("") : .bytes(Data())
            }
            let bytes = UnsafeRawBufferPointer(start: address, count: Int(sqlite3_column_bytes(row, column)))
            if text != nil, let text = String(validUTF8: Array(bytes)) { return .string(text) }
            return .bytes(Data(bytes))
        }
    }

    /// The name in a declaration.
    ///
    /// - Throws: ``InputError`` for a name that is not UTF-8.
    func name(_ value: Record.Value) throws -> String {
        if case .string(let name) = value { return name }
        throw InputError(input: path, reason: "has a table or a column whose name is not UTF-8")
    }

    private func failure() -> InputError {
        let message = String(cString: sqlite3_errmsg(handle))
        return InputError(input: path, reason: "cannot be read as a SQLite database: \(message)")
    }
}
#endif
