import Foundation
import NestedRecords
import Testing

/// Integers beyond those of a field.
@Suite struct LargeIntegerTests {
    @Test func theFormOfALargeIntegerIsItsDigits() throws {
        let record = try RecordEncoder().encode(Holder(UInt64.max))[0]
        #expect(record["value"] == ["$decimal": "18446744073709551615"])
        let data = try JSONEncoder().encode(record)
        #expect(try JSONDecoder().decode(Record.self, from: data) == record)
    }

    enum Number: Codable, Hashable, Sendable {
        case small(Int)
        case large(UInt64)
        case map([String: String])
        case text(String)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let value = try? container.decode([String: String].self) {
                self = .map(value)
            } else if let value = try? container.decode(String.self) {
                self = .text(value)
            } else if let value = try? container.decode(Int.self) {
                self = .small(value)
            } else {
                self = .large(try container.decode(UInt64.self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .small(let value): try container.encode(value)
            case .large(let value): try container.encode(value)
            case .map(let value): try container.encode(value)
            case .text(let value): try container.encode(value)
            }
        }
    }

    @Test func largeIntegersAreNotMapsOrStrings() throws {
        try BothCoders.expectSame(
            Holder([
                Number.small(1), .large(.max), .map([:]), .map(["a": "1"]), .text("18446744073709551615"),
            ]))
    }

    /// Writes one type of number, and reads another.
    struct Converted<Written: Codable & Equatable, Read: Codable & Equatable>: RecordCodable {
        static var recordType: String { "Converted" }
        var recordName: String { "name" }
        var written: Written?
        var read: Read?
        enum CodingKeys: CodingKey { case number }

        init(_ written: Written) { self.written = written }
        init(from decoder: any Decoder) throws {
            read = try decoder.container(keyedBy: CodingKeys.self).decode(Read.self, forKey: .number)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(written, forKey: .number)
        }
    }

    private func expectSame<Written: Codable & Equatable, Read: Codable & Equatable>(
        _ value: Written, as _: Read.Type, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let model = Converted<Written, Read>(value)
        let expected = try? BothCoders.throughJSON(model).read
        let found = try? BothCoders.throughRecords(model).read
        #expect(found == expected, sourceLocation: sourceLocation)
    }

    @Test func largeNumbersReadAsEveryTypeThatHoldsThem() throws {
        try expectSame(UInt64.max, as: UInt64.self)
        try expectSame(UInt64.max, as: Decimal.self)
        try expectSame(UInt64.max, as: Int64.self)
        try expectSame(UInt64.max, as: String.self)
        try expectSame(UInt64.max, as: Bool.self)
        try expectSame(Decimal(string: "18446744073709551615"), as: UInt64?.self)
        try expectSame(Decimal(string: "18446744073709551616"), as: UInt64?.self)
        try expectSame(Decimal(string: "0.12345678901234567890"), as: UInt64?.self)
    }

    private func read<Written: Codable & Equatable, Value: Codable & Equatable>(
        _ value: Written, as _: Value.Type
    ) throws -> Value {
        try #require(BothCoders.throughRecords(Converted<Written, Value>(value)).read)
    }

    @Test(arguments: ["1234567890123456800", "4611686018427388000", "-9007199254740993", "9223372036854775807"])
    func integerInADecimalReadsAsThatInteger(digits: String) throws {
        let decimal = try #require(Decimal(string: digits))
        let json = try JSONDecoder().decode(Int.self, from: JSONEncoder().encode(decimal))
        #expect(try read(decimal, as: Int.self) == json)
        #expect(try read(decimal, as: Decimal.self) == decimal)
    }

    @Test func integersThatAFloatingPointNumberHoldsReadAsIt() throws {
        #expect(try read(UInt64(1) << 63, as: Double.self) == 0x1p63)
        #expect(try read(UInt64(1) << 63, as: Float.self) == 0x1p63)
        #expect(throws: DecodingError.self) { try read(UInt64.max, as: Double.self) }
        #expect(throws: DecodingError.self) { try read(UInt64.max, as: Float.self) }
        if #available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *) {
            #expect(try read(Int128(-1) << 100, as: Double.self) == -0x1p100)
            #expect(try read(UInt128(1) << 127, as: Float.self) == 0x1p127)
            #expect(throws: DecodingError.self) { try read(Int128.max, as: Double.self) }
        }
    }

    /// Writes a number with a fraction and reads a decimal number, as JSON allows.
    @Test func decimalNumberReadsFromADouble() throws {
        try expectSame(12.5, as: Decimal.self)
    }

    @Test func decimalNumbersAreNumbersInRecords() throws {
        func stored(_ digits: String) throws -> Record.Value? {
            try RecordEncoder().encode(Holder(#require(Decimal(string: digits))))[0]["value"]
        }
        #expect(try stored("12.50") == 12.5)
        #expect(try stored("12") == .double(12))
        #expect(try stored("9007199254740993") == .int(9_007_199_254_740_993))
        #expect(try stored("0.12345678901234567890") == ["$decimal": "0.1234567890123456789"])
    }

    @Test func mapThatWouldBeADecimalNumberIsRefused() throws {
        let error = try #require(throws: RecordError.self) { try RecordEncoder().encode(Holder(["$decimal": "1"])) }
        #expect(error.code == .invalidKey && error.key == "$decimal")
        #expect(error.context.record?.description == "Holder/holder")
        try BothCoders.expectSame(Holder(["$decimal": "1", "other": "1"]))
    }
}
