import Foundation
import NestedRecords
import TestSupport
import Testing

/// Types that find out what they hold by trying one type after the other, in each order and from each container.
@Suite struct UntaggedUnionTests {
    enum Kind: CaseIterable { case bool, int, double, string, date, decimal, list, map }

    static let scalars: [Scalar] = [
        .bool(true), .bool(false), .int(0), .int(1), .int(-7), .int(.max), .double(0.5), .double(1e300), .double(0.1),
        .double(1.0 / 3), .string(""), .string("1"), .string("true"), .string("2001-02-03T04:05:06Z"),
        .string("12.50"), .string("1.5;2.5"), .string("null"), .date(Date(timeIntervalSinceReferenceDate: 0)),
        .date(Date(timeIntervalSinceReferenceDate: 1.5)), .decimal(Decimal(12)), .decimal(decimal("0.1")),
        .decimal(decimal("12345678901234567890123456789012345678")), .decimal(decimal("-0.000000000000000000000123")),
    ]
    static let collections: [Scalar] = [
        .list([]), .map([:]), .list([.int(1), .int(0), .int(2)]), .list([.bool(true), .int(0)]),
        .map(["a": .int(1), "b": .list([.int(0), .bool(false)]), "c": .string("1")]),
        .map(["only": .decimal(decimal("12345678901234567890123456789012345678"))]),
        .map(["$date": .string("2001-02-03T04:05:06Z")]),
    ]

    static func decimal(_ digits: String) -> Decimal { Decimal(string: digits) ?? .nan }

    /// All orders of these kinds.
    static func orders(of kinds: [Kind]) -> [[Kind]] {
        guard kinds.count > 1 else { return [kinds] }
        return kinds.indices.flatMap { position in
            var rest = kinds
            let first = rest.remove(at: position)
            return orders(of: rest).map { [first] + $0 }
        }
    }

    struct Box: RecordCodable, Equatable {
        var recordName: String { "box" }
        var single: Scalar
        var keyed: Keyed
        var unkeyed: Unkeyed
        var list: [Scalar]
        var optional: Scalar?

        init(_ value: Scalar) {
            single = value
            keyed = Keyed(value: value)
            unkeyed = Unkeyed(value: value)
            list = [value, value]
            optional = value
        }
    }

    private func throughRecords(_ box: Box, _ order: [Kind]) throws -> Box {
        var decoder = RecordDecoder()
        decoder.coding.userInfo[.order] = order
        return try decoder.decode(Box.self, from: RecordEncoder().encode(box))
    }

    private func throughJSON(_ box: Box, _ order: [Kind]) throws -> Box {
        let decoder = JSONDecoder()
        decoder.userInfo[.order] = order
        return try decoder.decode(Box.self, from: JSONEncoder().encode(box))
    }

