import NestedRecords
import TestSupport
import Testing

@Suite struct DecodingCostTests {
    struct Root: RecordDecodable {
        static var recordType: String { "Root" }
        var recordName: String { "root" }
        var items: [Asked]
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
        decoder.coding.keyStrategy = .snakeCase
        let root = try await decoder.decode(Root.self, named: "root", in: database)
        #expect(root.items.count == count)
        #expect(Asked.count.withLock { $0 } < 20 * count)
    }
}
