#if SQLite
import CSQLite
import Foundation
@testable import NestedRecords
import TestSupport
import Testing

@testable import NestedRecordsSQLite

/// What a database file may be, and what it may become while it is open.
@Suite struct SQLiteOpeningTests: SQLiteSuite {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func expectRefused(_ code: RecordDatabaseError.Code, _ path: String? = nil) {
        let path = path ?? self.path
        let failure = #expect(throws: RecordDatabaseError.self) { try SQLiteRecordDatabase(path: path) }
        #expect(failure?.code == code && failure?.path == path, "\(String(describing: failure))")
    }

    @Test func pathsThatNoFileCanHaveAreRefused() {
        expectRefused(.invalidPath, "")
        expectRefused(.invalidPath, "a\0b")
        expectRefused(.cannotOpen, folder.path("none/test.sqlite"))
        expectRefused(.cannotOpen, folder.url.path)
    }

    @Test func specialNamesAreFiles() async throws {
        let folder = try TemporaryFolder()
        for name in [":memory:", "file:a?mode=memory", "a b'%20"] {
            let database = try SQLiteRecordDatabase(path: folder.path(name))
            try await database.commit(RecordBatch(saving: [try Flat.record("A/1")], savePolicy: .overwrite))
            try await database.close()
            #expect(try folder.names.contains(name))
        }
    }

    @Test func otherFilesAreRefusedAndLeftAlone() throws {
        let bytes = Data(String(repeating: "This is no database. ", count: 100).utf8)
        try bytes.write(to: URL(fileURLWithPath: path))
        expectRefused(.notARecordDatabase)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
    }