    private func expectWhatJSONBrings(_ box: Box, _ order: [Kind]) throws {
        let found = try throughRecords(box, order)
        if try throughJSON(box, order) == box { #expect(found == box, "\(order)") }
        if case .string = box.single { #expect(found == box, "\(order)") }
        if case .bool = box.single { #expect(found == box, "\(order)") }
    }

    @Test(arguments: scalars) func scalarComesBackAsItWentIn(scalar: Scalar) throws {
        for order in Sweep.some(20, of: Self.orders(of: [.bool, .int, .double, .string, .date, .decimal])) {
            try expectWhatJSONBrings(Box(scalar), order)
        }
    }

    @Test(arguments: scalars + collections) func collectionsDoNotGetInTheWay(value: Scalar) throws {
        for order in Sweep.some(10, of: Self.orders(of: [.list, .map, .int, .string, .decimal])) {
            try expectWhatJSONBrings(Box(value), order + [.bool, .double, .date])
        }
    }

    @Test func numbersAreNotBooleans() throws {
        let numbers = Box(.list([.int(1), .int(0), .int(2)]))
        #expect(try throughRecords(numbers, Kind.allCases) == numbers)
    }

    @Test func mapThatWouldBeADecimalNumberIsRefused() throws {
        let error = try #require(throws: RecordError.self) {
            try RecordEncoder().encode(Box(.map(["$decimal": .string("1")])))
        }
        #expect(error.code == .invalidKey && error.key == "$decimal")
        #expect(error.context.record?.description == "Box/box")
        let plain = Box(.map(["$decimal": .string("1"), "other": .int(1)]))
        #expect(try throughRecords(plain, Kind.allCases) == plain)
    }

    /// Writes one type and reads another, as JSON allows.
    struct Price: RecordCodable, Equatable {
        var recordName: String { "price" }
        var amount: Decimal
        enum CodingKeys: CodingKey { case amount }

        init(_ amount: Decimal) { self.amount = amount }
        init(from decoder: any Decoder) throws {
            amount = try decoder.container(keyedBy: CodingKeys.self).decode(Decimal.self, forKey: .amount)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(NSDecimalNumber(decimal: amount).doubleValue, forKey: .amount)
        }
    }

    @Test func decimalNumberReadsFromADouble() throws {
        let price = Price(Self.decimal("12.5"))
        #expect(try RecordDecoder().decode(Price.self, from: RecordEncoder().encode(price)) == price)
    }

    @Test func decimalNumbersAreNumbersInRecords() throws {
        func stored(_ digits: String) throws -> Record.Value? {
            try RecordEncoder().encode(Holder(Self.decimal(digits)))[0]["value"]
        }
        #expect(try stored("12.50") == 12.5)
        #expect(try stored("12") == .double(12))
        #expect(try stored("9007199254740993") == .int(9_007_199_254_740_993))
        #expect(try stored("0.12345678901234567890") == ["$decimal": "0.1234567890123456789"])
    }
}

// MARK: Unions

extension UntaggedUnionTests {
    indirect enum Scalar: Codable, Hashable, Sendable {
        case bool(Bool)
        case int(Int)
        case double(Double)
        case string(String)
        case date(Date)
        case decimal(Decimal)
        case list([Scalar])
        case map([String: Scalar])

        init(from decoder: any Decoder) throws {
            self = try Self.read(SingleSource(container: decoder.singleValueContainer()), decoder)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(content)
        }

        var content: any Encodable {
            switch self {
            case .bool(let value): value
            case .int(let value): value
            case .double(let value): value
            case .string(let value): value
            case .date(let value): value
            case .decimal(let value): value
            case .list(let value): value
            case .map(let value): value
            }
        }

        /// Tries the kinds in the order that the decoder was given.
        static func read(_ source: some Source, _ decoder: any Decoder) throws -> Scalar {
            for kind in decoder.userInfo[.order] as? [Kind] ?? [] {
                if let value = read(kind, from: source) { return value }
            }
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "of no kind"))
        }

        private static func read(_ kind: Kind, from source: some Source) -> Scalar? {
            switch kind {
            case .bool: (try? source.decode(Bool.self)).map(Scalar.bool)
            case .int: (try? source.decode(Int.self)).map(Scalar.int)
            case .double: (try? source.decode(Double.self)).map(Scalar.double)
            case .string: (try? source.decode(String.self)).map(Scalar.string)
            case .date: (try? source.decode(Date.self)).map(Scalar.date)
            case .decimal: (try? source.decode(Decimal.self)).map(Scalar.decimal)
            case .list: (try? source.decode([Scalar].self)).map(Scalar.list)
            case .map: (try? source.decode([String: Scalar].self)).map(Scalar.map)
            }
        }
    }

    struct Keyed: Codable, Equatable {
        var value: Scalar
        enum CodingKeys: CodingKey { case value }

        init(value: Scalar) { self.value = value }
        init(from decoder: any Decoder) throws {
            value = try Scalar.read(KeyedSource(container: decoder.container(keyedBy: CodingKeys.self)), decoder)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(value.content, forKey: .value)
        }
    }

    struct Unkeyed: Codable, Equatable {
        var value: Scalar

        init(value: Scalar) { self.value = value }
        init(from decoder: any Decoder) throws {
            value = try Scalar.read(UnkeyedSource(container: decoder.unkeyedContainer()), decoder)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try container.encode(value.content)
        }
    }

    /// A place that can be read as several types.
    protocol Source {
        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value
    }

    struct SingleSource: Source {
        let container: any SingleValueDecodingContainer
        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try container.decode(type) }
    }

    struct KeyedSource: Source {
        let container: KeyedDecodingContainer<Keyed.CodingKeys>
        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try container.decode(type, forKey: .value) }
    }

    struct UnkeyedSource: Source {
        let container: any UnkeyedDecodingContainer
        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            var container = container
            return try container.decode(type)
        }
    }
}

extension CodingUserInfoKey {
    fileprivate static let order = CodingUserInfoKey(rawValue: "UntaggedUnionTests.order").unsafelyUnwrapped
}
