import Foundation
import NestedRecords
import NestedRecordsFile
import TestSupport
import Testing

/// What has a name and is no file is refused at once, and left as it is.
@Suite struct NoFileTests {
    private func expectNoFile(_ path: String) throws {
        for options in [FileRecordDatabase.Options(), .readOnly] {
            let failure = #expect(throws: RecordDatabaseError.self) {
                try FileRecordDatabase(path: path, options: options)
            }
            #expect(failure?.code == .notARecordDatabase && failure?.path == path)
        }
    }

    @Test(.timeLimit(.minutes(60))) func pipeKeepsNobodyWaiting() throws {
        let folder = try TemporaryFolder()
        try #require(mkfifo(folder.path(), 0o600) == 0)
        try expectNoFile(folder.path())
        #expect(try folder.names == ["test.records"])
    }

    @Test func folderIsNotARecordFile() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path(), withIntermediateDirectories: false)
        try expectNoFile(folder.path())
        #expect(try folder.names == ["test.records"])
    }

    @Test func errorNamesThePathThatWasGiven() throws {
        let path = try TemporaryFolder().path("nowhere/test.records")
        let failure = #expect(throws: RecordDatabaseError.self) { try FileRecordDatabase(path: path) }
        #expect(failure?.code == .inputOutput && failure?.path == path && failure?.operation == "open")
        #expect(failure?.systemCode == "\(ENOENT)")
    }

    @Test func deviceIsNotARecordFile() throws { try expectNoFile("/dev/null") }
}