    @Test func longLogIsReadByTheFirstCall() async throws {
        let database = try open()
        let text = String(repeating: "a", count: 20 << 20)
        try await database.commit(
            RecordBatch(saving: [try Flat.record("A/1", ["text": .string(text)])], savePolicy: .overwrite))
        // As a process that was killed leaves them.
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: folder.path("copy" + suffix))
        }
        let copy = try SQLiteRecordDatabase(path: folder.path("copy"))
        #expect(!(try folder.names.contains("copy-shm")))
        #expect(try await copy.allRecords.count == 1)
        #expect(try folder.names.contains("copy-shm"))
        try await copy.close()
        try await database.close()
    }

    @Test func problemsOfAFileWithALongLogAreReportedByTheFirstCall() async throws {
        try Data(String(repeating: "This is no database. ", count: 100).utf8).write(to: URL(fileURLWithPath: path))
        #expect(FileManager.default.createFile(atPath: path + "-wal", contents: Data(count: 17 << 20)))
        let database = try open()
        let failure = await #expect(throws: RecordDatabaseError.self) { try await database.prepare() }
        #expect(failure?.code == .notARecordDatabase)
        let next = await #expect(throws: RecordDatabaseError.self) { _ = try await database.allRecords }
        #expect(next?.code == .notARecordDatabase)
    }

    @Test func databasesWithOtherTablesAreRefusedAndLeftAlone() throws {
        try run("CREATE TABLE records(a)")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        expectRefused(.notARecordDatabase)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
    }

    @Test func laterVersionsAreRefused() async throws {
        try await open().close()
        let later = Schema.version + 1
        try run("PRAGMA user_version = \(later)")
        let failure = #expect(throws: RecordDatabaseError.self) { try open() }
        #expect(failure?.code == .unsupportedVersion && "\(failure, default: "")".contains("version \(later),"))
    }

    @Test func tablesThatWereAddedOrRemovedAreRefused() async throws {
        try await open().close()
        try run("CREATE TRIGGER t AFTER INSERT ON records BEGIN DELETE FROM records; END")
        expectRefused(.corrupt)
        try run("DROP TRIGGER t; DROP TABLE entries")
        expectRefused(.corrupt)
    }

    @Test func aMissingFileIsNotMadeForReading() throws {
        let failure = #expect(throws: RecordDatabaseError.self) { try open { $0.isReadOnly = true } }
        #expect(failure?.code == .cannotOpen)
        #expect(try folder.names.isEmpty)
        try Data().write(to: URL(fileURLWithPath: path))
        #expect(throws: RecordDatabaseError.self) { try open { $0.isReadOnly = true } }
    }

    @Test func nothingIsWrittenThroughAReader() async throws {
        let database = try open()
        try await database.commit(RecordBatch(saving: [try Flat.record("A/1")], savePolicy: .overwrite))
        let reader = try open {
            $0.isReadOnly = true
            $0.indexes = [FieldIndex("A", by: "n")]
        }
        #expect(try await reader.allRecords.count == 1)
        let failure = await #expect(throws: RecordDatabaseError.self) {
            try await reader.commit(RecordBatch(deletingAnyVersionOf: [try Record.ID("A/1")]))
        }
        #expect(failure?.code == .readOnly)
        #expect("\(reader)".hasSuffix("read-only"))
        try await reader.close()
    }

    @Test func aFileThatTookThePlaceOfAnotherIsNotRead() async throws {
        let database = try open()
        try await database.commit(RecordBatch(saving: [try Flat.record("A/1")], savePolicy: .overwrite))
        for name in try folder.names { try FileManager.default.removeItem(atPath: folder.path(name)) }
        let other = folder.path("other.sqlite")
        try await SQLiteRecordDatabase(path: other).close()
        try FileManager.default.moveItem(atPath: other, toPath: path)
        let failure = await #expect(throws: RecordDatabaseError.self) { try await database.allRecords }
        #expect(failure?.code == .fileReplaced)
    }

    @Test(arguments: [false, true]) func nothingIsWrittenToAFileThatWasReplacedOrDeleted(_ isReplaced: Bool)
        async throws
    {
        let database = try open()
        let record = try Flat.record("A/1")
        try await database.commit(RecordBatch(saving: [record], savePolicy: .overwrite))
        let other = folder.path("other.sqlite")
        try await SQLiteRecordDatabase(path: other).close()
        for name in try folder.names where !name.hasPrefix("other") {
            try FileManager.default.removeItem(atPath: folder.path(name))
        }
        if isReplaced { try FileManager.default.moveItem(atPath: other, toPath: path) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let failure = await #expect(throws: RecordDatabaseError.self) {
                        try await database.commit(RecordBatch(saving: [record], savePolicy: .overwrite))
                    }
                    #expect(failure?.code == .fileReplaced)
                }
            }
            try await group.waitForAll()
        }
        if !isReplaced { return }
        let reopened = try open()
        #expect(try await reopened.allRecords.isEmpty)
        try await reopened.commit(RecordBatch(saving: [record], savePolicy: .overwrite))
    }

    @Test func aFileWithOtherTablesThatTookThePlaceIsNotRead() async throws {
        let database = try open()
        for name in try folder.names { try FileManager.default.removeItem(atPath: folder.path(name)) }
        try run("CREATE TABLE other (a)")
        let failure = await #expect(throws: RecordDatabaseError.self) { try await database.allRecords }
        #expect(failure?.code == .fileReplaced)
    }

    @Test func missingTablesAreNotAnotherFile() async throws {
        let database = try open()
        try await database.prepare()
        try run("ALTER TABLE state RENAME TO other")
        let failure = await #expect(throws: RecordDatabaseError.self) { try await database.allRecords }
        #expect(failure?.code == .corrupt && failure?.reason == "tables are missing, or were added")
    }

    @Test func otherFailuresOfAReaderToOpenAreReported() async throws {
        let database = try open()
        for name in try folder.names { try FileManager.default.removeItem(atPath: folder.path(name)) }
        try Data(repeating: 65, count: 8_192).write(to: URL(fileURLWithPath: path))
        let failure = await #expect(throws: RecordDatabaseError.self) { try await database.allRecords }
        #expect(failure?.code == .notARecordDatabase)
    }

    @Test func indexesAreMadeByTheFirstCall() async throws {
        let records = try (0..<8).map { try Flat.record("T/\($0)", ["n": .int($0)]) }
        try await open().commit(RecordBatch(saving: records, savePolicy: .overwrite))
        let query = RecordQuery("T", where: .compare("n", .equal, 1))
        let database = try open { $0.indexes = [FieldIndex("T", by: "n")] }
        #expect(try await open().page(query).examinedCount == 8)
        #expect(try await database.page(query).examinedCount == 1)
    }

    @Test func aFileThatOthersMakeIsOpenedByTheFirstCall() async throws {
        let release = try hold("BEGIN EXCLUSIVE")
        let database = try open()
        for _ in 1...2 {
            let failure = await #expect(throws: RecordDatabaseError.self) { try await database.prepare() }
            #expect(failure?.code == .busy)
        }
        release()
        try await database.commit(RecordBatch(saving: [try Flat.record("A/1")], savePolicy: .overwrite))
        #expect(try await database.verify().isEmpty)
    }

    @Test func aDatabaseIsClosedOnce() async throws {
        let database = try open()
        try await database.close()
        try await database.close()
        let failure = await #expect(throws: RecordDatabaseError.self) { try await database.verify() }
        #expect(failure?.code == .closed)
    }
}
#endif
