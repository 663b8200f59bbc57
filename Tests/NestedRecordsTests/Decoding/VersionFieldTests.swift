import NestedRecords
import TestSupport
import Testing

/// The version of a record's type is none of its properties.
@Suite struct VersionFieldTests {
    struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue _: Int) { nil }
    }

    struct Counts: RecordCodable, Equatable {
        static let recordVersion = 1
        var recordName: String { "counts" }
        var counts: [String: Int]

        init(_ counts: [String: Int]) { self.counts = counts }
        init(from decoder: any Decoder) throws { counts = try [String: Int](from: decoder) }
        func encode(to encoder: any Encoder) throws { try counts.encode(to: encoder) }
    }

    struct OpenCounts: RecordCodable, Equatable {
        static let recordVersion = 1
        var recordName: String { "counts" }
        var counts: [String: Int]

        init(_ counts: [String: Int]) { self.counts = counts }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            counts = [:]
            for key in container.allKeys { counts[key.stringValue] = try container.decode(Int.self, forKey: key) }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            for (name, count) in counts { try container.encode(count, forKey: Key(stringValue: name)) }
        }
    }

    struct Owner: RecordDecodable {
        var recordName: String { "owner" }
        var counts: [String: Int]
    }

    @Test func versionIsNoEntryOfADictionary() throws {
        let counts = Counts(["a": 1])
        let decoded = try RecordDecoder().decode(Counts.self, from: RecordEncoder().encode(counts))
        #expect(decoded == counts)
        #expect(throws: Never.self) { try RecordEncoder().encode(decoded) }
    }

    @Test func versionIsNoneOfAllKeys() throws {
        let counts = OpenCounts(["a": 1, "b": 2])
        let decoded = try RecordDecoder().decode(OpenCounts.self, from: RecordEncoder().encode(counts))
        #expect(decoded == counts)
        #expect(throws: Never.self) { try RecordEncoder().encode(decoded) }
    }

    @Test func versionIsNoEntryOfARecordThatIsReadAsADictionary() throws {
        let owner = try Flat.record("Owner/owner", ["counts": Flat.reference("Counts/counts")])
        let graph = try RecordGraph([owner] + RecordEncoder().encode(Counts(["a": 1])), roots: [owner.id])
        #expect(try RecordDecoder().decode(Owner.self, from: graph).counts == ["a": 1])
    }
}
