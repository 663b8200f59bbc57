import Foundation
import NestedRecords
import TestSupport
import Testing

@Suite struct IgnoredTests {
    struct Mood: Equatable {
        var name: String
    }

    struct Person: RecordCodable, Identifiable, Equatable {
        var id: String
        @Ignored var cache: String? = "x"
        @Ignored var friends: [Person] = []
        @Ignored var count: Int? = 3
        @Ignored var text = "t"
        @Ignored var part = "part".dropFirst()
        @Ignored var numbers: ArraySlice = [1, 2]
        @Ignored var row: ContiguousArray = [1, 2]
        @Ignored var scores: [String: Int] = ["a": 1]
        @Ignored var tags: Set<String> = ["t"]
        @Ignored var bytes = Data([1])
        @Ignored var moods = [Mood(name: "happy")]
        var pocket = Pocket()
        var pockets: [Pocket] = []
    }

    struct Pocket: Codable, Equatable {
        @Ignored var hidden: Int? = 1
        var coins = 2
    }

    static let full = Person(
        id: "ada", friends: [Person(id: "bo")], pocket: Pocket(hidden: 7), pockets: [Pocket(hidden: 8)])
    static let emptied = Person(
        id: "ada", cache: nil, friends: [], count: nil, text: "", part: "", numbers: [], row: [], scores: [:], tags: [],
        bytes: Data(), moods: [], pocket: Pocket(hidden: nil), pockets: [Pocket(hidden: nil)])

    @Test func valueIsNeitherStoredNorKept() throws {
        let graph = try RecordEncoder().encode(Self.full)
        #expect(graph.count == 1)
        #expect(graph[0].fields == ["id": "ada", "pocket": ["coins": 2], "pockets": [["coins": 2]]])
        #expect(try RecordDecoder().decode(Person.self, from: graph) == Self.emptied)
    }

    @Test func jsonHasNothingEither() throws {
        let data = try JSONEncoder().encode(Self.full)
        #expect(!String(decoding: data, as: UTF8.self).contains("hidden"))
        #expect(try JSONDecoder().decode(Person.self, from: data) == Self.emptied)
    }

    @Test func fieldIsNotReadWhateverItHolds() async throws {
        let records = try [
            Flat.record(
                "Person/ada",
                [
                    "id": "ada", "count": "none", "friends": Flat.references(["Person/bo"]), "pocket": ["coins": 2],
                    "pockets": [["coins": 2, "hidden": 5]],
                ])
        ]
        let database = try await CountingDatabase(holding: records)
        #expect(try await database.values.fetch(Person.self, named: "ada").value == Self.emptied)
    }

    @Test(arguments: [EmbeddingStrategy.map, .flattened()])
    func emptiedStructComesBack(_ strategy: EmbeddingStrategy) throws {
        struct OnlyHidden: Codable, Equatable { @Ignored var hidden: Int? = 1 }
        let (encoder, decoder) = coders(strategy)
        let graph = try encoder.encode(Holder([Optional(OnlyHidden())]))
        #expect(try decoder.decode(Holder<[OnlyHidden?]>.self, from: graph) == Holder([OnlyHidden(hidden: nil)]))
        let single = try encoder.encode(Holder(Optional(OnlyHidden())))
        #expect(single[0].fields == ["value": [:]])
        #expect(try decoder.decode(Holder<OnlyHidden?>.self, from: single) == Holder(OnlyHidden(hidden: nil)))
    }
}
