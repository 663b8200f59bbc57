import TestSupport
import Testing

@testable import NestedRecords

/// A field whose target cannot be decoded is followed nevertheless.
@Suite(.timeLimit(.minutes(60))) struct BrokenTargetTests {
    struct Leaf: RecordCodable, Identifiable { var id: Int }

    struct Root: RecordDecodable, Identifiable {
        enum CodingKeys: CodingKey { case id, first, second }
        var id: Int
        var first: Leaf
        var second: Leaf?

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            first = try container.decode(Leaf.self, forKey: .first)
            second = try? container.decode(Leaf.self, forKey: .second)
        }
    }

    @Test func laterDecodingsFetchBrokenTargetsWithTheOthers() async throws {
        let database = try await CountingDatabase(holding: [
            Flat.record(
                "Root/1",
                ["id": .int(1), "first": Flat.reference("Leaf/1"), "second": Flat.reference("Leaf/2")]),
            Flat.record("Leaf/1", ["id": .int(1)]),
            Flat.record("Leaf/2"),
        ])
        for _ in 1...3 {
            _ = try await RecordDecoder().decode(Root.self, from: Record.ID("Root/1"), in: database)
            #expect(database.sortedCalls == [["Root/1"], ["Leaf/1", "Leaf/2"]])
            database.forgetCalls()
        }
    }
}
