import Foundation
import NestedRecords
import TestSupport
import Testing

/// Strings that are no URL, UUID or location.
@Suite struct MalformedTextTests {
    @Test func areCorruptedData() throws {
        func expect<Value: Codable & Equatable>(_ type: Value.Type, _ text: String) throws {
            let graph = try RecordGraph([Flat.record("Holder/holder", ["value": [.string(text)]])])
            let found = CodingFailure.of { try RecordDecoder().decode(Holder<[Value]>.self, from: graph) }
            let json = CodingFailure.of {
                try JSONDecoder().decode(Holder<[Value]>.self, from: JSONEncoder().encode(["value": [text]]))
            }
            #expect(found == CodingFailure(.dataCorrupted, "value.0", "Holder/holder, field 'value'"))
            #expect(found?.kind == json?.kind && found?.path == json?.path)
        }
        try expect(URL.self, "")
        try expect(UUID.self, "not a uuid")
        try expect(Location.self, "91;0")
    }

    @Test func areCorruptedDataAfterAReferenceToo() throws {
        struct Reading: RecordCodable {
            static var recordType: String { "Holder" }
            var recordName: String { "holder" }
            enum CodingKeys: CodingKey { case value }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                _ = try container.superDecoder(forKey: .value).singleValueContainer().decode(UUID.self)
            }
            func encode(to encoder: any Encoder) throws {}
        }
        let text = SingleValueRecordOf("not a uuid")
        let graph = try RecordEncoder().encode(Holder(text))
        #expect(CodingFailure.of { try RecordDecoder().decode(Reading.self, from: graph) }?.kind == .dataCorrupted)
    }

    @Test func otherKindsAreMismatches() throws {
        let record = try Record(id: Record.ID("Holder/holder"), fields: ["value": 1])
        func expect<Value: Codable & Equatable>(_: Value.Type) throws {
            let failure = CodingFailure.of {
                try RecordDecoder().decode(Holder<Value>.self, from: RecordGraph([record]))
            }
            #expect(failure?.kind == .typeMismatch)
        }
        try expect(URL.self)
        try expect(UUID.self)
        try expect(Location.self)
    }

    @Test func ofAnyLengthAreShortInErrors() throws {
        let text = "e" + String(repeating: "\u{301}", count: 100_000)
        let error = #expect(throws: DecodingError.self) {
            let record = try Record(id: Record.ID("Holder/holder"), fields: ["value": .string(text)])
            _ = try RecordDecoder().decode(Holder<UUID>.self, from: RecordGraph([record]))
        }
        #expect(error.map { "\($0)".utf8.count < 1_000 } == true)
    }
}
