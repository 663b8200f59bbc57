import NestedRecords
import Testing

/// Values that share a type of keys need not agree on the spelling of their properties.
@Suite struct SharedKeyTypeTests {
    struct Part: Encodable {
        var spelling: String
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: FreeKey.self)
            try container.encode(1, forKey: FreeKey(spelling))
        }
    }

    struct Root: RecordEncodable, Identifiable {
        var id = 1
        var first = Part(spelling: "userID")
        var second = Part(spelling: "userId")
    }

    @Test func spellingsOfDifferentValuesMayGiveOneName() throws {
        var encoder = RecordEncoder()
        encoder.coding.keyStrategy = .snakeCase
        let graph = try encoder.encode(Root())
        #expect(graph.first?.fields["first"] == .map(["user_id": .int(1)]))
        #expect(graph.first?.fields["second"] == .map(["user_id": .int(1)]))
    }
}
