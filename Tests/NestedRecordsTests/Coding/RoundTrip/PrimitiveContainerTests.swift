@_spi(Engines) import NestedRecords
import Testing

/// The methods that the container protocols have for each primitive type, besides the generic ones.
@Suite struct PrimitiveContainerTests {
    enum Key: CodingKey { case value, missing, null, other }

    struct Written<Value: Codable & Equatable & Sendable>: RecordEncodable {
        static var recordType: String { "Written" }
        var recordName: String { "written" }
        var value: Value

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(value, forKey: .value)
            try container.encodeNil(forKey: .null)
            try container.encodeIfPresent(Value?.none, forKey: .missing)
            var list = container.nestedUnkeyedContainer(forKey: .other)
            try list.encode(value)
            try list.encodeNil()
            try list.encode(contentsOf: [value, value])
        }
    }

    struct Read<Value: Codable & Equatable & Sendable>: RecordDecodable {
        static var recordType: String { "Written" }
        var recordName: String { "written" }
        var values: [Value?] = []

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            values.append(try container.decode(Value.self, forKey: .value))
            values.append(try container.decodeIfPresent(Value.self, forKey: .value))
            values.append(try container.decodeIfPresent(Value.self, forKey: .missing))
            values.append(try container.decodeIfPresent(Value.self, forKey: .null))
            var list = try container.nestedUnkeyedContainer(forKey: .other)
            #expect(list.count == 4)
            values.append(try list.decodeIfPresent(Value.self))
            #expect(list.currentIndex == 1)
            values.append(try list.decodeIfPresent(Value.self))
            #expect(list.currentIndex == 2)
            #expect(throws: DecodingError.self) { try list.decode([String: [Bool]].self) }
            // A failed attempt does not move the container on.
            #expect(list.currentIndex == 2)
            values.append(try list.decode(Value.self))
            values.append(try list.decode(Value?.self))
            #expect(list.isAtEnd)
            values.append(try list.decodeIfPresent(Value.self))
            #expect(throws: DecodingError.self) { try list.decode(Value.self) }
            #expect(throws: DecodingError.self) { try list.decodeNil() }
            #expect(throws: DecodingError.self) { try list.superDecoder() }
        }
    }

    private func check<Value: Codable & Equatable & Sendable>(_ value: Value) throws {
        let read = try RecordDecoder().decode(Read<Value>.self, from: RecordEncoder().encode(Written(value: value)))
        #expect(read.values == [value, value, nil, nil, value, nil, value, value, nil])
    }

    static let primitives: [any (Codable & Equatable & Sendable)] = [
        true, "text", 1.5, Float(1.5), Int(1), Int8(1), Int16(1), Int32(1), Int64(1), UInt(1), UInt8(1),
        UInt16(1), UInt32(1), UInt64(1), [1], ["k": "v"], [1: 2], [true: false],
    ]

    @Test(arguments: primitives.indices)
    func everyMethodOfTheContainersReadsWhatWasWritten(index: Int) throws {
        try check(Self.primitives[index])
    }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    @Test func everyMethodOfTheContainersReadsIntegersOf128Bits() throws {
        try check(Int128(1))
        try check(UInt128(1))
    }
}
