import NestedRecords
import TestSupport
import Testing

/// A field in which one reference is read as a record and another one as it is.
@Suite(.timeLimit(.minutes(60))) struct MixedFieldTests {
    struct Leaf: RecordCodable, Identifiable { var id: Int }

    struct Pair: Codable {
        var leaf: Leaf
        var link: Record.Reference
    }

    struct Root: RecordCodable, Identifiable {
        var id: Int
        var first: Leaf
        var pair: Pair
    }

    @Test func laterDecodingsFetchTheFieldWithTheOthers() async throws {
        let database = try await CountingDatabase(holding: [
            Flat.record(
                "Root/1",
                [
                    "id": .int(1), "first": Flat.reference("Leaf/1"),
                    "pair": .map(["leaf": Flat.reference("Leaf/2"), "link": Flat.reference("Leaf/9", isLink: true)]),
                ]),
            Flat.record("Leaf/1", ["id": .int(1)]),
            Flat.record("Leaf/2", ["id": .int(2)]),
        ])
        for _ in 1...3 {
            _ = try await RecordDecoder().decode(Root.self, from: Record.ID("Root/1"), in: database)
            #expect(database.sortedCalls == [["Root/1"], ["Leaf/1", "Leaf/2"]])
            database.forgetCalls()
        }
    }
}
