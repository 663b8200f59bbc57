import Foundation
import NestedRecords
import NestedRecordsFile
import TestSupport
import Testing

#if os(Linux)
import CExtendedAttributes
#endif

/// Who may read a database, and what else is said of its file, is as before after a compaction.
@Suite struct FileAttributeTests {
    private func status(_ path: String) throws -> stat {
        var status = stat()
        try #require(stat(path, &status) == 0)
        return status
    }

    private func permissions(_ path: String) throws -> mode_t { try status(path).st_mode & 0o7777 }

    @Test(arguments: [0o600, 0o640, 0o666, 0o755] as [mode_t])
    func compactionKeepsThePermissions(_ mode: mode_t) async throws {
        let folder = try TemporaryFolder()
        let database = try FileRecordDatabase(path: folder.path())
        try #require(chmod(folder.path(), mode) == 0)
        try await database.compact()
        #expect(try permissions(folder.path()) == mode)
    }

    @Test func compactionThatNobodyAskedForKeepsThePermissions() async throws {
        let folder = try TemporaryFolder()
        let database = try FileRecordDatabase(path: folder.path())
        try #require(chmod(folder.path(), 0o600) == 0)
        let text = Record.Value.string(String(repeating: "x", count: 400_000))
        for number in 1...8 {
            _ = try await database.save(
                RecordGraph([Flat.record("A/1", ["text": text, "n": .int(Int64(number))])]),
                savePolicy: .overwrite)
        }
        await database.compactionHasEnded()
        #expect(try await database.statistics().compactionCount > 0)
        #expect(try permissions(folder.path()) == 0o600)
    }

    @Test func keptTailHasThePermissionsOfTheFile() async throws {
        let folder = try TemporaryFolder()
        try await FileRecordDatabase(path: folder.path()).close()
        let file = try FileHandle(forWritingTo: URL(filePath: folder.path()))
        try file.seekToEnd()
        try file.write(contentsOf: Data(repeating: 7, count: 100))
        try file.close()
        try #require(chmod(folder.path(), 0o600) == 0)
        try await FileRecordDatabase(path: folder.path()).prepare()
        #expect(try permissions(folder.path("test.records.torn")) == 0o600)
    }

    /// Only a privileged program may give a file to somebody else.
    @Test(.enabled(if: geteuid() == 0)) func compactionKeepsOwnerAndGroup() async throws {
        let folder = try TemporaryFolder()
        let database = try FileRecordDatabase(path: folder.path())
        try #require(chown(folder.path(), 12_345, 12_346) == 0)
        try #require(chmod(folder.path(), 0o640) == 0)
        try await database.compact()
        let after = try status(folder.path())
        #expect((after.st_uid, after.st_gid) == (12_345, 12_346))
        #expect(after.st_mode & 0o7777 == 0o640)
    }

    #if os(Linux)
    @Test func compactionKeepsExtendedAttributes() async throws {
        let folder = try TemporaryFolder()
        let database = try FileRecordDatabase(path: folder.path())
        let value = Array("two\0words".utf8)
        guard setxattr(folder.path(), "user.origin", value, value.count, 0) == 0 else {
            try #require(errno == ENOTSUP)
            return
        }
        let isSet = setxattr(folder.path(), "user.empty", [UInt8](), 0, 0) == 0
        try #require(isSet)
        try await database.compact()
        var found = [UInt8](repeating: 0, count: 100)
        let count = getxattr(folder.path(), "user.origin", &found, found.count)
        #expect(count >= 0 && Array(found.prefix(max(0, count))) == value)
        #expect(getxattr(folder.path(), "user.empty", &found, found.count) == 0)
    }
    #endif
}
