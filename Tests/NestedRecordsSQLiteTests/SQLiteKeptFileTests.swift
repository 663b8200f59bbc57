#if SQLite
import Foundation
import NestedRecords
import NestedRecordsSQLite
import TestSupport
import Testing

/// A database of each version, as SQL: a version that is released must be read by all later ones.
@Suite struct SQLiteKeptFileTests {
    @Test(arguments: ["0.1.0"]) func databaseOfAVersionIsRead(_ version: String) async throws {
        let sql = "\(KeptRecords.folder(of: #filePath))/\(version).sql"
        let lines = sql.replacing("NestedRecordsSQLiteTests", with: "NestedRecordsFileTests").replacing(
            ".sql", with: ".jsonl")
        let expected = try KeptRecords.records(ofLinesAt: lines)
        let folder = try TemporaryFolder()
        _ = try Article.output(of: "sqlite3", [folder.path(), ".read \(sql)"])
        let database = try SQLiteRecordDatabase(path: folder.path())
        #expect(expected.count == 3)
        #expect(try await KeptRecords.records(in: database) == expected)
        #expect(try await database.referrers(of: [Record.ID("Book/1")]).values.flatMap(\.self).count == 2)
        let id = try Record.ID("Book/2")
        _ = try await database.commit(RecordBatch(saving: [Record(id: id, fields: ["title": .string("Lanterns")])]))
        #expect(try await KeptRecords.records(in: database).count == 4)
    }
}
#endif
