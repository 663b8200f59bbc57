import NestedRecords
import TestSupport
import Testing

/// Values with one ID and other content.
@Suite struct ConflictTests {
    struct Leaf: RecordCodable, Identifiable {
        var id: Int
        var text: String
        var note: String?
    }

    struct Tree: RecordCodable, Identifiable {
        var id = "t"
        var leaves: [Leaf]
        var byName: [String: Leaf] = [:]
    }

    final class Person: RecordCodable, Identifiable {
        let id: String
        var age: Int
        var friend: Person?

        init(id: String, age: Int, friend: Person? = nil) { (self.id, self.age, self.friend) = (id, age, friend) }
    }

    private func expectConflict(
        _ id: String, _ field: String, _ first: String, _ second: String,
        sourceLocation: SourceLocation = #_sourceLocation, _ call: () throws -> RecordGraph
    ) {
        let error = #expect(throws: RecordError.self, sourceLocation: sourceLocation) { try call() }
        #expect(error?.code == .conflict, sourceLocation: sourceLocation)
        #expect(error?.recordID?.description == id, sourceLocation: sourceLocation)
        #expect(error?.field == field, sourceLocation: sourceLocation)
        #expect(
            error.map { [$0.firstPath.text, $0.secondPath.text] } == [first, second], sourceLocation: sourceLocation)
    }

    @Test func differentStructsWithOneIDAreRefusedWithBothPlaces() throws {
        let tree = Tree(
            leaves: [Leaf(id: 2, text: "x"), Leaf(id: 1, text: "a")], byName: ["k": Leaf(id: 1, text: "b")])
        expectConflict("Leaf/1", "text", "leaves.1", "byName.k") { try RecordEncoder().encode(tree) }
    }

    @Test(arguments: [["n", nil], [nil, "n"]] as [[String?]])
    func missingFieldIsADifference(notes: [String?]) throws {
        let tree = Tree(leaves: notes.map { Leaf(id: 1, text: "a", note: $0) })
        expectConflict("Leaf/1", "note", "leaves.0", "leaves.1") { try RecordEncoder().encode(tree) }
    }

    // Equal for `String`, but a reader of the bytes would find the other text.
    @Test func textsThatOnlyLookEqualAreADifference() throws {
        let tree = Tree(leaves: [Leaf(id: 1, text: "caf\u{E9}"), Leaf(id: 1, text: "cafe\u{301}")])
        expectConflict("Leaf/1", "text", "leaves.0", "leaves.1") { try RecordEncoder().encode(tree) }
    }

    @Test func differentInstancesWithOneIDAreRefused() throws {
        let root = Person(id: "r", age: 1, friend: Person(id: "a", age: 2, friend: Person(id: "b", age: 3)))
        let other = Person(id: "b", age: 4)
        expectConflict("Person/b", "age", "0.friend.friend", "1") { try RecordEncoder().encode([root, other]) }
        expectConflict("Person/b", "age", "0.friend.friend", "1") {
            try RecordEncoder().encode([root, other] as [any RecordEncodable])
        }
    }

    @Test func differentCopyInsideTheValueItselfIsRefused() throws {
        let root = Person(id: "r", age: 1, friend: Person(id: "a", age: 2, friend: Person(id: "r", age: 3)))
        expectConflict("Person/r", "age", "", "friend.friend") { try RecordEncoder().encode(root) }
        struct Box: RecordCodable, Identifiable {
            var id: Int
            var size: Int
            var content: [Box]
        }
        let box = Box(id: 1, size: 1, content: [Box(id: 2, size: 2, content: [Box(id: 1, size: 3, content: [])])])
        expectConflict("Box/1", "size", "", "content.0.content.0") { try RecordEncoder().encode(box) }
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
        expectConflict("Leaf/1", "text", "one", "two") { try RecordEncoder().encode(Careless()) }
    }
}
