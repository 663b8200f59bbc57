import NestedRecords
import TestSupport
import Testing

/// Where in a value records can stand.
@Suite(.timeLimit(.minutes(60))) struct RecordPlacesTests {
    struct Leaf: RecordCodable, Identifiable, Hashable {
        var id: Int
        var text: String
        init(_ id: Int) { (self.id, text) = (id, "leaf \(id)") }
    }

    enum Choice: Codable, Hashable {
        case none
        case one(Leaf)
        case pair(left: Leaf, right: [Leaf])
    }

    struct Embedded: Codable, Hashable {
        var leaf: Leaf
        var inner: [String: Leaf]
        var choice: Choice
    }

    struct Root: RecordCodable, Identifiable, Hashable {
        var id = "r"
        var list: [Leaf] = []
        var holes: [Leaf?] = []
        var rows: [[Leaf]] = []
        var set: Set<Leaf> = []
        var byName: [String: Leaf] = [:]
        var byNumber: [Int: Leaf] = [:]
        var byLeaf: [Leaf: Leaf] = [:]
        var lists: [String: [Leaf?]] = [:]
        var embedded: [Embedded] = []
        var choices: [Choice] = []
        var absent: Leaf?
    }

    static let roots: [Root] = [
        Root(),
        Root(list: [Leaf(2), Leaf(1), Leaf(2)]),
        Root(holes: [nil, Leaf(1), nil, Leaf(2), nil]),
        Root(holes: [nil, nil]),
        Root(rows: [[], [Leaf(1)], [], [Leaf(2), Leaf(1)]]),
        Root(set: Set((0..<50).map(Leaf.init))),
        Root(byName: ["": Leaf(1), "a b": Leaf(2), "é": Leaf(1)]),
        Root(byNumber: [-1: Leaf(1), 10: Leaf(2), 9: Leaf(1)]),
        Root(byLeaf: [Leaf(1): Leaf(2), Leaf(3): Leaf(1)]),
        Root(lists: ["none": [], "hole": [nil], "full": [Leaf(1), nil, Leaf(1)]]),
        Root(embedded: [Embedded(leaf: Leaf(1), inner: ["k": Leaf(2)], choice: .pair(left: Leaf(3), right: [Leaf(1)]))]
        ),
        Root(choices: [.none, .one(Leaf(1)), .pair(left: Leaf(1), right: []), .none]),
    ]

    @Test(arguments: roots) func recordsInADatabaseAreFetchedInTwoCalls(root: Root) async throws {
        let graph = try RecordEncoder().encode(root)
        for record in graph.dropLast() { #expect(record.fields == Leaf(try #require(Int(record.id.name))).fields) }
        let database = try await CountingDatabase(holding: graph)
        #expect(try await RecordDecoder().decode(Root.self, named: "r", in: database) == root)
        #expect(database.calls.count == (graph.count == 1 ? 1 : 2))
        #expect(Set(database.asked).count == database.asked.count)
        #expect(database.asked.count == graph.count)
    }

    @Test func emptyListStaysAListAndNilHasNoField() throws {
        let record = try #require(try RecordEncoder().encode(Root()).last)
        #expect(record["list"] == .list([]))
        #expect(record["byName"] == .map([:]))
        #expect(record["absent"] == nil)
    }

    @Test func holesAreNull() throws {
        let record = try #require(try RecordEncoder().encode(Root(holes: [nil, Leaf(1)])).last)
        #expect(record["holes"] == .list([.null, try Flat.reference("Leaf/1")]))
    }

    @Test func oneTypeStandsOnSeveralLevels() throws {
        struct Part: RecordCodable, Identifiable, Equatable {
            var id: String
            var parts: [Part]
            var spare: [String: [Part]]?
        }
        let bolt = Part(id: "bolt", parts: [])
        let wheel = Part(id: "wheel", parts: [bolt, Part(id: "rim", parts: [bolt])], spare: ["s": [bolt]])
        let car = Part(id: "car", parts: [wheel, bolt, wheel], spare: ["s": [wheel]])
        let graph = try RecordEncoder().encode(car)
        #expect(graph.map(\.id.name) == ["bolt", "rim", "wheel", "car"])
        #expect(try RecordDecoder().decode(Part.self, from: graph) == car)
    }
}

extension RecordPlacesTests.Leaf {
    fileprivate var fields: Record.Fields { ["id": .int(Int64(id)), "text": .string(text)] }
}
