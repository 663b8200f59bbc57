import NestedRecords
import Testing

/// Values that become records of their own, in every position and shape.
@Suite struct RecordValueRoundTripTests {
    struct Leaf: RecordCodable, Identifiable, Hashable {
        var id: Int
        var next: [Leaf] = []
    }

    final class Node: RecordCodable, Identifiable, Equatable {
        let id: String
        let left: Node?
        let right: Node?

        init(_ id: String, _ left: Node? = nil, _ right: Node? = nil) {
            self.id = id
            self.left = left
            self.right = right
        }

        static func == (one: Node, other: Node) -> Bool {
            one.id == other.id && one.left == other.left && one.right == other.right
        }
    }

    enum Colour: String, RecordCodable, Identifiable {
        case red, darkBlue
        var id: String { rawValue }
    }

    enum Shape: RecordCodable, Equatable {
        case leaf(Leaf, colour: Colour?)
        case none
        var recordName: String {
            switch self {
            case .leaf(let leaf, _): "leaf \(leaf.id)"
            case .none: "none"
            }
        }
    }

    struct Box: RecordCodable, Equatable {
        var recordName: String { "box" }
        var leaf: Leaf?

        init(leaf: Leaf?) { self.leaf = leaf }
        init(from decoder: any Decoder) throws { leaf = try decoder.singleValueContainer().decode(Leaf?.self) }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(leaf)
        }
    }

    struct Row: RecordCodable, Equatable {
        var recordName: String { "row" }
        var leaves: [Leaf]

        init(leaves: [Leaf]) { self.leaves = leaves }
        init(from decoder: any Decoder) throws { leaves = try [Leaf](from: decoder) }
        func encode(to encoder: any Encoder) throws { try leaves.encode(to: encoder) }
    }

    static let leaf = Leaf(id: 1, next: [Leaf(id: 2, next: [Leaf(id: 3)]), Leaf(id: 3)])

    static let records: [RoundTripCase] = [
        RoundTripCase("struct") { leaf },
        RoundTripCase("list") { [leaf, leaf, Leaf(id: 4)] },
        RoundTripCase("optionals") { [leaf, nil, Leaf(id: 4)] },
        RoundTripCase("Set", isUnordered: true) { Set([leaf, Leaf(id: 4), Leaf(id: 5)]) },
        RoundTripCase("dictionary") { [" ": [leaf], "a b": []] },
        RoundTripCase("keys of a dictionary", isUnordered: true) {
            [leaf: Leaf(id: 2, next: [Leaf(id: 3)]), Leaf(id: 3): leaf]
        },
        RoundTripCase("class with shared instances") {
            let shared = Node("shared")
            return Node("root", Node("left", shared, shared), shared)
        },
        RoundTripCase("enum with raw values") { [Colour.red, .darkBlue] },
        RoundTripCase("enum with payload") { [Shape.leaf(leaf, colour: .red), .none] },
        RoundTripCase("record that is a list of records") { Row(leaves: [leaf, Leaf(id: 4)]) },
        RoundTripCase("record that is a record") { Box(leaf: leaf) },
        RoundTripCase("record that is an optional record", isJSON: false) { Box(leaf: nil) },
        RoundTripCase("generic payloads") { Payload.two(left: [leaf], right: []) },
        RoundTripCase("nested containers") { Nested(UnderSuper(Nested(leaf))) },
    ]

    @Test(arguments: records, RoundTripPosition.allCases.filter { $0 != .childRecord })
    func recordsComeBackInEveryPosition(value: RoundTripCase, position: RoundTripPosition) async throws {
        try await value.run(position)
    }

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
        var encoder = RecordEncoder()
        encoder.coding.keyStrategy = Self.strategies[index]
        var decoder = RecordDecoder()
        decoder.coding.keyStrategy = Self.strategies[index]
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
