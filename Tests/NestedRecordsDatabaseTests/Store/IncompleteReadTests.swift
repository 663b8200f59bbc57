import NestedRecords
import TestSupport
import Testing

/// Saves of values that were read incompletely.
@Suite struct IncompleteReadTests {
    struct Book: RecordCodable, Identifiable, Hashable {
        @RecordName var id: Int
        var title: String
    }

    struct Shelf: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
        var books: [Book] = []
        var set: Set<Book> = []
        var byName: [String: Book] = [:]
        var holes: [Book?] = []
        var favourite: Book?
    }

    struct Line: Codable, Equatable {
        var id: Int
        var text: String
    }

    struct Order: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
        var lines: [Line]
    }

    /// A list of which only the numbers are read.
    struct Numbers: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
        @Lossy var list: [Int]
    }

    @propertyWrapper struct Lossy: Codable, Equatable {
        var wrappedValue: [Int]
        init(wrappedValue: [Int]) { self.wrappedValue = wrappedValue }

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            wrappedValue = []
            while !container.isAtEnd {
                if let number = try? container.decode(Int.self) {
                    wrappedValue.append(number)
                } else {
                    _ = try container.superDecoder()
                }
            }
        }

        func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
    }

    /// A place of which two coordinates are read.
    struct Spot: RecordCodable, Identifiable {
        struct Point: Codable {
            var x, y: Int
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                (x, y) = (try container.decode(Int.self), try container.decode(Int.self))
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                try container.encode(x)
                try container.encode(y)
            }
        }
        @RecordName var id: String
        var point: Point
    }

    private let memory = InMemoryRecordDatabase()

    private var store: RecordStore {
        var coding = RecordCoding()
        coding.omitsDanglingReferences = true
        return RecordStore(memory, coding: coding)
    }

    private func write(_ id: String, _ fields: Record.Fields) async throws {
        try await memory.commit(RecordBatch(saving: [Flat.record(id, fields)], savePolicy: .overwrite))
    }

    private func field(_ name: String, of id: String) async throws -> Record.Value? {
        try await memory.record(for: Record.ID(id))?.fields[name]
    }

    private func books(_ numbers: Int...) throws -> Record.Value {
        try Flat.references(numbers.map { "Book/\($0)" })
    }

    /// A shelf whose second book is missing.
    private func fetchShelf() async throws -> Stored<Shelf> {
        for number in [1, 3] { try await write("Book/\(number)", ["title": .string("t\(number)")]) }
        let all = try books(1, 2, 3)
        let map: Record.Value = .map([
            "one": try Flat.reference("Book/1"), "two": try Flat.reference("Book/2"),
        ])
        try await write(
            "Shelf/a",
            [
                "books": all, "set": all, "holes": all, "byName": map, "favourite": try Flat.reference("Book/2"),
            ])
        return try await store.fetch(Shelf.self, named: "a")
    }

    // MARK: Omitted references

    @Test func omittedElementStaysAfterTheOneThatItFollowed() async throws {
        let changes: [(inout [Book]) -> Void] = [
            { $0.append(Book(id: 4, title: "t4")) }, { $0.insert(Book(id: 4, title: "t4"), at: 0) },
            { $0.remove(at: 0) }, { $0.removeLast() }, { $0.removeAll() }, { $0.reverse() },
            { $0[0] = Book(id: 4, title: "t4") }, { $0 = [Book(id: 4, title: "t4")] },
        ]
        let expected = try [
            books(1, 2, 3, 4), books(4, 1, 2, 3), books(2, 3), books(1, 2), books(2), books(3, 1, 2),
            books(4, 2, 3), books(4, 2),
        ]
        for (change, expected) in zip(changes, expected) {
            var shelf = try await fetchShelf()
            change(&shelf.value.books)
            try await store.save(&shelf)
            #expect(try await field("books", of: "Shelf/a") == expected)
            #expect(try await store.fetch(Shelf.self, named: "a").value == shelf.value)
        }
    }

    @Test func omittedElementsOfSetsMapsAndOptionalsAreKept() async throws {
        var shelf = try await fetchShelf()
        shelf.set.insert(Book(id: 4, title: "t4"))
        shelf.byName["four"] = Book(id: 4, title: "t4")
        #expect(shelf.holes[1] == nil)
        shelf.holes.append(nil)
        shelf.holes[0] = nil
        try await store.save(&shelf)
        let set = try #require(try await field("set", of: "Shelf/a"))
        #expect(set == (try books(1, 2, 3, 4)))
        let names = try await field("byName", of: "Shelf/a")
        guard case .map(let entries)? = names else {
            Issue.record("not a map")
            return
        }
        #expect(Set(entries.map(\.name)) == ["one", "two", "four"])
        #expect(
            try await field("holes", of: "Shelf/a")
                == .list([.null, Flat.reference("Book/2"), Flat.reference("Book/3"), .null]))
        #expect(try await field("favourite", of: "Shelf/a") == Flat.reference("Book/2"))
    }

    @Test func missingRecordThatIsPutBackIsInTheListOnce() async throws {
        var shelf = try await fetchShelf()
        shelf.books.append(Book(id: 2, title: "t2"))
        try await store.save(&shelf)
        #expect(try await field("books", of: "Shelf/a") == books(1, 3, 2))
    }

    @Test func updateAndTransactionKeepOmittedElements() async throws {
        _ = try await fetchShelf()
        try await store.update(Shelf.self, named: "a") { $0.books.removeLast() }
        #expect(try await field("books", of: "Shelf/a") == books(1, 2))
        try await store.transaction { store in
            var shelf = try await store.fetch(Shelf.self, named: "a")
            shelf.books.append(Book(id: 3, title: "t3"))
            try await store.save(&shelf)
        }
        #expect(try await field("books", of: "Shelf/a") == books(1, 2, 3))
    }

    @Test func updatesBesideEachOtherKeepOmittedElements() async throws {
        _ = try await fetchShelf()
        let store = store
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 10..<20 {
                group.addTask {
                    try await store.update(Shelf.self, named: "a") {
                        $0.books.append(Book(id: number, title: "t"))
                        if number == 15 { $0.books.removeAll { $0.id == 1 } }
                    }
                }
            }
            try await group.waitForAll()
        }
        guard case .list(let stored)? = try await field("books", of: "Shelf/a") else {
            Issue.record("not a list")
            return
        }
        let expected = try ([2, 3] + (10..<20)).map { try Flat.reference("Book/\($0)") }
        #expect(stored.count == 12 && Set(stored) == Set(expected))
        #expect(Array(stored.prefix(2)) == Array(expected.prefix(2)))
    }

    @Test func oneOfTwoOmittedOptionalsCannotBeRemoved() async throws {
        try await write("Shelf/a", ["books": [], "set": [], "byName": [:], "holes": try books(8, 9)])
        var shelf = try await store.fetch(Shelf.self, named: "a")
        #expect(shelf.holes == [nil, nil])
        shelf.holes.removeLast()
        try await expectRefusal(of: &shelf, field: "holes")
    }

    // MARK: Elements that a type does not read

    @Test func randomChangesKeepTheElementsThatATypeDoesNotRead() async throws {
        for seed in 0..<300 as Range<UInt64> {
            var generator = SplitMix64(seed: seed)
            var stored: [Record.Value] = []
            for index in 0..<Int.random(in: 0..<9, using: &generator) {
                stored.append(Bool.random(using: &generator) ? .int(Int64(index)) : .string("s\(index)"))
            }
            try await write("Numbers/n", ["list": .list(stored)])
            var numbers = try await store.fetch(Numbers.self, named: "n")
            let read = numbers.list
            for step in 0..<Int.random(in: 1..<4, using: &generator) {
                let place = Int.random(in: 0...numbers.list.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: numbers.list.insert(100 + step, at: place)
                case 1: if place < numbers.list.count { numbers.list.remove(at: place) }
                case 2: if place < numbers.list.count { numbers.list[place] = 200 + step }
                default: numbers.list.shuffle(using: &generator)
                }
            }
            let new = numbers.list
            try await store.save(&numbers)
            guard case .list(let result)? = try await field("list", of: "Numbers/n") else {
                Issue.record("not a list")
                continue
            }
            let isNumber: (Record.Value) -> Bool = { if case .int = $0 { true } else { false } }
            #expect(result.filter(isNumber) == new.map { .int(Int64($0)) }, "seed \(seed)")
            let left = stored.filter { !isNumber($0) }
            #expect(Set(result.filter { !isNumber($0) }) == Set(left), "seed \(seed)")
            #expect(result.count == new.count + left.count, "seed \(seed)")
            // What followed a number that is still in the list still follows it.
            for (number, next) in zip(stored, stored.dropFirst()) where isNumber(number) && !isNumber(next) {
                guard let place = result.firstIndex(of: number) else { continue }
                #expect(place + 1 < result.count && result[place + 1] == next, "seed \(seed): \(read), \(new)")
            }
        }
    }

    @Test func coordinateThatATypeDoesNotReadStaysInItsPlace() async throws {
        try await write("Spot/s", ["point": [1, 2, 3]])
        var spot = try await store.fetch(Spot.self, named: "s")
        (spot.point.x, spot.point.y) = (7, 8)
        try await store.save(&spot)
        #expect(try await field("point", of: "Spot/s") == [7, 8, 3])
    }

    // MARK: Members of elements

    private func line(_ id: Int, _ text: String, price: Int) -> Record.Value {
        .map(["id": .int(Int64(id)), "text": .string(text), "price": .int(Int64(price))])
    }

    private func fetchOrder() async throws -> Stored<Order> {
        try await write("Order/o", ["lines": .list([line(1, "a", price: 10), line(2, "b", price: 20)])])
        return try await store.fetch(Order.self, named: "o")
    }

    @Test func unknownMembersOfElementsAreKept() async throws {
        let changes: [(inout [Line]) -> Void] = [
            { $0[1].text = "z" }, { $0.reverse() }, { $0.removeFirst() }, { $0.append(Line(id: 3, text: "c")) },
            {
                $0[0].text = "y"; $0[1].text = "z"
            },
        ]
        let (first, second) = (line(1, "a", price: 10), line(2, "b", price: 20))
        let expected: [[Record.Value]] = [
            [first, line(2, "z", price: 20)], [second, first], [second], [first, second, ["id": 3, "text": "c"]],
            [line(1, "y", price: 10), line(2, "z", price: 20)],
        ]
        for (change, expected) in zip(changes, expected) {
            var order = try await fetchOrder()
            change(&order.value.lines)
            try await store.save(&order)
            #expect(try await field("lines", of: "Order/o") == .list(expected))
        }
    }

    @Test func elementThatMayBeAnotherIsRefusedWithItsField() async throws {
        let changes: [(inout [Line]) -> Void] = [
            // Changed and moved.
            { $0 = [$0[1], Line(id: 1, text: "z")] },
            // Replaced in its place by one that has nothing in common.
            { $0[0] = Line(id: 9, text: "z") },
            // One of two is another form of the new one.
            { $0 = [Line(id: 2, text: "z")] },
        ]
        for change in changes {
            var order = try await fetchOrder()
            change(&order.value.lines)
            try await expectRefusal(of: &order, field: "lines")
            let lines = try await field("lines", of: "Order/o")
            #expect(lines == .list([line(1, "a", price: 10), line(2, "b", price: 20)]))
        }
    }

    private func expectRefusal<Value: RecordCodable>(of stored: inout Stored<Value>, field: String) async throws {
        do {
            try await store.save(&stored)
            Issue.record("saved: \(stored)")
        } catch let error as RecordError {
            #expect(error.code == .incompletelyRead && error.kind == .unsupported)
            #expect(error.recordID == stored.recordID && error.field == field)
            #expect("\(error)".contains("'\(field)' of record \(stored.recordID)"))
        }
    }
}
