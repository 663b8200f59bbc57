import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

/// What compaction and the saved index are there to save.
@Suite struct CompactionCostTests {
    /// The records of a compacted file are small against their index here, which no compaction can give back.
    @Test(arguments: [0.5, 0.3])
    func fileWithNothingToGiveBackIsNotCompactedAgain(_ threshold: Double) async throws {
        let disk = SimulatedDisk()
        let database = try disk.open { $0.compactionThreshold = threshold }
        let records = try (0..<24_577).map { try Flat.record("A/\($0)") }
        for _ in 1...2 { try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite)) }
        await database.compactionHasEnded()
        let before = try await database.statistics().compactionCount
        for record in records[..<4] {
            try await database.commit(RecordBatch(saving: [record], savePolicy: .overwrite))
            await database.compactionHasEnded()
        }
        #expect(try await database.statistics().compactionCount <= before + 1)
    }

    /// Otherwise each session that writes less than is worth an index makes the next opening longer, for ever.
    @Test func indexIsSavedWhenManySessionsHaveWrittenMuch() async throws {
        let disk = SimulatedDisk()
        let batches = CountedBatches(width: 3, padding: 400_000)
        for number in 1...6 {
            let database = try disk.open()
            if number == 1 { try await database.compact() }
            try await batches.save(number, in: database)
            try await database.close()
        }
        // Each session has written 1.6 MB, and 4 MiB are worth an index.
        let database = try disk.open()
        let indexStart = database.store.writer.sync { Int($0.state.indexOffset) }
        #expect(disk.state.bytes.count - indexStart < 6 << 20)
        #expect(try await database.numbers(of: [batches]) == [6])
    }
}
