import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

@Suite struct LostBatchTests {
    /// Who still holds a version that a loss of power took must not overwrite another one that came instead.
    @Test func tagOfALostVersionIsNotGivenAgain() async throws {
        let disk = SimulatedDisk()
        let first = try disk.open { $0.durability = .relaxed }
        var record = try Flat.record("A/1", ["n": 1])
        let lost = try await first.commit(RecordBatch(saving: [record]))
        record.metadata = lost[record.id]

        // Nothing of what was not made durable survives.
        let second = try SimulatedDisk(.with(Array(disk.state.bytes[..<FileHeader.batchesStart]))).open()
        let other = try Flat.record("A/1", ["n": 2])
        _ = try await second.commit(RecordBatch(saving: [other]))
        let stale = record
        await #expect {
            _ = try await second.commit(RecordBatch(saving: [stale]))
        } throws: { error in
            guard let error = error as? RecordDatabaseError, error.code == .conflict, error.clientRecord == stale,
                let server = error.serverRecord
            else { return false }
            return server.fields == other.fields
        }
    }
}
