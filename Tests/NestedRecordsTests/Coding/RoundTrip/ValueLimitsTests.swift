import Foundation
import NestedRecords
import Testing

/// Values that JSON does not carry, or that are not equal to themselves.
@Suite struct ValueLimitsTests {
    private func check<Value: Codable & Equatable>(_ value: Value) async throws {
        let check = RoundTripCheck(isJSON: false)
        try await check(Holder(value))
        try await check(Holder([[value], []]))
        try await check(RecordOf(Nested(value)))
        try await check(SingleValueRecordOf(value))
        try await check(RecordOf(value))
    }

    @Test func valuesThatJSONDoesNotCarryComeBack() async throws {
        try await check([Double.infinity, -.infinity])
        try await check([Float.leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity])
        try await check([
            Decimal(string: "12345678901234567890123456789012345678"),
            Decimal(string: "-0.12345678901234567890123456789012345678"),
            Decimal(string: "1234567890123456789.0123456789012345678"),
        ])
        try await check([Decimal.greatestFiniteMagnitude, .leastFiniteMagnitude, .leastNonzeroMagnitude])
        try await check(try [Location(latitude: -90, longitude: 180), Location(latitude: 1e-7, longitude: -0.0)])
    }

    @Test func numbersThatEqualityDoesNotTellApartComeBack() throws {
        func back<Value: Codable & Equatable>(_ value: Value) throws -> Value {
            let single = try BothCoders.throughRecords(SingleValueRecordOf([value])).value[0]
            #expect("\(single)" == "\(value)")
            return try BothCoders.throughRecords(Holder(Nested(value))).value.value
        }
        #expect(try back(Double.nan).isNaN)
        #expect(try back(Float.nan).isNaN)
        #expect(try back(Decimal.nan).isNaN)
        #expect(try back(-0.0).sign == .minus)
    }

    struct Elements: RecordCodable {
        var recordName: String { "elements" }
        var sets: Set<Set<Int>>
        var points: [[Int]: Int]
    }

    @Test func elementsAndKeysThatAreListsAreStoredInOneOrder() throws {
        func elements(_ order: [Int]) -> Elements {
            var elements = Elements(sets: [], points: [:])
            for number in order {
                elements.sets.insert([number, number + 1])
                elements.points[[number]] = number
            }
            return elements
        }
        let graph = try RecordEncoder().encode(elements(Array(0..<50)))
        #expect(try RecordEncoder().encode(elements((0..<50).reversed())) == graph)
    }

    struct Silent: Codable, Equatable {
        init() {}
        init(from decoder: any Decoder) throws {}
        func encode(to encoder: any Encoder) throws {}
    }

    @Test func valueThatWritesNothingIsAnEmptyObject() throws {
        #expect(try RecordEncoder().encode(Holder([Silent()]))[0]["value"] == .list([.map([:])]))
        #expect(try RecordEncoder().encode(RecordOf(Silent()))[0].fields == [:])
        #expect(try BothCoders.throughRecords(RecordOf(Silent())) == RecordOf(Silent()))
    }

    /// JSON's encoder stores super encoders of a list in the order in which they are let go.
    struct Reversed: Codable, Equatable {
        var numbers = [1, 2, 3]

        init() {}
        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            numbers = []
            while !list.isAtEnd { numbers += try [Int](from: list.superDecoder()) }
        }
        func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            let encoders = numbers.map { _ in list.superEncoder() }
            for (number, encoder) in zip(numbers, encoders).reversed() { try [number].encode(to: encoder) }
        }
    }

    @Test func superEncodersOfAListKeepTheirPlaces() async throws { try await check(Reversed()) }

    /// JSON's container goes on beyond the end of a list.
    struct Ending: Codable, Equatable {
        init() {}
        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            #expect(throws: DecodingError.self) { try list.decode([String: [Bool]].self) }
            #expect(list.currentIndex == 0)
            #expect(try list.decode(Int.self) == 1)
            #expect(try list.decodeIfPresent(Int.self) == nil)
            #expect(try list.decodeIfPresent(String.self) == nil)
            #expect(list.currentIndex == 2 && list.isAtEnd)
            #expect(throws: DecodingError.self) { try list.decode(Int.self) }
            #expect(throws: DecodingError.self) { try list.decodeNil() }
            #expect(throws: DecodingError.self) { try list.superDecoder() }
        }
        func encode(to encoder: any Encoder) throws { try [1, nil].encode(to: encoder) }
    }

    @Test func listEndsAfterItsLastElement() async throws { try await check(Ending()) }
}
