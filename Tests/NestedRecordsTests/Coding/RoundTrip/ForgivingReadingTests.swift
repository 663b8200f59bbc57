import Foundation
import NestedRecords
import Testing

/// What reads as another type than it was written as, and what does not.
@Suite struct ForgivingReadingTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let check: @Sendable () throws -> Void

        /// A stored value that reads as another one, in a property, in a list, as a single value and in an optional.
        static func reads<Value: Codable & Equatable & Sendable>(
            _ stored: Record.Value, as value: Value, convertsScalars: Bool = false
        ) -> Sample {
            Sample(testDescription: "\(stored) as \(Value.self)") { () throws in
                #expect(try decode(Holder<Value>.self, stored, convertsScalars: convertsScalars).value == value)
                #expect(try decode(Holder<Value?>.self, stored, convertsScalars: convertsScalars).value == value)
                #expect(
                    try decode(Holder<[Value]>.self, .list([stored]), convertsScalars: convertsScalars).value == [value]
                )
                #expect(
                    try decode(Holder<[String: Value]>.self, .map(["k": stored]), convertsScalars: convertsScalars)
                        .value == ["k": value])
                #expect(
                    try decode(Holder<UnkeyedOf<Value>>.self, .list([stored]), convertsScalars: convertsScalars).value
                        .value == value)
                #expect(
                    try decode(SingleValueRecordOf<Value>.self, stored, convertsScalars: convertsScalars).value == value
                )
            }
        }

        /// A stored value that does not read.
        static func refuses<Value: Codable & Equatable & SendableMetatype>(
            _ stored: Record.Value, as _: Value.Type, convertsScalars: Bool = false
        ) -> Sample {
            Sample(testDescription: "\(stored) as \(Value.self)") { () throws in
                func expect<Model: RecordCodable>(_: Model.Type, _ stored: Record.Value, _ path: [String]) throws {
                    try expectMismatch(Model.self, stored, path: path, Value.self, convertsScalars: convertsScalars)
                }
                try expect(Holder<Value>.self, stored, ["value"])
                try expect(Holder<Value?>.self, stored, ["value"])
                try expect(Holder<[Value]>.self, .list([stored]), ["value", "Index 0"])
                try expect(Holder<[String: Value]>.self, .map(["k": stored]), ["value", "k"])
                try expect(Holder<Nested<Value>>.self, nested(stored), nestedPath)
                try expect(SingleValueRecordOf<Value>.self, stored, [])
            }
        }

        private static let nestedPath = ["value", "outer", "inner", "Index 0"]
        private static func nested(_ stored: Record.Value) -> Record.Value {
            .map(["outer": .map(["inner": .list([stored])])])
        }
    }

    /// Reads its value from an unkeyed container.
    struct UnkeyedOf<Value: Codable & Equatable>: Codable, Equatable {
        let value: Value

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            value = try list.decode(Value.self)
        }
    }

    private static func decode<Model: RecordCodable>(
        _ type: Model.Type, _ stored: Record.Value, convertsScalars: Bool = false
    ) throws -> Model {
        var decoder = RecordDecoder()
        decoder.coding.convertsScalars = convertsScalars
        let isHolder = type.recordType == "Holder"
        let record = try Record(
            id: Record.ID(type: type.recordType, name: isHolder ? "holder" : "value"),
            fields: [isHolder ? "value" : "$value": stored])
        return try decoder.decode(type, from: RecordGraph([record]))
    }

    private static func expectMismatch<Model: RecordCodable>(
        _ type: Model.Type, _ stored: Record.Value, path: [String], _ wanted: Any.Type, convertsScalars: Bool
    ) throws {
        let error = try #require(throws: DecodingError.self) {
            try decode(type, stored, convertsScalars: convertsScalars)
        }
        guard case .typeMismatch(let found, let context) = error else {
            Issue.record("unexpected error: \(error)")
            return
        }
        #expect(ObjectIdentifier(found) == ObjectIdentifier(wanted))
        #expect(context.codingPath.map(\.stringValue) == path)
        #expect(context.debugDescription.contains("\(wanted) was expected, found"))
        let place =
            type.recordType == "Holder"
            ? "in record Holder/holder, field 'value'" : "in record \(type.recordType)/value"
        #expect(context.debugDescription.contains(place))
    }

    static let readable: [Sample] = [
        .reads(.int(255), as: UInt8.max), .reads(.int(-128), as: Int8.min), .reads(.double(2), as: 2),
        .reads(.double(-0.0), as: UInt(0)), .reads(.double(9_007_199_254_740_992), as: 9_007_199_254_740_992),
        .reads(.int(.min), as: -0x1p63),
        .reads(.int(9_007_199_254_740_992), as: 0x1p53), .reads(.int(16_777_216), as: Float(0x1p24)),
        .reads(.double(0.1), as: Float(0.1)), .reads(.double(.infinity), as: Float.infinity),
        .reads(.int(7), as: Decimal(7)),
        .reads(.int(0), as: Date(timeIntervalSinceReferenceDate: 0)),
        .reads(.double(0.5), as: Date(timeIntervalSinceReferenceDate: 0.5)),
        .reads(.double(0.1), as: Decimal(sign: .plus, exponent: -1, significand: 1)),
        .reads(.map(["$decimal": "1.50"]), as: Decimal(sign: .plus, exponent: -1, significand: 15)),
    ]

    static let lenientlyReadable: [Sample] = [
        .reads(.int(0), as: false, convertsScalars: true), .reads(.int(1), as: true, convertsScalars: true),
        .reads(.bool(true), as: true, convertsScalars: true), .reads(.int(5), as: 5, convertsScalars: true),
        .reads(.string("7.5"), as: Decimal(7.5), convertsScalars: true),
        .reads(
            .string("2001-02-03T04:05:06Z"), as: Date(timeIntervalSinceReferenceDate: 2_865_906), convertsScalars: true),
        .reads(
            .string("2001-02-02t23:35:06-04:30"), as: Date(timeIntervalSinceReferenceDate: 2_865_906),
            convertsScalars: true),
        .reads(
            .string("2001-02-03T04:05:06.000000001Z"), as: Date(timeIntervalSinceReferenceDate: 2_865_906 + 1e-9),
            convertsScalars: true),
    ]

    static let unreadable: [Sample] = [
        .refuses(.int(256), as: UInt8.self), .refuses(.int(-1), as: UInt.self), .refuses(.int(300), as: Int8.self),
        .refuses(.double(2.5), as: Int.self), .refuses(.double(.nan), as: Int.self),
        .refuses(.double(1e19), as: Int64.self),
        .refuses(.double(256), as: UInt8.self),
        .refuses(.bool(true), as: Int.self),
        .refuses(.int(9_007_199_254_740_993), as: Double.self), .refuses(.int(.max), as: Double.self),
        .refuses(.int(16_777_217), as: Float.self), .refuses(.double(1e300), as: Float.self),
        .refuses(.string("1"), as: Int.self), .refuses(.int(1), as: String.self),
        .refuses(.bool(false), as: String.self),
        .refuses(.date(.distantPast), as: String.self), .refuses(.date(.distantPast), as: Int.self),
        .refuses(.bool(true), as: Date.self),
        .refuses(.int(0), as: Bool.self), .refuses(.int(1), as: Bool.self),
        .refuses(.string("2001-02-03T04:05:06Z"), as: Date.self), .refuses(.string("12"), as: Decimal.self),
        .refuses(.double(1e300), as: Decimal.self), .refuses(.map(["$decimal": "12abc"]), as: Decimal.self),
        .refuses(.map(["$decimal": .int(1)]), as: Decimal.self), .refuses(.map(["$decimal": "1"]), as: String.self),
        .refuses(.map(["$decimal": "1"]), as: [String: String].self),
        .refuses(.string("aGk="), as: Data.self),
        .refuses(.list([.int(1)]), as: Data.self),
        .refuses(.map([:]), as: String.self), .refuses(.list([]), as: Int.self),
        .refuses(.bytes(Data()), as: String.self),
    ]

    static let lenientlyUnreadable: [Sample] = [
        .refuses(.int(2), as: Bool.self, convertsScalars: true),
        .refuses(.int(-1), as: Bool.self, convertsScalars: true),
        .refuses(.double(1), as: Bool.self, convertsScalars: true),
        .refuses(.string("true"), as: Bool.self, convertsScalars: true),
        .refuses(.string("2001-02-03"), as: Date.self, convertsScalars: true),
        .refuses(.string("2001-02-30T00:00:00Z"), as: Date.self, convertsScalars: true),
        .refuses(.string("2001-02-03T04:05:06"), as: Date.self, convertsScalars: true),
        .refuses(.string("2001-02-03T04:05:06Z "), as: Date.self, convertsScalars: true),
        .refuses(.string("2001-02-03T24:00:00Z"), as: Date.self, convertsScalars: true),
        .refuses(.string("12abc"), as: Decimal.self, convertsScalars: true),
        .refuses(.string(""), as: Decimal.self, convertsScalars: true),
        .refuses(.string("1"), as: Int.self, convertsScalars: true),
        .refuses(.int(1), as: String.self, convertsScalars: true),
        .refuses(.bool(true), as: Int.self, convertsScalars: true),
    ]

    @Test(arguments: lenientlyReadable) func lenientDecoderReadsKindsThatADatabaseDoesNotHave(sample: Sample) throws {
        try sample.check()
    }

    @Test(arguments: lenientlyUnreadable) func lenientDecoderGuessesNothing(sample: Sample) throws {
        try sample.check()
    }

    @Test(arguments: readable) func storedValueReadsAsAnotherTypeThatHoldsIt(sample: Sample) throws {
        try sample.check()
    }

    @Test(arguments: unreadable) func otherValuesAreRefusedWithTheirPlace(sample: Sample) throws {
        try sample.check()
    }

    @Test func locationsReadAsTextsAndTextsAsLocations() throws {
        let location = try Location(latitude: 1.5, longitude: -2.5)
        try Sample.reads(.location(location), as: "1.5;-2.5").check()
        try Sample.reads(.string("1.50;-2.5e0"), as: location).check()
        try Sample.refuses(.location(location), as: Double.self).check()
    }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    @Test func integersOf128BitsReadAsWhatTheyHold() throws {
        try Sample.reads(.int(5), as: Int128(5)).check()
        try Sample.reads(.double(0x1p100), as: UInt128(1) << 100).check()
    }
}
