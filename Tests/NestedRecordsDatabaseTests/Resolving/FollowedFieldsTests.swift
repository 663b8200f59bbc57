import TestSupport
import Testing

@testable import NestedRecords

/// Only what the Swift types follow is fetched, the first time and every later time.
@Suite(.timeLimit(.minutes(60))) struct FollowedFieldsTests {
    struct Leaf: RecordCodable, Identifiable, Equatable { var id: Int }

    private func expect<Root: RecordDecodable>(
        _ type: Root.Type, asksFor ids: [String], of records: [Record],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let database = try await CountingDatabase(holding: records)
        let root = try Record.ID(try #require(ids.first))
        for _ in 1...3 {
            _ = try await RecordDecoder().decode(type, from: root, in: database)
            #expect(database.asked == ids, sourceLocation: sourceLocation)
            database.forgetCalls()
        }
    }

    /// A root whose field leads to a chain of two records, and that has a link and an unknown field.
    private func makeRecords(field: String, isLink: Bool = false) throws -> [Record] {
        [
            try Flat.record("Root/1", ["id": .int(1), field: Flat.reference("Leaf/1", isLink: isLink)]),
            try Flat.record("Leaf/1", ["id": .int(1), "next": Flat.reference("Leaf/2")]),
            try Flat.record("Leaf/2", ["id": .int(2)]),
        ]
    }

    @Test func fieldsThatTheTypeDoesNotKnowAreNotFetched() async throws {
        struct Root: RecordDecodable, Identifiable {
            var id: Int
            var leaf: Leaf?
        }
        try await expect(Root.self, asksFor: ["Root/1"], of: makeRecords(field: "other"))
        try await expect(Root.self, asksFor: ["Root/1", "Leaf/1"], of: makeRecords(field: "leaf"))
    }

    @Test func ignoredPropertiesAreNotFetched() async throws {
        struct Root: RecordDecodable, Identifiable {
            static let schema = RecordSchema(ignoring: ["leaf"])
            var id: Int
            var leaf: Leaf?
        }
        try await expect(Root.self, asksFor: ["Root/1"], of: makeRecords(field: "leaf"))
    }

    @Test func referencesThatAreReadAsTheyAreAreNotFetched() async throws {
        struct Root<Value: Decodable>: RecordDecodable, Identifiable {
            static var recordType: String { "Root" }
            var id: Int
            var leaf: Value
        }
        for isLink in [false, true] {
            let records = try makeRecords(field: "leaf", isLink: isLink)
            try await expect(Root<Record.Reference>.self, asksFor: ["Root/1"], of: records)
            try await expect(Root<Record.Value>.self, asksFor: ["Root/1"], of: records)
        }
    }

    @Test func linksAreFetchedWhereTheyAreReadAsRecords() async throws {
        struct Root: RecordDecodable, Identifiable {
            var id: Int
            var leaf: Leaf
        }
        try await expect(Root.self, asksFor: ["Root/1", "Leaf/1"], of: makeRecords(field: "leaf", isLink: true))
    }

    @Test func chainOfPlainReferencesDoesNotFetchTheWholeDatabase() async throws {
        struct Person: RecordDecodable, Identifiable {
            var id: Int
            var friend: Record.Reference?
        }
        let records = try (1...50).map { number in
            try Flat.record(
                "Person/\(number)", ["id": .int(number), "friend": Flat.reference("Person/\(number % 50 + 1)")])
        }
        try await expect(Person.self, asksFor: ["Person/1"], of: records)
    }

    @Test func recordLimitHoldsTheSecondTimeAsItDidTheFirst() async throws {
        struct Owner: RecordDecodable, Identifiable {
            var id: Int
            var parts: [Record.Reference]
        }
        let parts = (1...9).map { "Leaf/\($0)" }
        let database = try await CountingDatabase(
            holding: [Flat.record("Owner/1", ["id": .int(1), "parts": Flat.references(parts)])])
        var decoder = RecordDecoder()
        decoder.coding.maximumRecords = 1
        for _ in 1...2 {
            #expect(try await decoder.decode(Owner.self, named: "1", in: database).parts.count == 9)
        }
    }

    @Test func fieldsOfEmbeddedValuesThatTheirTypeDoesNotKnowAreNotFetched() async throws {
        struct Cover: Decodable { var title: String }
        struct Root: RecordDecodable, Identifiable {
            var id: Int
            var cover: Cover
        }
        let cover = Record.Value.map(["title": .string("t"), "artist": try Flat.reference("Leaf/1")])
        let records = try makeRecords(field: "other") + [Flat.record("Root/2", ["id": .int(2), "cover": cover])]
        try await expect(Root.self, asksFor: ["Root/2"], of: records)
    }

    @Test func recordsThatAreReadWithOtherTypesAreFetchedForEachAsFarAsItGoes() async throws {
        struct Brief: RecordDecodable, Identifiable {
            static let recordType = "Leaf"
            var id: Int
        }
        struct Root: RecordDecodable, Identifiable {
            var id: Int
            var leaf: Brief
        }
        try await expect(Root.self, asksFor: ["Root/1", "Leaf/1"], of: makeRecords(field: "leaf"))
    }
}
