import NestedRecords
import NestedRecordsFile
import TestSupport
import Testing

/// What `print` and `dump` say about a file database.
@Suite struct FilePrintTests {
    private func dumped(_ value: some Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text
    }

    @Test func databaseHasItsPathAndNumberOfRecords() async throws {
        let folder = try TemporaryFolder()
        let database = try FileRecordDatabase(path: folder.path())
        #expect("\(database)" == "FileRecordDatabase at \(folder.path()) (not read)")
        try await database.prepare()
        #expect("\(database)" == "FileRecordDatabase at \(folder.path()) with 0 records")
        _ = try await database.save(RecordGraph([Flat.record("A/1")]))
        #expect("\(database)" == "FileRecordDatabase at \(folder.path()) with 1 record")
        #expect(dumped(database) == "- FileRecordDatabase at \(folder.path()) with 1 record #0\n")
        let reader = try FileRecordDatabase(path: folder.path(), options: .readOnly)
        #expect("\(reader)" == "FileRecordDatabase at \(folder.path()) (not read), read-only")
        try await reader.prepare()
        #expect("\(reader)" == "FileRecordDatabase at \(folder.path()) with 1 record, read-only")
        try await database.close()
        #expect("\(database)" == "FileRecordDatabase at \(folder.path()) (closed)")
    }
}
