import Foundation
import NestedRecords
import NestedRecordsFile
import TestSupport
import Testing

/// What has a name and is no file is refused at once, and left as it is.
@Suite struct NoFileTests {
    private func expectNoFile(_ path: String) throws {
        for options in [FileRecordDatabase.Options(), .readOnly] {
            #expect {
                try FileRecordDatabase(path: path, options: options)
            } throws: { error in
                guard let error = error as? RecordDatabaseError, error.code == .notARecordDatabase, error.path == path
                else { return false }
                return true
            }
        }
    }

    @Test(.timeLimit(.minutes(10))) func pipeKeepsNobodyWaiting() throws {
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
        #expect {
            try FileRecordDatabase(path: path)
        } throws: { error in
            guard let error = error as? RecordDatabaseError, error.code == .inputOutput, error.path == path,
                error.operation == "open", error.systemCode == "\(ENOENT)"
            else { return false }
            return true
        }
    }

    @Test func deviceIsNotARecordFile() throws { try expectNoFile("/dev/null") }
}
