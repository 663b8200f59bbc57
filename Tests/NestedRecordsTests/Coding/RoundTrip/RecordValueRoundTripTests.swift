import NestedRecords
import TestSupport
import Testing

/// Values that become records of their own.
@Suite struct RecordValueRoundTripTests {
    struct Leaf: RecordCodable, Identifiable, Hashable {
        var id: Int
        var next: [Leaf] = []
    }

    static let leaf = Leaf(id: 1, next: [Leaf(id: 2, next: [Leaf(id: 3)]), Leaf(id: 3)])

    static let strategies: [KeyStrategy] = [.unchanged, .snakeCase, .custom { "x_" + $0.uppercased() }]

    struct Family: RecordCodable, Equatable {
        var recordName: String { "family" }
        var firstLeaf = leaf
        var moreLeaves = ["imageURL": [leaf]]
        var secretLeaf: Leaf? = nil
        var homePlace = "1.5;2.5"
        var nestedLeaf = Nested(leaf)
        static let schema = RecordSchema(ignoring: ["secretLeaf"], locations: ["homePlace"])
    }

    @Test(arguments: strategies.indices)
    func recordsComeBackUnderEveryStrategy(index: Int) async throws {
        let (encoder, decoder) = coders(keys: Self.strategies[index])
        let graph = try encoder.encode(Family(secretLeaf: Leaf(id: 99)))
        #expect(graph.map(\.id.description).sorted() == ["Family/family", "Leaf/1", "Leaf/2", "Leaf/3"])
        #expect(try graph[3].fields.contains { try $0.value == .location(Location("1.5;2.5")) })
        #expect(try decoder.decode(Family.self, from: graph) == Family())
        let database = InMemoryRecordDatabase()
        try await database.save(graph)
        for _ in 1...2 {
            #expect(try await decoder.decode(Family.self, from: graph.roots[0], in: database) == Family())
        }
    }

    @Test func placeInARecordThatIsAListNamesTheFieldOfTheList() throws {
        let graph = try RecordEncoder().encode(RecordOf([Leaf(id: 1)]))
        let root = try #require(graph[graph.roots[0]])
        let error = try #require(throws: RecordError.self) {
            try RecordDecoder().decode(RecordOf<[Leaf]>.self, from: RecordGraph([root]))
        }
        #expect(error.code == .danglingReference)
        #expect(error.recordID?.description == "Leaf/1")
        #expect(error.context.record == root.id)
        #expect(error.context.field == "$value")
    }
}
