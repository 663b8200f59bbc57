import NestedRecords
import Testing

@Suite(.timeLimit(.minutes(10))) struct ConflictTests {
    struct Leaf: RecordCodable, Identifiable {
        var id: Int
        var text: String
        var note: String?
    }

    struct Tree: RecordCodable, Identifiable {
        var id: String
        var leaves: [Leaf]
        var byName: [String: Leaf]
    }

    final class Person: RecordCodable, Identifiable {
        let id: String
        var age: Int
        var friend: Person?

        init(id: String, age: Int, friend: Person? = nil) { (self.id, self.age, self.friend) = (id, age, friend) }
    }

    struct Conflict: Equatable {
        var id: String
        var field: String
        var first: [String]
        var second: [String]
    }

    private func conflict<Root: RecordEncodable>(encoding root: Root) throws -> Conflict? {
        let error = #expect(throws: RecordError.self) { try RecordEncoder().encode(root) }
        guard error?.code == .conflict, let id = error?.recordID, let field = error?.field,
            let first = error?.firstPath, let second = error?.secondPath
        else { return nil }
        return Conflict(
            id: id.description, field: field, first: first.map(\.stringValue), second: second.map(\.stringValue))
    }

    @Test func differentStructsWithOneIDAreRefusedWithBothPlaces() throws {
        let tree = Tree(
            id: "t", leaves: [Leaf(id: 2, text: "x"), Leaf(id: 1, text: "a")], byName: ["k": Leaf(id: 1, text: "b")])
        let expected = Conflict(id: "Leaf/1", field: "text", first: ["leaves", "Index 1"], second: ["byName", "k"])
        #expect(try conflict(encoding: tree) == expected)
    }

    @Test(arguments: [["n", nil], [nil, "n"]] as [[String?]])
    func missingFieldIsADifference(notes: [String?]) throws {
        let leaves = notes.map { Leaf(id: 1, text: "a", note: $0) }
        let expected = Conflict(
            id: "Leaf/1", field: "note", first: ["leaves", "Index 0"], second: ["leaves", "Index 1"])
        #expect(try conflict(encoding: Tree(id: "t", leaves: leaves, byName: [:])) == expected)
    }

    @Test func differentInstancesWithOneIDAreRefused() throws {
        let root = Person(id: "r", age: 1, friend: Person(id: "a", age: 2, friend: Person(id: "b", age: 3)))
        let graph = [root, Person(id: "b", age: 4)]
        let error = #expect(throws: RecordError.self) { try RecordEncoder().encode(graph) }
        guard error?.code == .conflict, let id = error?.recordID, let field = error?.field,
            let first = error?.firstPath, let second = error?.secondPath
        else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(id.description == "Person/b")
        #expect(field == "age")
        #expect(first.map(\.stringValue) == ["friend", "friend"])
        #expect(second.isEmpty)
    }

    @Test func differentCopyInsideTheValueItselfIsRefused() throws {
        let root = Person(id: "r", age: 1, friend: Person(id: "a", age: 2, friend: Person(id: "r", age: 3)))
        let expected = Conflict(id: "Person/r", field: "age", first: [], second: ["friend", "friend"])
        #expect(try conflict(encoding: root) == expected)
    }

    @Test func differentStructInsideTheValueItselfIsRefused() throws {
        struct Box: RecordCodable, Identifiable {
            var id: Int
            var size: Int
            var content: [Box]
        }
        let root = Box(id: 1, size: 1, content: [Box(id: 2, size: 2, content: [Box(id: 1, size: 3, content: [])])])
        let path = ["content", "Index 0", "content", "Index 0"]
        #expect(try conflict(encoding: root) == Conflict(id: "Box/1", field: "size", first: [], second: path))
    }

    @Test func typesThatIgnoreErrorsCannotHideAConflict() throws {
        struct Careless: RecordEncodable, Identifiable {
            var id = 1
            enum CodingKeys: CodingKey { case id, one, two }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(id, forKey: .id)
                try? container.encode(Leaf(id: 1, text: "a"), forKey: .one)
                try? container.encode(Leaf(id: 1, text: "b"), forKey: .two)
            }
        }
        let expected = Conflict(id: "Leaf/1", field: "text", first: ["one"], second: ["two"])
        #expect(try conflict(encoding: Careless()) == expected)
    }

    // Equal for `String`, but a reader of the bytes would find the other text.
    @Test func textsThatOnlyLookEqualAreADifference() throws {
        let leaves = [Leaf(id: 1, text: "caf\u{E9}"), Leaf(id: 1, text: "cafe\u{301}")]
        let expected = Conflict(
            id: "Leaf/1", field: "text", first: ["leaves", "Index 0"], second: ["leaves", "Index 1"])
        #expect(try conflict(encoding: Tree(id: "t", leaves: leaves, byName: [:])) == expected)
    }

    @Test func descriptionTellsIDFieldAndBothPaths() throws {
        let tree = Tree(id: "t", leaves: [Leaf(id: 1, text: "a")], byName: ["k": Leaf(id: 1, text: "b")])
        let error = #expect(throws: RecordError.self) { try RecordEncoder().encode(tree) }
        #expect(
            error?.description == "two values with the ID Leaf/1 differ in field 'text': one is at 'leaves[0]', "
                + "the other at 'byName.k'")
    }
}
