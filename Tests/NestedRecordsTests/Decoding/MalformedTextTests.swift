import Foundation
import NestedRecords
import Testing

/// Strings that are no URL, UUID or location.
@Suite struct MalformedTextTests {
    struct Nothing: Error {}

    private func context<Value: Codable & Equatable>(
        _: Value.Type, _ text: String, _ coded: (String) throws -> Void
    ) throws -> DecodingError.Context {
        do {
            try coded(text)
            throw Nothing()
        } catch DecodingError.dataCorrupted(let context) {
            return context
        }
    }

    private func expectCorrupted<Value: Codable & Equatable>(_ type: Value.Type, _ text: String, _ reason: String)
        throws
    {
        let record = try Record(id: Record.ID("Holder/holder"), fields: ["value": [.string(text)]])
        let found = try context(type, text) { _ in
            _ = try RecordDecoder().decode(Holder<[Value]>.self, from: RecordGraph([record]))
        }
        let expected = try context(type, text) { text in
            _ = try JSONDecoder().decode(Holder<[Value]>.self, from: JSONEncoder().encode(["value": [text]]))
        }
        #expect(found.codingPath.map(\.stringValue) == expected.codingPath.map(\.stringValue))
        #expect(found.debugDescription == "\(reason), in record Holder/holder, field 'value'")
    }

    @Test func areCorruptedData() throws {
        try expectCorrupted(URL.self, "", "'' is no URL")
        try expectCorrupted(UUID.self, "not a uuid", "'not a uuid' is no UUID")
        try expectCorrupted(Location.self, "91;0", "'91;0' is no location")
    }

    @Test func areCorruptedDataBehindAReferenceToo() throws {
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
        let error = #expect(throws: DecodingError.self) { try RecordDecoder().decode(Reading.self, from: graph) }
        guard case .dataCorrupted(let context) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.debugDescription.hasPrefix("'not a uuid' is no UUID"))
    }

    @Test func otherKindsAreMismatches() throws {
        let record = try Record(id: Record.ID("Holder/holder"), fields: ["value": 1])
        func expect<Value: Codable & Equatable>(_: Value.Type) throws {
            let error = #expect(throws: DecodingError.self) {
                try RecordDecoder().decode(Holder<Value>.self, from: RecordGraph([record]))
            }
            if case .typeMismatch = error { return }
            Issue.record("\(String(describing: error))")
        }
        try expect(URL.self)
        try expect(UUID.self)
        try expect(Location.self)
    }

    @Test func areTextsOfOneLineInErrors() throws {
        try expectCorrupted(UUID.self, "no\n\tway", #"'no\n\tway' is no UUID"#)
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
