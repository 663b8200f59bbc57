import NestedRecords
import Testing

@testable import NestedRecordsSync

private let card = try? Record.ID(type: "Card", name: "one")

private func id(_ name: String) throws -> Record.ID { try Record.ID(type: "Card", name: name) }

@Suite struct RoundTripTests {
    let local = InMemoryRecordDatabase()
    let remote = InMemoryRecordDatabase()

    @Test func recordsOfBothSidesReachTheOther() async throws {
        let sync = try RecordSync(local, with: remote, named: "cloud")
        try await local.commit(RecordBatch(saving: [try Record(id: id("a"), fields: ["n": 1])]))
        try await remote.commit(RecordBatch(saving: [try Record(id: id("b"), fields: ["n": 2])]))
        let outcome = try await sync.synchronize()
        #expect(outcome.savedCount == 1)
        #expect(outcome.pushedCount == 1)
        for database in [local, remote] {
            #expect(try await database.record(for: id("a"))?["n"] == 1)
            #expect(try await database.record(for: id("b"))?["n"] == 2)
        }
        for _ in 0..<2 { #expect(try await sync.synchronize().hasWritten == false) }
    }
}
