#if SQLite
import NestedRecords
@testable import NestedRecordsSQLite
import TestSupport
import Testing

/// A disk without room, which is a small file system.
@Suite(.enabled(if: SmallDisk.canBeMounted, Comment(rawValue: SmallDisk.reason)))
struct SQLiteFullDiskTests {
    private let disk: SmallDisk

    init() throws { disk = try SmallDisk(megabytes: 4) }

    private func open() throws -> SQLiteRecordDatabase {
        var options = SQLiteRecordDatabase.Options()
        options.indexes = [FieldIndex("A", by: "n")]
        return try SQLiteRecordDatabase(path: disk.path("test.sqlite"), options: options)
    }

    /// Two records, of which the first one was saved before.
    private func batch(_ number: Int64) throws -> RecordBatch {
        let text = Record.Value.string(String(repeating: "x", count: 5_000))
        let fields: Record.Fields = ["n": .int(number), "text": text]
        return RecordBatch(
            saving: [try Flat.record("A/all", fields), try Flat.record("A/\(number)", fields)], savePolicy: .overwrite)
    }

    /// Saves batches until there is no room for another one.
    ///
    /// - Returns: The number of the last one that was saved.
    private func saveUntilFull(_ database: SQLiteRecordDatabase, from start: Int64 = 1) async throws -> Int64 {
        for number in start... {
            do {
                try await database.commit(try batch(number))
            } catch let failure as RecordDatabaseError {
                #expect(failure.code == .diskFull, "\(failure)")
                #expect(failure.path == disk.path("test.sqlite") && failure.description.contains("no room"))
                return number - 1
            }
        }
        return .max
    }

    /// Expects so many batches, and nothing of the next one.
    private func expect(_ count: Int64, in database: SQLiteRecordDatabase) async throws {
        let records = try await database.allRecords
        #expect(records.count == count + 1)
        #expect(records[try Record.ID("A/all")]?["n"] == .int(count))
        for number in 1..<max(1, count + 1) { #expect(records[try Record.ID("A/\(number)")]?["n"] == .int(number)) }
        #expect(try await database.verify().isEmpty)
    }

    @Test func aBatchWithoutRoomIsRefusedAsAWhole() async throws {
        let database = try open()
        for number in Int64(1)...10 { try await database.commit(try batch(number)) }
        try disk.fill()
        var count = try await saveUntilFull(database, from: 11)
        try await expect(count, in: database)
        // Again and again.
        for _ in 0..<3 {
            await #expect(throws: RecordDatabaseError.self) {
                try await database.commit(try batch(count + 1))
            }
        }
        try await expect(count, in: database)
        try disk.makeRoom()
        count += 1
        try await database.commit(try batch(count))
        try await expect(count, in: database)
        try await database.close()
        let again = try open()
        try await expect(count, in: again)
    }

    @Test func aFileThatFillsTheDiskIsReadAndGoesOnWithMoreRoom() async throws {
        let database = try open()
        try disk.fill()
        try disk.makeRoom()
        // With no checkpoint in between that finds room: the log alone fills the disk, and the file has to grow.
        let count = try await saveUntilFull(database)
        #expect(count > 50)
        try await expect(count, in: database)
        let failure = await #expect(throws: RecordDatabaseError.self) {
            try disk.fill()
            try await database.writer.runToEnd { try $0.run("PRAGMA wal_checkpoint(TRUNCATE)") }
        }
        #expect(failure?.code == .diskFull, "\(String(describing: failure))")
        try await expect(count, in: database)
    }

    @Test func openingWithoutRoomIsReported() async throws {
        let database = try open()
        try await database.commit(try batch(1))
        try await database.close()
        try disk.fill()
        let failure = #expect(throws: RecordDatabaseError.self) { try open() }
        #expect(failure?.code == .diskFull, "\(String(describing: failure))")
        try disk.makeRoom()
        try await expect(1, in: try open())
    }
}
#endif
