import NestedRecords
import Testing

@Suite struct LinkMadeFromValueTests {
    struct Town: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
        var name: String
    }

    struct House: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
        var town: RecordLink<Town>
        var neighbours: [RecordLink<House>] = []
    }

    @Test func savingALinkToAStaleValueDoesNotUndoWhatSomebodyElseSaved() async throws {
        let memory = InMemoryRecordDatabase()
        try await memory.save(Town(id: "t", name: "Old"))
        let town = try await memory.load(Town.self, named: "t")
        try await memory.update(Town.self, named: "t") { $0.name = "New" }
        try await memory.save(House(id: "h", town: RecordLink(to: town)))
        #expect(try await memory.load(Town.self, named: "t").name == "New")
    }
}
