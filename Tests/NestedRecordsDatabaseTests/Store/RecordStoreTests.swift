import TestSupport
import Testing

@testable import NestedRecords

/// The values of a database, by the verbs of a store.
@Suite struct RecordStoreTests {
    private struct Book: RecordCodable, Identifiable, Equatable {
        var id: Int
        var title: String
    }

    private struct Shelf: RecordCodable, Identifiable {
        var id: String
        var books: [Book]
        var visits = 0
    }

    /// As in many programs, an object that only one task at a time has.
    private final class Card: RecordCodable, Identifiable {
        let id: Int
        var text: String

        init(id: Int, text: String) { (self.id, self.text) = (id, text) }
    }

    private let memory = InMemoryRecordDatabase()
    private let tides = Book(id: 1, title: "Tides")

    private var store: RecordStore { RecordStore(memory) }

    @Test func insertedValueIsFetchedWithItsVersions() async throws {
        let inserted = try await store.insert(Shelf(id: "a", books: [tides]))
        let fetched = try await store.fetch(Shelf.self, named: "a")
        #expect(fetched.books == [tides] && fetched.changeTags == inserted.changeTags && fetched.changeTags.count == 2)
    }

    @Test func existingValueIsNotInsertedAgain() async throws {
        try await store.insert(tides)
        for title in ["Tides", "Other"] {
            let error = await #expect(throws: RecordDatabaseError.self) {
                try await store.insert(Book(id: 1, title: title))
            }
            #expect(error?.kind == .alreadyExists)
        }
        #expect(try await store.fetch(Book.self, named: 1).title == "Tides")
    }

    @Test func severalValuesAreInsertedTogetherOrNotAtAll() async throws {
        try await store.insert(tides)
        let shelves = ["a", "b"].map { Shelf(id: $0, books: [tides]) }
        #expect(try await store.insert(shelves).map(\.recordID.name) == ["a", "b"])
        await #expect(throws: RecordDatabaseError.self) {
            try await store.insert([Book(id: 2, title: "Sail"), tides])
        }
        #expect(try await store.fetchIfPresent(Book.self, named: 2) == nil)
    }

    @Test func valuesAreFetchedInTheOrderOfTheirNames() async throws {
        try await store.insert((1...3).map { Book(id: $0, title: "\($0)") })
        #expect(try await store.fetch(Book.self, named: [3, 1]).map(\.title) == ["3", "1"])
        let error = await #expect(throws: RecordError.self) { try await store.fetch(Book.self, named: [1, 4]) }
        #expect(error?.code == .recordNotFound)
    }

    @Test func missingValueIsNilOrAnError() async throws {
        #expect(try await store.fetchIfPresent(Book.self, named: 1) == nil)
        let error = await #expect(throws: RecordError.self) { try await store.fetch(Book.self, named: 1) }
        #expect(error?.code == .recordNotFound)
    }

    @Test func saveOverAnotherChangeFailsUnlessItMerges() async throws {
        var mine = try await store.insert(Shelf(id: "a", books: [tides]))
        try await store.update(Shelf.self, named: "a") { $0.visits = 1 }
        mine.value.books.append(Book(id: 2, title: "Sail"))
        let error = await #expect(throws: RecordDatabaseError.self) { try await store.save(mine) }
        #expect(error?.kind == .conflict)
        #expect(try await store.fetch(Shelf.self, named: "a").books == [tides])
        try await store.save(&mine, merging: { try $0.merged() })
        #expect(mine.visits == 1)
        #expect(try await store.fetch(Shelf.self, named: "a").books.map(\.id) == [1, 2])
    }

    @Test func savedValueIsReturnedWithItsNewVersions() async throws {
        var book = try await store.insert(tides)
        for title in ["Ebb", "Flow"] {
            book.title = title
            book = try await store.save(book)
        }
        #expect(try await store.fetch(Book.self, named: 1).changeTags == book.changeTags)
        #expect(try await store.fetch(Book.self, named: 1).title == "Flow")
    }

    @Test func updateOfAnotherVersionThanTheGivenOneIsRefused() async throws {
        let first = try await store.insert(tides)
        let second = try await store.update(Book.self, named: 1, ifMatch: first.entityTag) { $0.title = "Ebb" }
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await store.update(Book.self, named: 1, ifMatch: first.entityTag) { $0.title = "Flow" }
        }
        #expect(error?.kind == .conflict)
        #expect(
            error?.description == "record Book/1 is not at the requested version: its entity tag is "
                + "\(second.entityTag), not \(first.entityTag)")
        #expect(try await store.fetch(Book.self, named: 1).entityTag == second.entityTag)
    }

    @Test func overwriteReplacesAnyVersion() async throws {
        try await store.insert(tides)
        try await memory.set("note", of: "Book/1", to: "not of the Swift type")
        try await store.overwrite(Book(id: 1, title: "Ebb"))
        let record = try await memory.fetch("Book/1")
        #expect(record["title"] == "Ebb" && record["note"] == nil)
        try await store.overwrite(Book(id: 2, title: "New"))
        #expect(try await store.fetch(Book.self, named: 2).title == "New")
    }

    @Test func transactionSavesAllOrNothing() async throws {
        struct Refusal: Error {}
        try await store.insert([tides, Book(id: 2, title: "Sail")])
        await #expect(throws: Refusal.self) {
            try await store.transaction { store in
                try await store.update(Book.self, named: 1) { $0.title = "Ebb" }
                throw Refusal()
            }
        }
        #expect(try await store.fetch(Book.self, named: 1).title == "Tides")
        let kept = try await store.transaction { store in
            for id in 1...2 { try await store.update(Book.self, named: id) { $0.title += "!" } }
            return store
        }
        #expect(try await store.fetch(Book.self, named: [1, 2]).map(\.title) == ["Tides!", "Sail!"])
        let error = await #expect(throws: RecordDatabaseError.self) { try await kept.insert(Book(id: 3, title: "")) }
        #expect(error?.code == .transactionEnded)
    }

    @Test func recordThatOthersReferToIsDeletedOnRequestAlone() async throws {
        let sail = Book(id: 2, title: "Sail")
        try await store.insert(Shelf(id: "a", books: [tides, sail]))
        let error = await #expect(throws: RecordDatabaseError.self) { try await store.delete(Book.self, named: 1) }
        #expect(error?.code == .stillReferenced)
        #expect(try await store.delete(Book.self, named: 1, .clearing).map(\.description) == ["Book/1"])
        #expect(try await store.fetch(Shelf.self, named: "a").books == [sail])
        try await store.delete(Book.self, named: 2, .dangling)
        #expect(try await memory.danglingReferences().map(\.target.description) == ["Book/2"])
    }

    @Test(arguments: [[], .contents, .cascading, .dangling] as [DeletionOptions])
    func planShowsWhatTheDeletionDoes(_ options: DeletionOptions) async throws {
        try await store.insert(Shelf(id: "a", books: [tides]))
        let plan = try await store.plan(deleting: Shelf.self, named: "a", options)
        #expect(try await store.delete(Shelf.self, named: "a", options) == plan.ids)
        #expect(plan.ids.count == (options == .contents ? 2 : 1))
        #expect(try await store.delete(Shelf.self, named: "a", options) == [])
    }

    @Test func valueThatHasChangedIsNotDeleted() async throws {
        let book = try await store.insert(tides)
        let newer = try await store.update(Book.self, named: 1) { $0.title = "Ebb" }
        let error = await #expect(throws: RecordDatabaseError.self) { try await store.delete(book) }
        #expect(error?.kind == .conflict)
        #expect(try await store.delete(newer) == [newer.recordID])
        #expect(try await store.fetchIfPresent(Book.self, named: 1) == nil)
    }

    @Test func codingOfTheStoreNamesTheFields() async throws {
        struct Visit: RecordCodable, Identifiable {
            var id: Int
            var firstDay: String
        }
        var coding = RecordCoding()
        coding.keyStrategy = .snakeCase
        let store = RecordStore(memory, coding: coding)
        try await store.insert(Visit(id: 1, firstDay: "Monday"))
        #expect(try await memory.fetch("Visit/1")["first_day"] == "Monday")
        #expect(try await store.update(Visit.self, named: 1) { $0.firstDay = "Friday" }.firstDay == "Friday")
    }

    /// Objects that are not Sendable stay with the actor that uses the store.
    private actor Desk {
        private let store: RecordStore
        private var card: Stored<Card>?

        init(_ store: RecordStore) { self.store = store }

        func run() async throws -> String {
            var card = try await store.insert(Card(id: 1, text: "a"))
            card.text += "b"
            try await store.save(&card)
            self.card = try await store.fetch(Card.self, named: 1)
            self.card = try await store.update(Card.self, named: 1) { $0.text += "c" }
            return self.card?.text ?? ""
        }
    }

    @Test func actorKeepsObjectsThatAreNotSendable() async throws {
        #expect(try await Desk(store).run() == "abc")
    }
}
