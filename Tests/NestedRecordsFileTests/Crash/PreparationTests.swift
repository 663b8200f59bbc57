import Foundation
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

/// What opening a file leaves to `prepare()` and to the first call.
@Suite struct PreparationTests {
    private let batches = CountedBatches(width: 2, padding: 1_000)

    private func open(
        _ disk: SimulatedDisk, _ options: FileRecordDatabase.Options = .init(), orphanLimit: Duration = .seconds(10)
    ) throws -> FileRecordDatabase {
        try FileRecordDatabase(
            path: SimulatedDisk.path, options: options, system: disk.system, orphanLimit: orphanLimit)
    }

    private func expectFailure(
        _ code: RecordDatabaseError.Code, _ body: () async throws -> Void,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async -> String {
        let failure = await #expect(throws: RecordDatabaseError.self, sourceLocation: sourceLocation) {
            try await body()
        }
        #expect(failure?.code == code, sourceLocation: sourceLocation)
        return failure.map { "\($0)" } ?? ""
    }

    /// A file with a damaged first batch.
    private func damagedFile() async throws -> (bytes: [UInt8], offset: Int) {
        let file = try await DamagedFiles(isClosed: true)
        var bytes = file.bytes
        bytes[file.ends[0] + 4] ^= 1
        return (bytes, file.ends[0])
    }

    @Test(arguments: [false, true])
    func openingReadsNoBatch(_ isReadOnly: Bool) async throws {
        let disk = SimulatedDisk(.with(try await DamagedFiles(isClosed: false).bytes.dropLast()))
        let operations = Lock<[SimulatedDisk.Operation]>([])
        disk.plan { operation, _ in
            operations.withLock { $0.append(operation) }
            return nil
        }
        let database = try open(disk, isReadOnly ? .readOnly : .init())
        #expect(operations.withLock { $0.count { $0 == .read } } == 1)
        #expect(operations.withLock { Set($0).isDisjoint(with: [.write, .sync, .truncate, .syncFolder]) })
        #expect(database.recoveredByteCount == 0)
        #expect("\(database)".hasPrefix("FileRecordDatabase at \(SimulatedDisk.path) (not read)"))
        try await database.prepare()
        #expect(database.recoveredByteCount > 0)
        #expect((database.recoveredPath == nil) == isReadOnly)
        #expect("\(database)".contains("with 5 records"))
    }

    @Test func batchesAreReadInAThreadThatRunsNoTasks() async throws {
        let disk = SimulatedDisk(.with(try await DamagedFiles(isClosed: false).bytes))
        let database = try open(disk)
        let inTasks = Lock(0)
        disk.plan { _, _ in
            if withUnsafeCurrentTask(body: { $0 != nil }) { inTasks.withLock { $0 += 1 } }
            return nil
        }
        try await database.prepare()
        #expect(disk.calls > 5)
        #expect(inTasks.withLock { $0 } == 0)
    }

