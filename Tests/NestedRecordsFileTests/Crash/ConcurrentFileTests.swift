import Foundation
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

@Suite struct ConcurrentFileTests {
    @Test func everyScanSeesOneStateOfEachTask() async throws {
        let folder = try TemporaryFolder()
        let database = try FileRecordDatabase(path: folder.path())
        let batches = (0..<64).map { CountedBatches(task: $0, width: 5) }
        let scans = Lock(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for batches in batches {
                group.addTask {
                    for number in 1...3 {
                        try await batches.save(number, in: database)
                        let isLooking = (batches.task + number) % 12
                        if isLooking == 0 { #expect(try await database.verify().filter { !$0.isDead } == []) }
                        if isLooking == 1 { try await database.compact() }
                        guard isLooking < 3 else { continue }
                        var scanned: [Record.ID: Record] = [:]
                        for try await record in database.records(ofType: nil) {
                            #expect(scanned.updateValue(record, forKey: record.id) == nil)
                        }
                        for other in (0..<64).map({ CountedBatches(task: $0, width: 5) }) {
                            let found = try other.number(in: scanned)
                            if other.task == batches.task { #expect(found == number) }
                        }
                        scans.withLock { $0 += 1 }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await database.numbers(of: batches) == Array(repeating: 3, count: 64))
        try await database.close()
        let again = try FileRecordDatabase(path: folder.path())
        #expect(try await again.numbers(of: batches) == Array(repeating: 3, count: 64))
        #expect(try await again.verify() == [])
        print("scans while 64 tasks write: \(scans.withLock { $0 }) cases")
    }

    /// Who is only waited for must not have the file still locked.
    @Test func databaseThatNobodyHoldsLetsGoOfItsFile() async throws {
        let disk = SimulatedDisk()
        let batches = CountedBatches(width: 1)
        var refused = 0
        for number in 1...300 {
            do {
                try await batches.save(number, in: try disk.open())
            } catch RecordDatabaseError.Code.locked {
                refused += 1
            }
        }
        #expect(refused == 0)
    }

    @Test(.timeLimit(.minutes(60))) func compactionDoesNotWaitForBatchesThatComeLater() async throws {
        let disk = SimulatedDisk()
        let database = try disk.open()
        let saves = Lock<[Task<Void, any Error>]>([])
        // While one batch is being written the next one comes.
        disk.plan { operation, number in
            guard operation == .sync else { return nil }
            let save = Task { try await CountedBatches(task: number, width: 1).save(1, in: database) }
            saves.withLock { $0.append(save) }
            try? blockUntil { database.store.committer.waiting.count > 0 }
            return nil
        }
        try await CountedBatches(width: 1).save(1, in: database)
        try await database.compact()
        disk.plan(nil)
        for save in saves.withLock({ $0 }) { try await save.value }
    }

    @Test func batchThatCannotBeWrittenFailsAlone() async throws {
        let disk = SimulatedDisk()
        let database = try disk.open()
        let (isBlocked, gate) = (Lock(true), DispatchSemaphore(value: 0))
        disk.plan { operation, _ in
            if operation == .sync, isBlocked.withLock({ $0 }) {
                isBlocked.withLock { $0 = false }
                gate.wait()
            }
            return nil
        }
        let first = Task { try await CountedBatches(task: 0).save(1, in: database) }
        while isBlocked.withLock({ $0 }) { await Task.yield() }

        let innocent = Task { try await CountedBatches(task: 1).save(1, in: database) }
        while database.store.committer.waiting.count < 1 { await Task.yield() }
        let deep = (0...BinaryFormat.maximumNesting).reduce(Record.Value.null) { value, _ in .list([value]) }
        let long = try Flat.record("Long/1", ["text": .string(String(repeating: "x", count: 2 << 20))])
        let bad = try Flat.record("Bad/1", ["deep": deep])
        // Not by a save, which refuses such a batch before it waits.
        let guilty = Task {
            try await Promise.result { database.store.committer.enqueue(RecordBatch(saving: [long, bad]), $0) }
        }
        while database.store.committer.waiting.count < 2 { await Task.yield() }
        gate.signal()

        try await first.value
        await #expect {
            _ = try await guilty.value
        } throws: { error in
            guard let error = error as? RecordError, error.code == .depthLimitExceeded,
                error.limit == BinaryFormat.maximumNesting, case let place = error.context
            else {
                return false
            }
            return place.record == bad.id
        }
        await #expect(throws: Never.self) { try await innocent.value }
        #expect(try await database.numbers(of: [CountedBatches(task: 0), CountedBatches(task: 1)]) == [1, 1])
        #expect(try await database.records(for: [long.id, bad.id]).isEmpty)
    }
}
