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

    final class Keeper: RecordEncodable {
        enum CodingKeys: CodingKey { case base, open }
        static let ignoredProperties = ["base"]
        var recordName: String { "keeper" }
        var kept: (any Encoder)?

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            kept = container.superEncoder(forKey: .base)
        }
    }

    @Test func keptEncoderOfAnIgnoredSuperclassWritesNothing() throws {
        let keeper = Keeper()
        let graph = try RecordEncoder().encode(keeper)
        for _ in 0..<10 { _ = try RecordEncoder().encode(Derived()) }
        var container = try #require(keeper.kept).container(keyedBy: Keeper.CodingKeys.self)
        try container.encode("late", forKey: .open)
        try container.encodeIfPresent(nil as [Int]?, forKey: .base)
        #expect(graph[0].fields == [:])
        #expect(try RecordEncoder().encode(Keeper())[0].fields == [:])
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
