#if SQLite
import CSQLite
import Foundation
@testable import NestedRecords
import TestSupport
import Testing

@testable import NestedRecordsSQLite

/// Calls that have to wait, which keep no thread of Swift's pool.
@Suite(.timeLimit(.minutes(60))) struct SQLiteThreadTests: SQLiteSuite {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func aFetchBesideConnectionsInUseKeepsNoThread() async throws {
        let database = try open()
        let record = try Flat.record("A/1")
        try await database.commit(RecordBatch(saving: [record], savePolicy: .overwrite))
        _ = try await database.records(for: [record.id])
        let gate = DispatchSemaphore(value: 0)
        let heldCount = Locked(0)
        let queues = database.readers.elements
        let holders = queues.map { queue in
            Task {
                try await queue.runToEnd { _ in
                    heldCount.withLock { $0 += 1 }
                    gate.wait()
                }
            }
        }
        try await waitUntil { heldCount.withLock { $0 } == queues.count }
        let isFree = try await tasksRun {
            for _ in queues { gate.signal() }
        } during: { _ in
            let found = try await database.records(for: [record.id])
            #expect(found.count == 1)
        }
        #expect(isFree)
        for holder in holders { try await holder.value }
    }

    @Test(arguments: [true, false])
    func openingBesideAnotherProgramKeepsNoThread(_ isNew: Bool) async throws {
        if !isNew { try await open().close() }
        let release = try hold(isNew ? "BEGIN EXCLUSIVE" : "BEGIN IMMEDIATE")
        let path = path
        let isFree = try await tasksRun(until: release) { number in
            var options = SQLiteRecordDatabase.Options()
            options.busyTimeout = .seconds(600)
            options.indexes = [FieldIndex("A", by: FieldPath(["\(number)"]))]
            let database = try SQLiteRecordDatabase(path: path, options: options)
            try await database.commit(RecordBatch(saving: [try Flat.record("A/\(number)")], savePolicy: .overwrite))
        }
        #expect(isFree)
        #expect(try await open().verify().isEmpty)
    }

    @Test func theLastReferenceClosesTheFileInAnotherThread() async throws {
        typealias Threads = Locked<[pthread_t]>
        let threads = Threads([])
        var database: SQLiteRecordDatabase? = try open()
        try await database?.commit(RecordBatch(saving: [try Flat.record("A/1")], savePolicy: .overwrite))
        try await database?.writer.runToEnd { connection in
            _ = sqlite3_trace_v2(
                connection.handle, UInt32(SQLITE_TRACE_CLOSE),
                { _, context, _, _ in
                    guard let context else { return 0 }
                    Unmanaged<Threads>.fromOpaque(context).takeUnretainedValue().withLock {
                        $0.append(pthread_self())
                    }
                    return 0
                }, Unmanaged.passUnretained(threads).toOpaque())
        }
        func release() -> pthread_t {
            database = nil
            return pthread_self()
        }
        let caller = release()
        try await waitUntil { threads.withLock { !$0.isEmpty } }
        #expect(threads.withLock { $0.contains { pthread_equal($0, caller) != 0 } } == false)
    }
}
#endif