    @Test func firstCallsReadTheFileOnce() async throws {
        let file = try await DamagedFiles(isClosed: false)
        let disk = SimulatedDisk(.with(file.bytes))
        let database = try open(disk)
        let syncs = Lock(0)
        disk.plan { operation, _ in
            if operation == .syncFolder { syncs.withLock { $0 += 1 } }
            return nil
        }
        try await withThrowingTaskGroup(of: [Int].self) { group in
            for _ in 0..<20 { group.addTask { try await database.numbers(of: [file.batches]) } }
            for try await numbers in group { #expect(numbers == [5]) }
        }
        #expect(syncs.withLock { $0 } == 1)
    }

    @Test func everyKindOfCallReadsTheFileFirst() async throws {
        let file = try await DamagedFiles(isClosed: false)
        let id = try Record.ID("S0/0")
        let calls: [(count: Int, call: @Sendable (FileRecordDatabase) async throws -> Int)] = [
            (1, { try await $0.records(for: [id]).count }),
            (5, { try await $0.allRecords.count }),
            (2, { try await $0.count(RecordQuery(id.type)) }),
            (2, { try await $0.page(RecordQuery(id.type, limit: 9)).records.count }),
            (5, { try await $0.statistics().recordCount }),
            (0, { try await $0.verify().count }),
            (5, { try await $0.changes(since: $0.oldestChangeToken(), limit: 9).saved.count }),
            (0, { try await min(0, $0.compact()) }),
            (1, { try await $0.commit(RecordBatch(saving: [Flat.record("B/1")], savePolicy: .overwrite)).count }),
        ]
        for (count, call) in calls {
            let disk = SimulatedDisk(.with(file.bytes))
            let found = try await call(open(disk))
            #expect(found == count)
            #expect(try await disk.open().allRecords.count >= 5)
        }
    }

    @Test func waitingForChangesReadsTheFileFirst() async throws {
        let file = try await DamagedFiles(isClosed: false)
        let token = try await SimulatedDisk(.with(file.bytes)).open().oldestChangeToken()
        try await open(SimulatedDisk(.with(file.bytes))).waitForChanges(after: token)
    }

    @Test(arguments: [false, true])
    func damageIsFoundOnceAndThrownByEveryCall(_ isReadOnly: Bool) async throws {
        let (bytes, offset) = try await damagedFile()
        let disk = SimulatedDisk(.with(bytes))
        let database = try open(disk, isReadOnly ? .readOnly : .init())
        let first = await expectFailure(.corrupt) { try await database.prepare() }
        #expect(first.contains("damaged at byte \(offset)"))
        disk.plan { _, _ in nil }
        #expect(await expectFailure(.corrupt) { _ = try await database.allRecords } == first)
        #expect(await expectFailure(.corrupt) { try await database.commit(RecordBatch()) } == first)
        if !isReadOnly { #expect(await expectFailure(.corrupt) { _ = try await database.compact() } == first) }
        #expect(disk.calls == 0)
        #expect(disk.state.bytes == bytes)
        // The repaired file can be opened while the database is still held.
        #expect(await expectFailure(.corrupt) { try await open(disk).prepare() } == first)
        try await database.close()
        #expect(disk.state.bytes == bytes)
    }

    @Test func damagedHeaderIsFoundByOpening() async throws {
        var bytes = try await damagedFile().bytes
        for offset in LogState.offsets { bytes[offset] ^= 1 }
        let disk = SimulatedDisk(.with(bytes))
        _ = await expectFailure(.corrupt) { _ = try open(disk) }
        _ = await expectFailure(.corrupt) { _ = try open(disk, .readOnly) }
    }

    @Test func failureOfTheSystemIsTriedAgainByTheNextCall() async throws {
        let file = try await DamagedFiles(isClosed: false)
        let disk = SimulatedDisk(.with(file.bytes.dropLast()))
        let database = try open(disk)
        disk.plan { operation, _ in operation == .syncFolder ? .error(EIO) : nil }
        _ = await expectFailure(.inputOutput) { try await database.prepare() }
        _ = await expectFailure(.inputOutput) { _ = try await database.allRecords }
        disk.plan { operation, _ in operation == .truncate ? .error(EIO) : nil }
        _ = await expectFailure(.inputOutput) { try await database.prepare() }
        disk.plan(nil)
        try await database.prepare()
        #expect(try await database.numbers(of: [file.batches]) == [4])
        #expect(database.recoveredByteCount > 0)
        let path = try #require(database.recoveredPath)
        #expect(disk.state.names[path] != nil)
    }

    @Test func closingAFileThatWasNotReadChangesNothing() async throws {
        let bytes = try await DamagedFiles(isClosed: false).bytes
        let disk = SimulatedDisk(.with(Array(bytes.dropLast())))
        let database = try open(disk)
        try await database.close()
        #expect(disk.state.bytes == Array(bytes.dropLast()))
        _ = await expectFailure(.closed) { try await database.prepare() }
        _ = await expectFailure(.closed) { _ = try await database.allRecords }
        #expect(try await disk.open().allRecords.count == 5)
    }

    /// A disk with a compaction that does not end until it is let go, and whose database was released.
    private func orphanedCompaction(_ disk: SimulatedDisk) async throws -> HeldCompaction {
        let database = try disk.open()
        for number in 1...3 { try await batches.save(number, in: database) }
        let held = HeldCompaction(of: database, on: disk, at: 10)
        database.store.compactor.compact { _ in }
        await held.hasBegun()
        return held
    }

    @Test func openingDoesNotWaitForACompactionThatNobodyHolds() async throws {
        let disk = SimulatedDisk()
        let held = try await orphanedCompaction(disk)
        let database = try open(disk, orphanLimit: .milliseconds(50))
        let text = await expectFailure(.locked) { try await database.prepare() }
        #expect(
            text == """
                the file \(SimulatedDisk.path) is open for writing somewhere else: a compaction whose database was \
                released without close() has not ended in 0.05 seconds; close a database before opening its file \
                again, or try again later
                """)
        // The next call waits again.
        let other = try open(disk)
        async let numbers = other.numbers(of: [batches])
        try await Task.sleep(for: .milliseconds(20))
        held.letGo()
        #expect(try await numbers == [3])
        #expect(Array(disk.state.names.keys) == [SimulatedDisk.path])
        try await other.close()
        try await database.prepare()
        #expect(try await database.numbers(of: [batches]) == [3])
    }
}
