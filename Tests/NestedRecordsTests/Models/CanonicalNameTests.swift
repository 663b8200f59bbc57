import Foundation
import Testing

@testable import NestedRecords

/// One identifier has one name, however a string spells it.
@Suite struct CanonicalNameTests {
    private struct Card: RecordCodable, Identifiable, Equatable {
        var id: UUID
        var title: String
        static let recordType = "SpelledCard"
    }

    private struct Shelf: RecordCodable, Identifiable {
        @RecordName var id: Int
        var front: RecordLink<Card>?
        static let recordType = "Shelf"
    }

    /// Its names are not identifiers.
    private struct Part: RecordCodable, Identifiable {
        var id: Int
        var recordName: String { "part-\(id)" }
        static let recordType = "Part"
    }

    private struct Hex: RecordNameConvertible, Hashable, Codable {
        var number: Int
        init(number: Int) { self.number = number }
        var recordName: String? { "0x" + String(number, radix: 16) }
        init?(recordName: String) {
            guard recordName.hasPrefix("0x"), let number = Int(recordName.dropFirst(2), radix: 16) else { return nil }
            self.number = number
        }
    }

    private struct Cell: RecordCodable, Identifiable {
        var id: Hex
        static let recordType = "Cell"
    }

    private let uuid = UUID()
    private var lowercased: String { uuid.uuidString.lowercased() }

    @Test func aValueIsFoundByEachSpellingOfItsIdentifier() async throws {
        let store = RecordStore(InMemoryRecordDatabase())
        let card = Card(id: uuid, title: "Ebb")
        try await store.insert(card)
        try await store.insert(Shelf(id: 7, front: nil))
        #expect(try await store.fetch(Card.self, named: lowercased).value == card)
        #expect(try await store.fetchIfPresent(Card.self, named: lowercased)?.value == card)
        #expect(try await store.fetch(Card.self, named: [lowercased, uuid.uuidString]).count == 2)
        try await store.update(Card.self, named: lowercased) { $0.title = "Flow" }
        try await store.change(Card.self, named: lowercased) { $0.title.set("Neap") }
        #expect(try await store.query(Card.self).count() == 1)
        for spelling in ["7", "07", "+7"] { #expect(try await store.fetch(Shelf.self, named: spelling).id == 7) }
        try await store.delete(Card.self, named: lowercased)
        #expect(try await store.query(Card.self).count() == 0)
    }

    @Test func linksHaveTheNameThatTheIdentifierWrites() async throws {
        let store = RecordStore(InMemoryRecordDatabase())
        try await store.insert(Card(id: uuid, title: "Ebb"))
        let id = try Record.ID(type: "SpelledCard", name: lowercased)
        let json = try JSONDecoder().decode([RecordLink<Card>].self, from: Data("[\"\(id)\"]".utf8))
        for link in [try RecordLink<Card>(named: lowercased), RecordLink(to: id), json[0]] {
            #expect(link.id.name == uuid.uuidString)
            let shelf = try await store.overwrite(Shelf(id: 1, front: link))
            #expect(try await store.fetch(#require(shelf.value.front)).value.title == "Ebb")
        }
    }

    @Test func namesThatAreNotIdentifiersStayAsTheyAre() throws {
        #expect(try Record.ID(of: Part.self, named: "part-1").name == "part-1")
        #expect(try Record.ID(of: Card.self, named: "ebb").name == "ebb")
        #expect(try Record.ID(type: "SpelledCard", name: lowercased).name == lowercased)
    }

    @Test func theTypeOfTheIdentifierDecidesTheSpelling() throws {
        #expect(try Record.ID(of: Cell.self, named: "0x0FF").name == "0xff")
        #expect(try Record.ID(of: Cell.self, named: "255").name == "255")
        #expect(Hex.canonicalName(of: "0xFF") == "0xff")
        #expect(UUID.canonicalName(of: lowercased) == uuid.uuidString)
        #expect(Int.canonicalName(of: "-007") == "-7")
        #expect(Int.canonicalName(of: "7.0") == nil)
        #expect(String.canonicalName(of: "007") == "007")
    }

    @Test func aRecordWithAnotherSpellingIsRefusedWithAdvice() throws {
        let card = try RecordGraph([
            Record(
                id: Record.ID(type: "SpelledCard", name: lowercased),
                fields: ["id": .string(lowercased), "title": .string("Ebb")])
        ])
        let error = #expect(throws: RecordError.self) { try RecordDecoder().decode(Card.self, from: card) }
        #expect(error?.code == .identityMismatch)
        #expect(error?.description.contains("save it under that name") == true)
        let shelf = try RecordGraph([Record(id: Record.ID(type: "Shelf", name: "007"), fields: [:])])
        let failure = #expect(throws: (any Error).self) { try RecordDecoder().decode(Shelf.self, from: shelf) }
        #expect("\(String(describing: failure))".contains("it is spelled '7'"))
    }

    @Test func normalizationFormsOfAStringAreTwoNames() async throws {
        struct Place: RecordCodable, Identifiable {
            var id: String
            static let recordType = "SpelledPlace"
        }
        let (short, long) = ("caf\u{E9}", "cafe\u{301}")
        #expect(short == long)
        let store = RecordStore(InMemoryRecordDatabase())
        try await store.insert([Place(id: short)])
        try await store.insert([Place(id: long)])
        #expect(try await store.query(Place.self).count() == 2)
        #expect(try await store.query(Place.self).filter { $0.id == long }.count() == 1)
        #expect(try RecordLink<Place>(named: short) != RecordLink<Place>(named: long))
        #expect(Set([short, long]).count == 1)
        #expect(Set(try [short, long].map { try Record.ID(of: Place.self, named: $0) }).count == 2)
        #expect(Record.Value.string(short) != .string(long))
    }

    /// As with JSON: two are one in Swift.
    @Test func aDictionaryKeepsOneOfTwoKeysThatAreEqualInSwift() throws {
        struct Tags: RecordCodable, Identifiable {
            var id: String
            var counts: [String: Int]
            var names: Set<String>
            static let recordType = "SpelledTags"
        }
        let (short, long) = ("caf\u{E9}", "cafe\u{301}")
        let record = try Record(
            id: Record.ID(type: "SpelledTags", name: "a"),
            fields: [
                "id": .string("a"), "counts": .map([short: .int(1), long: .int(2)]),
                "names": .list([.string(short), .string(long)]),
            ])
        let tags = try RecordDecoder().decode(Tags.self, from: RecordGraph([record]))
        #expect(tags.counts.count == 1)
        #expect(tags.names.count == 1)
    }
}
