#if SQLite
import CSQLite
import Foundation
import NestedRecords
import Testing

@testable import NestedRecordsSQLite

/// What answers of SQLite mean, which other tests do not compare.
@Suite struct SQLiteErrorMessageTests {
    @Test(
        arguments: [
            (SQLITE_BUSY, .busy), (SQLITE_LOCKED, .busy), (SQLITE_FULL, .diskFull), (SQLITE_IOERR | 19 << 8, .diskFull),
            (SQLITE_CORRUPT, .corrupt), (SQLITE_CONSTRAINT, .corrupt), (SQLITE_READONLY, .readOnly),
            (SQLITE_NOTADB, .notARecordDatabase), (SQLITE_CANTOPEN, .cannotOpen), (SQLITE_PERM, .cannotOpen),
            (SQLITE_IOERR, .inputOutput), (SQLITE_TOOBIG, .recordTooLarge), (SQLITE_ERROR, .refused),
        ] as [(Int32, RecordDatabaseError.Code)])
    func answersOfSQLiteHaveCodes(_ answer: Int32, _ code: RecordDatabaseError.Code) {
        let error = RecordDatabaseError(resultCode: answer, message: "no", path: "a")
        #expect(error.code == code && error.path == "a" && error.systemCode == "\(answer)")
        #expect("\(error)".hasSuffix(": no (error \(answer))"))
    }

    @Test func damageSaysWhatToDo() throws {
        let record = try Record.ID("A/1")
        let errors: [(RecordDatabaseError, String)] = [
            (.corrupt(path: "a", what: "no"), "the file a is damaged: no"),
            (
                .corrupt(path: "a", record: record, row: 2, what: "no"),
                "the file a is damaged (record A/1): row 2: no; delete the record with a RecordBatch, or overwrite it"
            ),
            (
                .corrupt(path: "a", row: 2, what: "no"),
                "the file a is damaged: row 2: no; remove the row with the SQL statements: "
                    + "DELETE FROM entries WHERE record = 2; DELETE FROM audience_entries WHERE record = 2; "
                    + "DELETE FROM departures WHERE record = 2; "
                    + "UPDATE state SET departure_count = (SELECT count(*) FROM departures); "
                    + "DELETE FROM record_references WHERE record = 2 OR target = 2; "
                    + "DELETE FROM records WHERE number = 2; "
                    + "UPDATE state SET deletion_count = (SELECT count(*) FROM records WHERE body IS NULL AND batch IS NOT NULL); "
                    + "UPDATE types SET count = "
                    + "(SELECT count(*) FROM records WHERE type = types.number AND body IS NOT NULL)"
            ),
        ]
        for (error, text) in errors { #expect("\(error)" == text) }
    }
}
#endif
