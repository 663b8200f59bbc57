import Foundation
import NestedRecords
import Testing

/// Numbers beyond those that a `Double` tells apart, read as another type than the one that wrote them.
@Suite struct LargeNumberTests {
    struct Written<Value: Encodable>: RecordEncodable {
        static var recordType: String { "Number" }
        var recordName: String { "number" }
        var value: Value
    }

    struct Read<Value: Decodable>: RecordDecodable {
        static var recordType: String { "Number" }
        var recordName: String { "number" }
        var value: Value
    }

    private func read<Value: Decodable>(_ value: some Encodable, as _: Value.Type) throws -> Value {
        try RecordDecoder().decode(Read<Value>.self, from: RecordEncoder().encode(Written(value: value))).value
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
}
