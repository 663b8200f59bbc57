#if SQLite
import CSQLite
import Foundation
import NestedRecords
import Testing

@testable import NestedRecordsSQLite

/// The messages of errors, which other tests do not compare.
@Suite struct SQLiteErrorMessageTests {
    @Test func errorsDescribeThemselves() throws {
        func answer(_ code: Int32) -> SQLiteRecordDatabaseError {
            SQLiteRecordDatabaseError(resultCode: code, message: "no", path: "a")
        }
        let record = try Record.ID("A/1")
        let errors: [(SQLiteRecordDatabaseError, SQLiteRecordDatabaseError.Code, String)] = [
            (
                answer(SQLITE_BUSY), .busy,
                "the database a was in use by others for too long; nothing was written: no (SQLite's result 5)"
            ),
            (
                answer(SQLITE_FULL), .diskFull,
                "there is no room for what is to be written to the database a: no (SQLite's result 13)"
            ),
            (answer(SQLITE_CORRUPT), .corrupt, "the database a is damaged: no (SQLite's result 11)"),
            (answer(SQLITE_READONLY), .readOnly, "the database a cannot be written: no (SQLite's result 8)"),
            (
                answer(SQLITE_NOTADB), .notADatabase,
                "the file a is not a database of SQLite: no (SQLite's result 26)"
            ),
            (answer(SQLITE_CANTOPEN), .cannotOpen, "the database a cannot be opened: no (SQLite's result 14)"),
            (
                answer(SQLITE_IOERR), .inputOutput,
                "the system could not read or write the database a: no (SQLite's result 10)"
            ),
            (
                answer(SQLITE_TOOBIG), .recordTooLarge,
                "a record is too large for the database a: no (SQLite's result 18)"
            ),
            (
                answer(SQLITE_ERROR), .refused, "SQLite refuses something to the database a: no (SQLite's result 1)"
            ),
            (
                SQLiteRecordDatabaseError(.notARecordDatabase, path: "a"), .notARecordDatabase,
                "the database a is not one of records"
            ),
            (
                .unsupportedVersion(path: "a", version: 9), .unsupportedVersion,
                "the database a has tables of version 9, which this library does not know"
            ),
            (
                SQLiteRecordDatabaseError(.fileReplaced, path: "a"), .fileReplaced,
                "the database a was replaced by another one since it was opened"
            ),
            (
                SQLiteRecordDatabaseError(.invalidPath, path: "a\0", reason: "no"), .invalidPath,
                #"the path "a\0" cannot be opened: no"#
            ),
            (SQLiteRecordDatabaseError(.closed, path: "a"), .closed, "the database a is closed"),
            (.corrupt(path: "a", what: "no"), .corrupt, "the database a is damaged: no"),
            (
                .corrupt(path: "a", record: record, row: 2, what: "no"), .corrupt,
                "the database a is damaged (record A/1, row 2): no; delete the record or save it, "
                    + "whatever its version"
            ),
            (
                .corrupt(path: "a", row: 2, what: "no"), .corrupt,
                "the database a is damaged (row 2): no; remove the row with the SQL statements: "
                    + "DELETE FROM entries WHERE record = 2; DELETE FROM record_references WHERE record = 2; "
                    + "DELETE FROM records WHERE number = 2; "
                    + "UPDATE state SET deletion_count = (SELECT count(*) FROM records WHERE body IS NULL)"
            ),
            (
                SQLiteRecordDatabaseError(.init(rawValue: "encrypted"), path: "a", reason: "there is no key"),
                .init(rawValue: "encrypted"), "encrypted (database a): there is no key"
            ),
        ]
        for (error, code, text) in errors {
            #expect(error.code == code)
            #expect("\(error)" == text)
            #expect((error as any Error).localizedDescription == text)
        }
    }
}
#endif
