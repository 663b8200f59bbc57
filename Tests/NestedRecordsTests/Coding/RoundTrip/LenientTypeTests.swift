import NestedRecords
import Testing

/// Types that go on after errors of their parts.
@Suite struct LenientTypeTests {
    struct Leaf: RecordCodable, Identifiable, Equatable {
        var id: Int
        var next: [Leaf] = []
    }

    struct Skipped: Decodable {}

    /// Takes what it can decode, and skips the rest.
    struct Lenient: RecordCodable, Equatable {
        var recordName: String { "lenient" }
        var leaf: Leaf?
        var leaves: [Leaf] = []
        enum CodingKeys: CodingKey { case leaf, leaves }

        init(leaf: Leaf?, leaves: [Leaf]) {
            self.leaf = leaf
            self.leaves = leaves
        }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            leaf = try? container.decode(Leaf.self, forKey: .leaf)
            var list = try container.nestedUnkeyedContainer(forKey: .leaves)
            while !list.isAtEnd {
                if let leaf = try? list.decode(Leaf.self) {
                    leaves.append(leaf)
                } else {
                    _ = try list.decode(Skipped.self)
                }
            }
        }
    }

    @Test func errorsThatATypeIgnoresDoNotHideRecordsThatAreStillToBeFetched() async throws {
        let value = Lenient(
            leaf: Leaf(id: 1, next: [Leaf(id: 2)]), leaves: [Leaf(id: 3, next: [Leaf(id: 2)]), Leaf(id: 4)])
        let graph = try RecordEncoder().encode(value)
        let database = InMemoryRecordDatabase()
        try await database.save(graph)
        #expect(try await RecordDecoder().decode(Lenient.self, from: graph.roots[0], in: database) == value)
    }

    @Test func elementsThatDoNotFitAreSkipped() throws {
        let record = try Record(
            id: Record.ID("Lenient/lenient"),
            fields: [
                "leaf": .string("no record"),
                "leaves": .list([.int(1), .null, .map([:]), .reference(.init(to: Record.ID("Leaf/missing")))]),
            ])
        let value = try RecordDecoder().decode(Lenient.self, from: RecordGraph([record]))
        #expect(value == Lenient(leaf: nil, leaves: []))
    }

    struct Place: RecordEncodable {
        var recordName: String { "place" }
        var after: Int? = 5
        static let locationProperties: Set<String> = ["text"]
        enum CodingKeys: CodingKey { case text, after }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try? container.encode("no location", forKey: .text)
            try container.encodeIfPresent(after, forKey: .after)
        }
    }

    @Test func refusedLocationLeavesNoHoleInTheRecord() throws {
        let record: Record
        do { record = try RecordEncoder().encode(Place())[0] } catch is EncodingError { return }
        let fields: Record.Fields = ["after": .int(5)]
        #expect(Array(record.fields.map(\.name)) == ["after"])
        #expect(record.fields == fields)
    }

    @Test
    func refusedLocationAtTheEndLeavesNoName() throws {
        let record: Record
        do { record = try RecordEncoder().encode(Place(after: nil))[0] } catch is EncodingError { return }
        #expect(record["text"] == nil)
    }

    struct Number: Encodable {
        enum CodingKeys: CodingKey { case large, after }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try? container.encode(Unstorable(), forKey: .large)
            try? container.encode([Unstorable()], forKey: .large)
            try container.encode(1, forKey: .after)
            var list = container.nestedUnkeyedContainer(forKey: .large)
            try? list.encode(Unstorable())
            try list.encode(2)
            try? list.encode([Unstorable()])
            try list.encode(3)
        }
    }

    struct Root: RecordEncodable {
        static var recordType: String { "Root" }
        var recordName: String { "root" }
        var number = Number()
    }

    @Test func refusedValueLeavesNoHole() throws {
        let record = try RecordEncoder().encode(Root())[0]
        #expect(record["number"] == .map(["after": .int(1), "large": .list([.int(2), .int(3)])]))
    }
}
