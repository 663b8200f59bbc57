import Foundation
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

/// What a database does where there is no room, and where it cannot be compacted.
@Suite struct FullDiskTests {
    @Test(arguments: [SimulatedDisk.Fault.error(ENOSPC), .half]) func closingWritesTheState(
        _ fault: SimulatedDisk.Fault
    ) async throws {
        let disk = SimulatedDisk()
        let batches = CountedBatches(width: 3, padding: 400_000)
        do {
            let database = try disk.open()
            for number in 1...4 { try await batches.save(number, in: database) }
            let writes = Lock(0)
            // The index, of which half a write is followed by a failed one; then the state.
            disk.plan { operation, _ in
                guard operation == .write else { return nil }
                let number = writes.withLock { count in
                    count += 1
                    return count
                }
                return number == 1 ? fault : number == 2 && fault == .half ? .error(ENOSPC) : nil
            }
            try await database.close()
            disk.plan(nil)
        }
        let bytes = disk.state.bytes
        // What is closed is known to be whole: a byte less is damage.
        #expect(throws: RecordDatabaseError.self) { try SimulatedDisk(.with(bytes.dropLast())).open() }
        #expect(try await disk.open().numbers(of: [batches]) == [4])
    }

    @Test func lossOfPowerWhileALongIndexIsSavedIsNotDamage() async throws {
        let disk = SimulatedDisk()
        let database = try disk.open()
        let text = String(repeating: "x", count: 100)
        let records = try (0..<33_000).map { try Flat.record("A/\($0)", ["text": .string(text)]) }
        try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
        disk.record()
        try await database.close()
        var random = SplitMix64(seed: 3)
        for moment in Sweep.some(6, of: disk.moments) {
            for _ in 0..<Sweep.count(1, whole: 4) {
                let later = try SimulatedDisk(moment.state.afterPowerCut(&random)).open()
                #expect(later.store.file.view.withLock { $0.index.count } == 33_000)
            }
        }
    }

    @Test(arguments: [EIO, EMFILE, ENOSPC]) func failedCompactionIsReported(_ code: Int32) async throws {
        let disk = SimulatedDisk()
        let batches = CountedBatches(width: 3, padding: 100_000)
        let database = try disk.open { $0.compactionThreshold = 0.3 }
        let operation: SimulatedDisk.Operation = code == ENOSPC ? .open : .rename
        disk.plan { current, _ in current == operation ? .error(code) : nil }
        for number in 1...8 { try await batches.save(number, in: database) }
        await database.compactionHasEnded()
        let statistics = try await database.statistics()
        let reason = try #require(statistics.compactionFailure)
        #expect(reason.contains(code == ENOSPC ? "no room" : "rename"))
        await #expect(throws: RecordDatabaseError.self) { try await database.compact() }
        disk.plan(nil)
        try await database.compact()
        #expect(try await database.statistics().compactionFailure == nil)
    }
}
