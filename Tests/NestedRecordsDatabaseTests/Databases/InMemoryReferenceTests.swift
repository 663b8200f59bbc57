import NestedRecords
import TestSupport
import Testing

@Suite struct InMemoryReferenceTests {
    @Test func referencesBackAreKeptUpAtEachSaveAndDeletion() async throws {
        for seed in Sweep.seeds(4, whole: 10) {
            var random = RandomQuery(seed: seed)
            let database = InMemoryRecordDatabase()
            try await database.commit(RecordBatch(saving: random.records(), savePolicy: .overwrite))
            for _ in 0..<30 {
                let ids = try random.ids()
                let expected = try await ScannedDatabase(database).referrers(of: ids)
                #expect(try await database.referrers(of: ids) == expected, "seed \(seed)")
                let records = try random.records().shuffled().prefix(5)
                let deleted = try random.ids().filter { id in !records.contains { $0.id == id } }
                try await database.commit(
                    RecordBatch(saving: Array(records), deletingAnyVersionOf: deleted, savePolicy: .overwrite))
            }
        }
    }

    @Test func refusedBatchLeavesTheReferencesBackAsTheyWere() async throws {
        let database = InMemoryRecordDatabase()
        let target = try Record.ID("Room/1")
        try await database.commit(
            RecordBatch(saving: [Flat.record("Book/1", ["room": Flat.reference("Room/1")])], savePolicy: .overwrite))
        #expect(try await database.referrers(of: [target]).count == 1)
        var batch = RecordBatch(saving: [try Flat.record("Book/1")], savePolicy: .overwrite)
        batch.conditions = [RecordBatch.VersionedID(target, version: .changeTag("none"))]
        await #expect(throws: RecordDatabaseError.self) { try await database.commit(batch) }
        #expect(try await database.referrers(of: [target]).count == 1)
        try await database.commit(RecordBatch(saving: [try Flat.record("Book/1")], savePolicy: .overwrite))
        #expect(try await database.referrers(of: [target]).isEmpty)
    }
}
