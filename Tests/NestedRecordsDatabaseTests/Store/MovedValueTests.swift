import NestedRecords
import TestSupport
import Testing

/// Values that were read in part, and are added again in another place.
@Suite struct MovedValueTests {
    struct Card: Codable, Equatable {
        var id: Int
        var text: String
        var isDone = false
    }

    struct Column: Codable, Equatable {
        var name: String
        var cards: [Card]
    }

    struct Board: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
        var open: [Card] = []
        var done: [Card] = []
        var byName: [String: Card] = [:]
        var pinned: Card?
        var columns: [Column] = []
        var next: Sheet?
        var sheets: [Sheet] = []
    }

    struct Sheet: RecordCodable, Identifiable, Equatable {
        @RecordName var id: Int
        var card: Card
    }

    private let memory = InMemoryRecordDatabase()

    private func write(_ id: String, _ fields: Record.Fields) async throws {
        try await memory.commit(RecordBatch(saving: [Flat.record(id, fields)], savePolicy: .overwrite))
    }

    private func record(_ id: String) async throws -> Record {
        try #require(try await memory.record(for: Record.ID(id)))
    }

    private func card(_ id: Int, _ text: String, isDone: Bool = false, price: Int? = nil) -> Record.Value {
        var fields: Record.Fields = ["id": .int(Int64(id)), "text": .string(text), "isDone": .bool(isDone)]
        if let price { fields["price"] = .int(Int64(price)) }
        return .map(fields)
    }

    private func fetchBoard() async throws -> Stored<Board> {
        let column: Record.Value = .map(["name": "a", "cards": .list([card(3, "c", price: 30)])])
        try await write("Sheet/1", ["card": card(6, "f", price: 60), "colour": "red"])
        try await write(
            "Board/b",
            [
                "open": .list([card(1, "a", price: 10), card(2, "b", price: 20)]), "done": .list([]),
                "byName": .map(["x": card(4, "d", price: 40)]), "pinned": card(5, "e", price: 50),
                "columns": .list([column, .map(["name": "b", "cards": .list([])])]),
                "sheets": try Flat.references(["Sheet/1"]),
            ])
        return try await memory.values.fetch(Board.self, named: "b")
    }

    @Test func movedValueKeepsWhatItsTypeDoesNotRead() async throws {
        let changes: [(Record.Value, String, (inout Board) -> Void)] = [
            (.list([card(1, "a", price: 10)]), "done", { $0.done.append($0.open.removeFirst()) }),
            (.list([card(2, "b", price: 20)]), "done", { $0.done = [$0.open.removeLast()] }),
            (.map(["y": card(4, "d", price: 40)]), "byName", { $0.byName["y"] = $0.byName.removeValue(forKey: "x") }),
            (card(1, "a", price: 10), "pinned", { $0.pinned = $0.open.removeFirst() }),
        ]
        for (expected, field, change) in changes {
            var board = try await fetchBoard()
            change(&board.value)
            try await memory.values.save(&board)
            #expect(try await record("Board/b")[field] == expected)
            #expect(try await memory.values.fetch(Board.self, named: "b").value == board.value)
        }
    }

    @Test func valueMovesBetweenElementsAndToNewRecords() async throws {
        var board = try await fetchBoard()
        board.value.columns[1].cards.append(board.value.columns[0].cards.removeFirst())
        board.value.next = Sheet(id: 2, card: board.value.open.removeFirst())
        try await memory.values.save(&board)
        let expected: Record.Value = .list([
            .map(["name": "a", "cards": .list([])]), .map(["name": "b", "cards": .list([card(3, "c", price: 30)])]),
        ])
        #expect(try await record("Board/b")["columns"] == expected)
        #expect(try await record("Sheet/2")["card"] == card(1, "a", price: 10))
    }

    @Test func valueThatIsMovedAndChangedIsRefused() async throws {
        var board = try await fetchBoard()
        var card = board.value.open.removeFirst()
        card.isDone = true
        board.value.done.append(card)
        let error = await #expect(throws: RecordError.self) { try await memory.values.save(&board) }
        #expect(error?.code == .incompletelyRead && error?.recordID == board.recordID && error?.field == "done")
        #expect(error?.description.contains("the field 'done' of record Board/b was read incompletely") == true)
        #expect(try await record("Board/b")["done"] == .list([]))
    }

    @Test func newValueWithFewMembersInCommonIsNew() async throws {
        var board = try await fetchBoard()
        board.value.open.removeFirst()
        board.value.done.append(Card(id: 9, text: "z"))
        try await memory.values.save(&board)
        #expect(try await record("Board/b")["done"] == .list([card(9, "z")]))
    }

    @Test func equalRemovedValuesWithOtherContentAreNotMistaken() async throws {
        try await write(
            "Board/b",
            [
                "open": .list([card(1, "a", price: 10)]), "byName": .map(["x": card(1, "a", price: 11)]),
                "done": .list([]), "columns": .list([]), "sheets": .list([]),
            ])
        var board = try await memory.values.fetch(Board.self, named: "b")
        board.value.byName = [:]
        board.value.done = [board.value.open.removeFirst()]
        let error = await #expect(throws: RecordError.self) { try await memory.values.save(&board) }
        #expect(error?.code == .incompletelyRead)
    }

    struct Tree: RecordCodable, Identifiable {
        struct Node: Codable {
            var card: Card?
            var inner: [Node] = []
        }

        @RecordName var id: String
        var open: [Card]
        var root: Node?
    }

    @Test(arguments: [10, 60])
    func valueThatMovesIntoADeepValueKeepsItsContentOrIsRefused(levels: Int) async throws {
        try await write("Tree/t", ["open": .list([card(1, "a", price: 10)])])
        var tree = try await memory.values.fetch(Tree.self, named: "t")
        tree.value.root = (0..<levels).reduce(Tree.Node(card: tree.value.open.removeFirst())) { inner, _ in
            Tree.Node(card: nil, inner: [inner])
        }
        do {
            try await memory.values.save(&tree)
            #expect(try await record("Tree/t").description.contains("price: 10"))
        } catch let error as RecordError {
            #expect(levels == 60 && error.code == .incompletelyRead && error.field == "root")
            #expect(try await record("Tree/t")["root"] == nil)
        }
    }

    // MARK: Records

    @Test func movedRecordKeepsWhatItsTypeDoesNotRead() async throws {
        var board = try await fetchBoard()
        board.value.next = board.value.sheets.removeFirst()
        board.value.next?.card.text = "new"
        try await memory.values.save(&board)
        #expect(
            try await record("Sheet/1").fields == ["card": card(6, "new", price: 60), "colour": "red"])
    }

    @Test func recordThatIsTakenOutAndPutBackKeepsWhatItsTypeDoesNotRead() async throws {
        var board = try await fetchBoard()
        var sheet = board.value.sheets.removeFirst()
        try await memory.values.save(&board)
        sheet.card.text = "new"
        board.value.sheets.append(sheet)
        try await memory.values.save(&board)
        #expect(
            try await record("Sheet/1").fields == ["card": card(6, "new", price: 60), "colour": "red"])
    }

    struct Person: RecordCodable, Identifiable {
        @RecordName var id: Int
        var address: [String: String]
        var friend: RecordLink<Person>?
        var best: Best?
        static let recordType = "MovedPerson"
    }

    struct Address: Codable { var city: String }

    /// Another type of the same records, which reads less.
    struct Best: RecordCodable, Identifiable {
        @RecordName var id: Int
        var address: Address
        static let recordType = "MovedPerson"
    }

    @Test func recordThatAnotherValueHasReadInPartIsNotReplaced() async throws {
        let target = try Flat.reference("MovedPerson/2", isLink: true)
        try await write("MovedPerson/2", ["address": ["city": "Rome", "zip": "1"]])
        try await write("MovedPerson/1", ["address": [:], "friend": target])
        let people = try await memory.values.fetch(Person.self, named: [1, 2])
        var first = people[0]
        first.value.best = Best(id: 2, address: Address(city: "Ostia"))
        let error = await #expect(throws: RecordDatabaseError.self) { try await memory.values.save(&first) }
        #expect(error?.code == .conflict)
        #expect(try await record("MovedPerson/2")["address"] == ["city": "Rome", "zip": "1"])
    }

    struct Slim: RecordCodable, Identifiable {
        @RecordName var id: Int
        var title: String
        static let recordType = "MovedBook"
    }

    struct Full: RecordCodable, Identifiable {
        @RecordName var id: Int
        var title: String
        var size: Address
        static let recordType = "MovedBook"
    }

    struct Shelf: RecordCodable, Identifiable {
        @RecordName var id: Int
        var slim: Slim?
        var full: Full?
        static let recordType = "MovedShelf"
    }

    @Test func fieldThatWasNotReadIsNotReplacedByOneThatHasLess() async throws {
        try await write("MovedBook/1", ["title": "t", "size": ["city": "x", "height": 1]])
        try await write("MovedShelf/1", ["slim": try Flat.reference("MovedBook/1")])
        var shelf = try await memory.values.fetch(Shelf.self, named: 1)
        shelf.value.slim = nil
        shelf.value.full = Full(id: 1, title: "t", size: Address(city: "y"))
        let error = await #expect(throws: RecordError.self) { try await memory.values.save(&shelf) }
        #expect(error?.code == .incompletelyRead && error?.field == "size")
        #expect(error?.description.contains("the stored value was not read") == true)
        #expect(try await record("MovedBook/1")["size"] == ["city": "x", "height": 1])
    }
}
