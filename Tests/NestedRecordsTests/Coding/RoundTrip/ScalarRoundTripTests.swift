import Foundation
import NestedRecords
import Testing

@Suite struct ScalarRoundTripTests {
    static let integers: [RoundTripCase] = [
        RoundTripCase("Int") { [Int.min, -1, 0, Int.max] },
        RoundTripCase("Int.min") { Int.min },
        RoundTripCase("Int8") { [Int8.min, .max] },
        RoundTripCase("Int16") { [Int16.min, .max] },
        RoundTripCase("Int32") { [Int32.min, .max] },
        RoundTripCase("Int64") { [Int64.min, .max] },
        RoundTripCase("UInt") { [UInt.min, UInt(Int.max)] },
        RoundTripCase("UInt8") { [UInt8.min, .max] },
        RoundTripCase("UInt16") { [UInt16.min, .max] },
        RoundTripCase("UInt32") { [UInt32.min, .max] },
        RoundTripCase("UInt64") { [UInt64.min, UInt64(Int64.max)] },
        RoundTripCase("Bool") { [true, false] },
        RoundTripCase("true") { true },
    ]

    static let numbers: [RoundTripCase] = [
        RoundTripCase("Double") {
            [Double.leastNonzeroMagnitude, .greatestFiniteMagnitude, .ulpOfOne, -0.1, 0, 1e300, 2]
        },
        RoundTripCase("infinities") { [Double.infinity, -.infinity] },
        RoundTripCase("Float") { [Float.leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.1, .pi, .infinity] },
        RoundTripCase("Decimal") { [Decimal(0), 1, -1, Decimal(sign: .minus, exponent: -20, significand: 5)] },
        RoundTripCase("38 digits", isJSON: false) {
            [
                Decimal(string: "12345678901234567890123456789012345678"),
                Decimal(string: "-0.12345678901234567890123456789012345678"),
                Decimal(string: "1234567890123456789.0123456789012345678"),
            ]
        },
        RoundTripCase("great Decimals", isJSON: false) {
            [Decimal.greatestFiniteMagnitude, .leastFiniteMagnitude, .leastNonzeroMagnitude]
        },
        RoundTripCase("Decimal.nan", isJSON: false) { Bits(Decimal.nan) { $0.isNaN ? 1 : 0 } },
        RoundTripCase("Double.nan") { Bits(Double.nan) { $0.isNaN ? 1 : 0 } },
        RoundTripCase("Float.nan") { Bits(Float.nan) { $0.isNaN ? 1 : 0 } },
        RoundTripCase("negative zero", isJSON: false) { Bits(-0.0) { $0.sign == .minus ? 1 : 0 } },
    ]

    static let texts: [RoundTripCase] = [
        RoundTripCase("String") { ["", " ", "null", "1;2", "2020-01-01T00:00:00Z", "\u{0}\n\"\\", "e\u{301}", "👩‍👩‍👧"] },
        RoundTripCase("long String") { String(repeating: "long ", count: 10_000) },
        RoundTripCase("Character-like") { [Letter("é"), Letter("🇳🇱")] },
        RoundTripCase("URL") {
            try ["https://example.org/a%20b?c=d#e", "file:///tmp/x", "mailto:a@example.org", "relative/path", "?q"]
                .map { try #require(URL(string: $0)) }
        },
        RoundTripCase("UUID") { [UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)), UUID()] },
        RoundTripCase("Date") {
            [Date.distantPast, .distantFuture, Date(timeIntervalSince1970: 0.1), Date(timeIntervalSince1970: -1e-7)]
        },
        RoundTripCase("Data") { [Data(), Data([0]), Data(0...255), Data(0...255)[100..<200]] },
        RoundTripCase("Location") {
            try [
                Location(latitude: -90, longitude: 180), Location(latitude: 1e-7, longitude: -0.0),
                Location(latitude: 52.370216, longitude: 4.895168),
            ]
        },
    ]

    @Test(arguments: integers, RoundTripPosition.allCases)
    func integersComeBackInEveryPosition(value: RoundTripCase, position: RoundTripPosition) async throws {
        try await value.run(position)
    }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    @Test(arguments: RoundTripPosition.allCases)
    func integersOf128BitsComeBackInEveryPosition(position: RoundTripPosition) async throws {
        try await RoundTripCase("Int128") { [Int128(Int64.min), 0, Int128(Int64.max)] }.run(position)
        try await RoundTripCase("UInt128") { [UInt128.min, UInt128(Int64.max)] }.run(position)
    }

    @Test(arguments: numbers, RoundTripPosition.allCases)
    func numbersComeBackInEveryPosition(value: RoundTripCase, position: RoundTripPosition) async throws {
        try await value.run(position)
    }

    @Test(arguments: texts, RoundTripPosition.allCases)
    func textsAndFieldTypesComeBackInEveryPosition(value: RoundTripCase, position: RoundTripPosition) async throws {
        try await value.run(position)
    }
}

/// A number that is compared by a property that `==` does not see.
private struct Bits<Number: Codable>: Codable, Equatable {
    var number: Number
    var property: Int

    init(_ number: Number, _ property: (Number) -> Int) {
        self.number = number
        self.property = property(number)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        number = try container.decode(Number.self)
        switch number {
        case let number as Double: property = number.isNaN || number.sign == .minus ? 1 : 0
        case let number as Float: property = number.isNaN ? 1 : 0
        case let number as Decimal: property = number.isNaN ? 1 : 0
        default: property = -1
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }

    static func == (left: Self, right: Self) -> Bool { left.property == right.property }
}

/// One character, written as a text of its own.
private struct Letter: RawRepresentable, Codable, Equatable {
    var rawValue: String

    init?(rawValue: String) {
        guard rawValue.count == 1 else { return nil }
        self.rawValue = rawValue
    }

    init(_ character: Character) {
        rawValue = String(character)
    }
}
