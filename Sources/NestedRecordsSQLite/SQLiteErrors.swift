#if SQLite
import CSQLite
@_spi(Engines) import NestedRecords

extension RecordDatabaseError {
    /// - Parameter resultCode: SQLite's extended result code.
    init(resultCode: Int32, message: String, path: String) {
        self.init(Code(resultCode), .system(code: "\(resultCode)"), reason: message, path: path)
    }

    /// - Parameter row: The number of the damaged row; nil if the damage is not in a row.
    static func corrupt(
        path: String, record: Record.ID? = nil, row: Int64? = nil, what: String, underlyingError: (any Error)? = nil
    ) -> RecordDatabaseError {
        let hint = row.map { row in
            record == nil
                ? "remove the row with the SQL statements: " + Schema.removal(ofRow: row).joined(separator: "; ")
                : "delete the record with a RecordBatch, or overwrite it"
        }
        return RecordDatabaseError(
            .corrupt, reason: row.map { "row \($0): \(what)" } ?? what, recordID: record, path: path, hint: hint,
            underlyingError: underlyingError)
    }
}

extension ErrorCode<RecordDatabaseError> {
    fileprivate init(_ resultCode: Int32) {
        self =
            switch resultCode & 0xFF {
            // The file with the suffix -shm cannot be made larger.
            case SQLITE_IOERR where resultCode == SQLITE_IOERR | 19 << 8: .diskFull
            case SQLITE_BUSY, SQLITE_LOCKED: .busy
            case SQLITE_FULL: .diskFull
            // A row that violates a constraint was missing when it was searched for.
            case SQLITE_CORRUPT, SQLITE_CONSTRAINT: .corrupt
            case SQLITE_READONLY: .readOnly
            case SQLITE_NOTADB: .notARecordDatabase
            case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH: .cannotOpen
            case SQLITE_IOERR: .inputOutput
            case SQLITE_TOOBIG: .recordTooLarge
            default: .refused
            }
    }
}
#endif
