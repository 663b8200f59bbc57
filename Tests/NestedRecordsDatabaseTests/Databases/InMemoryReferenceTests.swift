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

    /// The first look-ups read all records, later ones a table.
    @Test(arguments: [1, 100])
    func refusedBatchLeavesTheReferencesBackAsTheyWere(afterLookUps count: Int) async throws {
        let database = InMemoryRecordDatabase()
        let target = try Record.ID("Room/1")
        try await database.commit(
            RecordBatch(saving: [Flat.record("Book/1", ["room": Flat.reference("Room/1")])], savePolicy: .overwrite))
        for _ in 0..<count { #expect(try await database.referrers(of: [target]).count == 1) }
        var batch = RecordBatch(saving: [try Flat.record("Book/1")], savePolicy: .overwrite)
        batch.conditions = [RecordBatch.VersionedID(target, version: .changeTag("none"))]
        await #expect(throws: RecordDatabaseError.self) { try await database.commit(batch) }
        #expect(try await database.referrers(of: [target]).count == 1)
        try await database.commit(RecordBatch(saving: [try Flat.record("Book/1")], savePolicy: .overwrite))
        #expect(try await database.referrers(of: [target]).isEmpty)
    }

    @Test func eachOfManyDeletionsFindsWhatRefersToItsRecord() async throws {
        let database = InMemoryRecordDatabase()
        var records = try (0..<50).map { try Flat.record("Room/\($0)") }
        records += try (0..<50).map { number in
            let rooms = try [number, (number + 1) % 50].map { Record.Value.list([try Flat.reference("Room/\($0)")]) }
            return try Flat.record("Book/\(number)", ["rooms": .map(["both": .list(rooms)])])
        }
        try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
        for number in 0..<50 {
            let room = try Record.ID("Room/\(number)")
            await #expect(throws: RecordDatabaseError.self) { try await database.delete([room]) }
            try await database.delete([Record.ID("Book/\(number)")])
        }
        try await database.delete([Record.ID("Room/7")])
        #expect(try await database.records(for: records.map(\.id)).count == 49)
    }
}
