import Testing

@testable import NestedRecords

@Suite struct LostBatchTests {
    /// Who still holds a version that a loss of power took must not overwrite another one that came instead.
    @Test func tagOfALostVersionIsNotGivenAgain() async throws {
        let disk = SimulatedDisk()
        var database = try disk.open { $0.durability = .relaxed }
        var record = try Flat.record("A/1", ["n": 1])
        var saved = try await database.modifyRecords(saving: [record], deleting: [], savePolicy: .ifUnchanged)
        record.metadata = saved[record.id]
        let lostTag = try #require(record.metadata?.changeTag)

        // Nothing of what was not made durable survives.
        let empty = SimulatedDisk()
        _ = try empty.open()
        let bytes = Array(disk.state.bytes[..<empty.state.bytes.count])
        database = try SimulatedDisk(.with(bytes)).open()
        let other = try Flat.record("A/1", ["n": 2])
        saved = try await database.modifyRecords(saving: [other], deleting: [], savePolicy: .ifUnchanged)
        #expect(saved[other.id]?.changeTag != lostTag)
        await #expect(throws: RecordDatabaseError.self) { [database, record] in
            try await database.modifyRecords(saving: [record], deleting: [], savePolicy: .ifUnchanged)
        }
    }
}
