import NestedRecords
import Testing

@Suite struct RecordEncoderTests {
    struct Leaf: RecordCodable, Identifiable, Equatable {
        var id: Int
        var text: String
    }

    struct Root: RecordCodable, Identifiable, Equatable {
        var id: String
        var leaves: [Leaf]
        var best: Leaf?
    }

    @Test func everyIdentityBecomesOneRecord() throws {
        let leaf = Leaf(id: 1, text: "a")
        let graph = try RecordEncoder().encode(Root(id: "r", leaves: [leaf, leaf], best: leaf))
        #expect(graph.map(\.id.description) == ["Leaf/1", "Root/r"])
        let target = Record.Value.reference(Record.Reference(to: try Record.ID("Leaf/1")))
        let fields: Record.Fields = ["id": .string("r"), "leaves": .list([target, target]), "best": target]
        #expect(graph[graph.roots[0]]?.fields == fields)
    }
}
