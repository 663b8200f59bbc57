import Foundation
import NestedRecords
import TestSupport
import Testing

@Suite struct DecimalStringTests {
    struct Price: RecordCodable, Identifiable, Equatable {
        var id: String
        var amount: Decimal
    }

    private func price(_ amount: Record.Value) throws -> Price {
        var decoder = RecordDecoder()
        decoder.coding.convertsScalars = true
        let graph = try RecordGraph([Flat.record("Price/p", ["id": "p", "amount": amount])])
        return try decoder.decode(Price.self, from: graph)
    }

    @Test(arguments: [
        "2024-05-06", "1.2.3", "1-2", "1e5e7", "-", ".", "e", "--5", "+-3", "", " 1", "1 ", "0x10", "1e", "1e999",
        "1e-999", "12345678901234567890123456789012345678901234567890",
    ])
    func stringThatIsNotADecimalNumberIsAnError(_ string: String) {
        #expect(throws: DecodingError.self, "\(string)") { try price(.string(string)) }
        #expect(throws: DecodingError.self, "\(string)") { try price(.map(["$decimal": .string(string)])) }
    }

    @Test(arguments: [
        "0", "-0", "+1", "1.50", "00012.25", ".5", "5.", "1e3", "1.5E-7", "-340282366920938463463374607431768211455",
        "99999999999999999999999999999999999999",
    ])
    func decimalNumberReadsAsItIs(_ string: String) throws {
        let expected = try #require(Decimal(string: string))
        #expect(try price(.string(string)).amount == expected)
    }
}
