#if SQLite
import CSQLite
import Foundation
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsSQLite

/// Batches that wait for the disk together.
@Suite struct SQLiteGroupTests: SQLiteSuite {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open() throws -> SQLiteRecordDatabase {
        var options = SQLiteRecordDatabase.Options()
        options.indexes = [FieldIndex("A", by: "n")]
        return try SQLiteRecordDatabase(path: folder.path("test.sqlite"), options: options)
    }

    /// Commits batches while the connection that writes is held up, so that they wait in this order.
    private func commitTogether(
        _ batches: [RecordBatch], in database: SQLiteRecordDatabase
    ) async throws -> [Result<[Record.ID: Record.Metadata], any Error>] {
        try await database.prepare()
        let gate = DispatchSemaphore(value: 0)
        let isHeld = Locked(false)
        let holder = Task {
            try await database.writer.runToEnd { _ in
                isHeld.withLock { $0 = true }
                gate.wait()
            }
        }
        while !isHeld.withLock({ $0 }) { await Task.yield() }
        var tasks: [Task<[Record.ID: Record.Metadata], any Error>] = []
        for batch in batches {
            tasks.append(Task { try await database.commit(batch) })
            while database.commits.waiting.count < tasks.count { await Task.yield() }
        }
        gate.signal()
        try await holder.value
        var results: [Result<[Record.ID: Record.Metadata], any Error>] = []
        for task in tasks { results.append(await task.result) }
        return results
    }

    /// How many transactions the log has.
    private func transactionCount() throws -> Int {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.path("test.sqlite-wal"))))
        func number(_ offset: Int) -> Int { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
        // The last page of a transaction comes with the size of the file.
        return stride(from: 32, to: bytes.count, by: 24 + number(8)).filter { number($0 + 4) != 0 }.count
    }

    @Test func batchesThatWaitAreOneTransaction() async throws {
        let database = try open()
        try await database.commit(RecordBatch(saving: [try Flat.record("A/0")], savePolicy: .overwrite))
        let token = try await database.changeToken()
        let count = try transactionCount()
        let batches = try (1...20).map { number in
            RecordBatch(saving: [try Flat.record("A/\(number)", ["n": .int(Int64(number))])], savePolicy: .overwrite)
        }
        let results = try await commitTogether(batches, in: database)
        #expect(try transactionCount() == count + 1)
        for (batch, result) in zip(batches, results) {
            let record = try #require(try await database.record(for: batch.saves[0].id))
            #expect(try result.get() == [record.id: try #require(record.metadata)])
        }
        // They are batches of their own for those who follow.
        var (follower, pages) = (ChangeFollower(token: token), 1)
        while try await !follower.readPage(of: database, limit: 1) { pages += 1 }
        #expect(pages == 20 && follower.records.count == 20)
        #expect(try await database.verify().isEmpty)
    }

    @Test func aBatchThatFailsChangesNothingForTheOthers() async throws {
        let database = try open()
        // Refused when the record is written, and not before.
        let name = "n" + String(repeating: "\u{301}", count: 100_000)
        func batch(_ name: String, _ more: [Record] = []) throws -> RecordBatch {
            RecordBatch(saving: [try Flat.record("A/\(name)", ["n": 1])] + more, savePolicy: .ifUnchanged)
        }
        let results = try await commitTogether(
            [
                try batch("1"), try batch("bad1", [Flat.record("A/1")]),
                try batch("bad2", [Flat.record("A/unreadable", [name: 1])]), try batch("2"),
            ], in: database)
        #expect(throws: Never.self) { _ = try (results[0].get(), results[3].get()) }
        let conflict = #expect(throws: RecordDatabaseError.self) { try results[1].get() }
        // The record of the batch before it.
        #expect(try conflict?.code == .conflict && conflict?.serverRecord?.metadata == results[0].get().values.first)
        #expect(throws: RecordError.self) { try results[2].get() }
        #expect(try await database.allRecords.keys.map(\.name).sorted() == ["1", "2"])
        #expect(try await database.verify().isEmpty)
    }

    @Test func aBatchWithoutRoomKeepsNoOtherFromBeingSaved() async throws {
        let database = try open()
        try await database.writer.runToEnd { try $0.run("PRAGMA max_page_count = 40") }
        let large = try Flat.record("A/large", ["text": .string(String(repeating: "x", count: 1 << 20))])
        let batches = [
            RecordBatch(saving: [try Flat.record("A/1")], savePolicy: .overwrite),
            RecordBatch(saving: [large], savePolicy: .overwrite),
            RecordBatch(saving: [try Flat.record("A/2")], savePolicy: .overwrite),
        ]
        let results = try await commitTogether(batches, in: database)
        #expect(throws: Never.self) { _ = try (results[0].get(), results[2].get()) }
        let failure = #expect(throws: RecordDatabaseError.self) { try results[1].get() }
        #expect(failure?.code == .diskFull)
        #expect(try await database.allRecords.keys.map(\.name).sorted() == ["1", "2"])
        #expect(try await database.verify().isEmpty)
    }

    @Test func batchesHaveThePriorityOfTheMostUrgentOne() async throws {
        let database = try open()
        try await database.prepare()
        let gate = DispatchSemaphore(value: 0)
        let isHeld = Locked(false)
        let holder = Task {
            try await database.writer.runToEnd { _ in
                isHeld.withLock { $0 = true }
                gate.wait()
            }
        }
        try await waitUntil { isHeld.withLock { $0 } }
        var tasks: [Task<[Record.ID: Record.Metadata], any Error>] = []
        for (priority, highest) in [
            (TaskPriority.background, TaskPriority.background), (.high, .high), (.low, .high), (.medium, .high),
        ] {
            let batch = RecordBatch(saving: [try Flat.record("A/\(tasks.count)")], savePolicy: .overwrite)
            tasks.append(Task.detached(priority: priority) { try await database.commit(batch) })
            try await waitUntil { database.commits.waiting.count == tasks.count }
            #expect(database.commits.waiting.priority == highest)
        }
        gate.signal()
        try await holder.value
        for task in tasks { _ = try await task.value }
        #expect(database.commits.waiting.priority == nil)
    }

    @Test func allWaitingCallsReportThatOthersUseTheFile() async throws {
        var options = SQLiteRecordDatabase.Options()
        options.busyTimeout = .milliseconds(50)
        let database = try SQLiteRecordDatabase(path: folder.path("test.sqlite"), options: options)
        let release = try hold("BEGIN IMMEDIATE")
        let batches = try (1...3).map { RecordBatch(saving: [try Flat.record("A/\($0)")], savePolicy: .overwrite) }
        for result in try await commitTogether(batches, in: database) {
            let failure = #expect(throws: RecordDatabaseError.self) { try result.get() }
            #expect(failure?.code == .busy)
        }
        release()
        for result in try await commitTogether(batches, in: database) { _ = try result.get() }
        #expect(try await database.allRecords.count == 3)
    }
}
#endif
