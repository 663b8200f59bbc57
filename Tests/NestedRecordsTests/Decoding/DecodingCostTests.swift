import NestedRecords
import TestSupport
import Testing

/// What grows with the square of the size, or costs much for each record, would make a large graph unusable.
@Suite(.timeLimit(.minutes(10))) struct DecodingCostTests {
    struct Leaf: RecordDecodable, Identifiable { var id: Int }

    struct Root<Item: Decodable>: RecordDecodable {
        static var recordType: String { "Root" }
        var recordName: String { "root" }
        var items: [Item]
    }

    private func duration(dropping count: Int) throws -> Duration {
        let root = try Flat.record("Root/root", ["items": Flat.references((0..<count).map { "Leaf/\($0)" })])
        let graph = try RecordGraph([root])
        var decoder = RecordDecoder()
        decoder.danglingReferencePolicy = .omit
        var best = Duration.seconds(60)
        for _ in 0..<3 {
            var dropped = 0
            best = min(
                best, try threadTime { dropped = try decoder.resolve(Root<Leaf>.self, from: graph).dropped.count })
            #expect(dropped == count)
        }
        return best
    }

    @Test func droppedReferencesAreNotComparedWithAllOthers() throws {
        // Eight times as many take eight times as long, not 64 times.
        #expect(try duration(dropping: 4_000) < duration(dropping: 500) * 24)
    }

    struct Asked: RecordDecodable, Identifiable {
        static let count = Locked(0)
        var id: Int

        struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init?(stringValue: String) {
                Asked.count.withLock { $0 += 1 }
                guard stringValue == "id" else { return nil }
                self.stringValue = stringValue
            }
            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws {
            let key = try #require(Key(stringValue: "id"))
            id = try decoder.container(keyedBy: Key.self).decode(Int.self, forKey: key)
        }
    }

    @Test func typesAreNotAskedForAnUnknownFieldOfEveryRecord() async throws {
        let count = 200
        let back: Record.Value = try Flat.reference("Root/root")
        var records = try (0..<count).map {
            try Flat.record("Asked/\($0)", ["id": .int(Int64($0)), "some_very_old_back_reference": back])
        }
        records.append(try Flat.record("Root/root", ["items": Flat.references(records.map(\.id.description))]))
        let database = try await CountingDatabase(holding: records)
        var decoder = RecordDecoder()
        decoder.keyStrategy = .snakeCase
        let root = try await decoder.decode(Root<Asked>.self, named: "root", in: database)
        #expect(root.items.count == count)
        #expect(Asked.count.withLock { $0 } < 20 * count)
    }
}
