import Foundation
import NestedRecords
import Testing

/// Containers that are asked for and not used.
@Suite struct UnusedContainerTests {
    enum Key: CodingKey { case a }

    /// Asks for a single value container, and writes in another way.
    struct Undecided: Codable, Equatable {
        var way: Int

        init(_ way: Int) { self.way = way }
        init(from decoder: any Decoder) throws {
            if let container = try? decoder.container(keyedBy: Key.self) {
                way = try container.decodeIfPresent(Int.self, forKey: .a) ?? 3
            } else if let list = try? decoder.singleValueContainer().decode([Int].self) {
                way = list[0]
            } else {
                way = try decoder.singleValueContainer().decode(Int.self)
            }
        }
        func encode(to encoder: any Encoder) throws {
            var single = encoder.singleValueContainer()
            switch way {
            case 0:
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(way, forKey: .a)
            case 1:
                var container = encoder.unkeyedContainer()
                try container.encode(way)
            case 2: try way.encode(to: encoder)
            case 3: break
            default: try single.encode(way)
            }
        }
    }

    @Test(arguments: 0...4) func kindOfAValueIsDecidedByWhatIsWritten(way: Int) throws {
        try BothCoders.expectSame(Holder(Undecided(way)))
        try BothCoders.expectSame(Holder([Undecided(way)]))
        try BothCoders.expectSame(Holder(UnderSuper(Undecided(way))))
        // JSON refuses a document of nothing.
        if way != 3 { try BothCoders.expectSame(RecordOf(Undecided(way))) }
    }

    /// A value of any type, as libraries have it.
    struct AnyValue: Encodable {
        var value: any Encodable

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch value {
            case let value as Int: try container.encode(value)
            default: try value.encode(to: encoder)
            }
        }
    }

    struct Root: RecordEncodable {
        var recordName: String { "root" }
        var values: [String: AnyValue]
    }

    @Test func valuesOfAnyTypeAreWritten() throws {
        let values: [String: AnyValue] = [
            "int": AnyValue(value: 1), "list": AnyValue(value: [1]), "map": AnyValue(value: ["a": 1]),
            "text": AnyValue(value: "a"), "value": AnyValue(value: AnyValue(value: [true])),
        ]
        let record = try RecordEncoder().encode(Root(values: values))[0]
        #expect(record["values"] == ["int": 1, "list": [1], "map": ["a": 1], "text": "a", "value": [true]])
    }
}
