#if SQLite
import CSQLite
import Foundation
@testable import NestedRecords
import TestSupport
import Testing

@testable import NestedRecordsSQLite

/// Files that are locked or full.
@Suite struct SQLiteErrorTests: SQLiteSuite {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func aWriterThatHoldsTheFileIsWaitedFor() async throws {
        let database = try open()
        let release = try hold("BEGIN IMMEDIATE")
        let record = try Flat.record("A/1")
        let failure = await #expect(throws: RecordDatabaseError.self) {
            try await database.commit(RecordBatch(saving: [record], savePolicy: .overwrite))
        }
        #expect(failure?.code == .busy && failure?.systemCode == "\(SQLITE_BUSY)")
        #expect(try await database.allRecords.isEmpty, "readers wait for no writer")

        let patient = try open { $0.busyTimeout = .seconds(60) }
        let save = Task { try await patient.commit(RecordBatch(saving: [record], savePolicy: .overwrite)) }
        release()
        #expect(try await save.value.count == 1)
    }

    @Test(.timeLimit(.minutes(60))) func whatDoesNotWaitForOthersEndsAtOnce() async throws {
        let database = try open { $0.busyTimeout = .seconds(600) }
        let release = try hold("BEGIN IMMEDIATE")
        let refused = try database.writer.runWithoutWaiting { try $0.write { 1 } }
        #expect(refused == nil)
        release()
        let accepted = try database.writer.runWithoutWaiting { try $0.write { 1 } }
        #expect(accepted == 1)
    }

    @Test func aFullFileIsReportedAndLosesNothing() async throws {
        let database = try open()
        try await database.commit(RecordBatch(saving: [try Flat.record("A/1")], savePolicy: .overwrite))
        try await database.writer.runToEnd { try $0.run("PRAGMA max_page_count = 30") }
        let large = try Flat.record("A/2", ["text": .string(String(repeating: "x", count: 1 << 20))])
        let failure = await #expect(throws: RecordDatabaseError.self) {
            try await database.commit(
                RecordBatch(saving: [large], deletingAnyVersionOf: [try Record.ID("A/1")], savePolicy: .overwrite))
        }
        #expect(failure?.code == .diskFull)
        #expect(try await database.allRecords.count == 1)
        try await database.commit(RecordBatch(saving: [try Flat.record("A/3")], savePolicy: .overwrite))
        #expect(try await database.verify().isEmpty)
    }
}
#endif
