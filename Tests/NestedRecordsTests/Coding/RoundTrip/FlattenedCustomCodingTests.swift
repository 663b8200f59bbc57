import Foundation
import NestedRecords
import TestSupport
import Testing

/// Types that code their properties by hand, with flattened values.
@Suite struct FlattenedCustomCodingTests {
    /// Asks for a key before it reads it.
    struct Asking: RecordCodable, Identifiable, Equatable {
        var id = 1
        var kind: Int?
        var kindName: String?
        enum CodingKeys: CodingKey { case id, kind, kindName }

        init(kind: Int?, kindName: String?) { (self.kind, self.kindName) = (kind, kindName) }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            kind = container.contains(.kind) ? try container.decode(Int.self, forKey: .kind) : nil
            kindName = container.contains(.kindName) ? try container.decode(String.self, forKey: .kindName) : nil
        }
    }

    @Test(arguments: [1, nil], ["n", nil])
    func keyWithoutAFieldIsMissing(_ kind: Int?, _ kindName: String?) throws {
        let (encoder, decoder) = coders(.flattened(), keys: .snakeCase)
        let value = Asking(kind: kind, kindName: kindName)
        #expect(try decoder.decode(Asking.self, from: encoder.encode(value)) == value)
    }

    /// A raw value that the standard library encodes with a key.
    struct Day: RawRepresentable, Codable, Equatable { var rawValue: Date }

    /// A raw value that it encodes as such.
    struct Number: RawRepresentable, Codable, Equatable { var rawValue: Int }

    @Test func rawValuesOfEveryTypeAreFound() throws {
        struct Days: RecordCodable, Equatable {
            var recordName = "days"
            var first: Day
            var last: Day?
            var number: Number
            var noDay: Day?
            var noNumber: Number?
        }
        let (encoder, decoder) = coders(.flattened(), keys: .snakeCase)
        let day = Day(rawValue: Date(timeIntervalSinceReferenceDate: 1))
        let value = Days(first: day, last: day, number: Number(rawValue: 3))
        let graph = try encoder.encode(value)
        #expect(graph.first?.fields["first_raw_value"] != nil)
        #expect(try decoder.decode(Days.self, from: graph) == value)
    }

    /// Hands its encoder to a record that it contains, and reads the record where it was written.
    struct Handing: Codable, Equatable {
        struct Inner: Codable, Equatable { var text: String }
        struct Part: RecordCodable, Identifiable, Equatable {
            var id: Int
            var inner: Inner
        }
        struct Written: Encodable {
            let part: Part
            func encode(to encoder: any Encoder) throws { try part.encode(to: encoder) }
        }
        var part: Part
        var optional: Part?
        enum CodingKeys: CodingKey { case part, optional }

        init(part: Part, optional: Part?) { (self.part, self.optional) = (part, optional) }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            part = try container.decode(Part.self, forKey: .part)
            optional = try container.decodeIfPresent(Part.self, forKey: .optional)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(Written(part: part), forKey: .part)
            try container.encodeIfPresent(optional.map(Written.init), forKey: .optional)
        }
    }

    @Test func recordThatIsHandedAnEncoderIsFound() throws {
        struct Owner: RecordCodable, Equatable {
            var recordName = "owner"
            var value: Handing
        }
        let (encoder, decoder) = coders(.flattened(), keys: .snakeCase)
        let part = Handing.Part(id: 1, inner: Handing.Inner(text: "a"))
        for value in [Handing(part: part, optional: part), Handing(part: part, optional: nil)] {
            let graph = try encoder.encode(Owner(value: value))
            #expect(graph.first?.fields["value_part_inner_text"] == "a")
            #expect(try decoder.decode(Owner.self, from: graph).value == value)
        }
    }

    struct Leaf: Codable, Equatable {
        @RecordName var id: Int
        @ExplicitNull var text: String?
        @ServerTimestamp var time: Date?
        var link: RecordLink<Target>?
    }

    struct Target: RecordCodable, Identifiable, Equatable {
        @RecordName var id: Int
    }

    /// Puts each leaf in a container of another kind.
    struct Containers: RecordCodable, Equatable {
        var recordName = "c"
        var leaves: [Leaf]
        enum CodingKeys: CodingKey { case recordName, nested, list, own, inner }

        init(_ leaf: Leaf) { leaves = Array(repeating: leaf, count: 4) }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let nested = try container.nestedContainer(keyedBy: CodingKeys.self, forKey: .nested)
            var list = try container.nestedUnkeyedContainer(forKey: .list)
            var inner = try list.nestedContainer(keyedBy: CodingKeys.self).nestedUnkeyedContainer(forKey: .inner)
            leaves = [
                try nested.decode(Leaf.self, forKey: .inner), try inner.decode(Leaf.self),
                try Leaf(from: nested.superDecoder()), try Leaf(from: nested.superDecoder(forKey: .own)),
            ]
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            var nested = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .nested)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            var object = list.nestedContainer(keyedBy: CodingKeys.self)
            var inner = object.nestedUnkeyedContainer(forKey: .inner)
            try leaves[3].encode(to: nested.superEncoder(forKey: .own))
            try leaves[2].encode(to: nested.superEncoder())
            try inner.encode(leaves[1])
            try nested.encode(leaves[0], forKey: .inner)
        }
    }

    @Test(
        arguments: [EmbeddingStrategy.map, .flattened(), .flattened(separator: "")],
        [KeyStrategy.unchanged, .snakeCase, .custom({ "k" + $0 })])
    func wrappersInContainersOfEveryKindComeBack(_ strategy: EmbeddingStrategy, _ keys: KeyStrategy) async throws {
        var (encoder, decoder) = coders(.flattened(), keys: keys)
        (encoder.coding.embeddingStrategy, decoder.coding.embeddingStrategy) = (strategy, strategy)
        for link in [nil, try RecordLink(holding: Target(id: 1))] {
            let value = Containers(Leaf(id: 5, text: nil, time: nil, link: link))
            let graph = try encoder.encode(value)
            #expect(graph.count == (link == nil ? 1 : 2))
            #expect(try decoder.decode(Containers.self, from: graph) == value)
            let database = try await CountingDatabase(holding: graph)
            let loaded = try await decoder.decode(Containers.self, named: "c", in: database)
            #expect(loaded.leaves.map(\.link) == value.leaves.map(\.link))
            #expect(database.asked == ["Containers/c"])
        }
    }

    /// Keeps its coders' containers.
    final class Keeper: RecordCodable {
        var recordName: String { "k" }
        var kept: KeyedEncodingContainer<Keys>?
        var keptNested: KeyedEncodingContainer<Keys>?
        enum Keys: CodingKey { case id, time, nested, null }
        init() {}
        init(from decoder: any Decoder) throws {}
        func encode(to encoder: any Encoder) throws {
            kept = encoder.container(keyedBy: Keys.self)
            keptNested = kept?.nestedContainer(keyedBy: Keys.self, forKey: .nested)
        }
    }

    @Test(arguments: [EmbeddingStrategy.map, .flattened()])
    func wrapperWrittenTooLateIsRefused(_ strategy: EmbeddingStrategy) throws {
        var encoder = RecordEncoder()
        encoder.coding.embeddingStrategy = strategy
        let keeper = Keeper()
        let graph = try encoder.encode(keeper)
        for var container in [try #require(keeper.kept), try #require(keeper.keptNested)] {
            #expect(throws: EncodingError.self) { try container.encode(RecordName(wrappedValue: "k"), forKey: .id) }
            #expect(throws: EncodingError.self) {
                try container.encode(ServerTimestamp(wrappedValue: nil), forKey: .time)
            }
            #expect(throws: EncodingError.self) {
                try container.encode(ExplicitNull<Int>(wrappedValue: nil), forKey: .null)
            }
            #expect(throws: EncodingError.self) {
                try container.encode(RecordLink<Target>(named: "1"), forKey: .id)
            }
        }
        #expect(graph[0].fields == ["nested": [:]])
    }
}
