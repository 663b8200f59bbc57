import NestedRecords
import NestedRecordsFile
import TestSupport
import Testing

/// What `print` and `dump` say about a file database and its statistics.
@Suite struct FilePrintTests {
    private func dumped(_ value: some Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text
    }

    @Test func databaseHasItsPathAndNumberOfRecords() async throws {
        let folder = try TemporaryFolder()
        let database = try FileRecordDatabase(path: folder.path())
        #expect("\(database)" == "FileRecordDatabase at \(folder.path()) with 0 records")
        _ = try await database.save(RecordGraph([Flat.record("A/1")]))
        #expect("\(database)" == "FileRecordDatabase at \(folder.path()) with 1 record")
        #expect(dumped(database) == "- FileRecordDatabase at \(folder.path()) with 1 record #0\n")
        let reader = try FileRecordDatabase(path: folder.path(), options: .readOnly)
        #expect("\(reader)" == "FileRecordDatabase at \(folder.path()) with 1 record, read-only")
        try await database.close()
        #expect("\(database)" == "FileRecordDatabase at \(folder.path()) (closed)")
    }

    @Test func statisticsAreATable() async throws {
        let folder = try TemporaryFolder()
        let database = try FileRecordDatabase(path: folder.path())
        let empty = try await database.statistics()
        #expect(
            "\(empty)" == """
                type  records  bytes
                all         0      0
                \(empty.fileSize) bytes in the file, 0 live, \(empty.deadByteCount) dead, 0 compactions
                """)
        let records = try (1...12).map { try Flat.record("Volume/\($0)") } + [Flat.record("A/1")]
        _ = try await database.save(RecordGraph(records))
        try await database.compact()
        let statistics = try await database.statistics()
        let (small, large) = (statistics.types[0].byteCount, statistics.types[1].byteCount)
        #expect((10...99).contains(small) && (100...999).contains(large))
        let text = """
            type    records  bytes
            A             1     \(small)
            Volume       12    \(large)
            all          13    \(small + large)
            \(statistics.fileSize) bytes in the file, \(small + large) live, \(statistics.deadByteCount) dead, \
            1 compaction
            """
        #expect("\(statistics)" == text)
        #expect(dumped(statistics) == "- \(text)\n")
    }
}
