import NestedRecords
import Testing

/// A base class that is written under a key of the derived class's own ignores what it ignores everywhere else.
@Suite struct IgnoredInKeyedSuperTests {
    class Base: RecordCodable {
        var recordName: String { "class" }
        var open = 1
        var secret: String? = "secret"
        class var ignoredProperties: Set<String> { ["secret"] }
    }

    final class Derived: Base {
        enum CodingKeys: CodingKey { case base }

        override init() { super.init() }
        required init(from decoder: any Decoder) throws {
            try super.init(from: decoder.container(keyedBy: CodingKeys.self).superDecoder(forKey: .base))
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try super.encode(to: container.superEncoder(forKey: .base))
        }
    }

    @Test func ignoredPropertyIsNotStored() throws {
        #expect(try RecordEncoder().encode(Derived())[0].fields == ["base": .map(["open": .int(1)])])
    }

    @Test func ignoredPropertyIsNotRead() throws {
        let record = try Record(
            id: Record.ID("Derived/class"), fields: ["base": .map(["open": .int(1), "secret": .string("stored")])])
        #expect(try RecordDecoder().decode(Derived.self, from: RecordGraph([record])).secret == nil)
    }
}
