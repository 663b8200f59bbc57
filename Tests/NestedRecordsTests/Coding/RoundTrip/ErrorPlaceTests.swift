import Foundation
import NestedRecords
import Testing

/// The path, record and field of an error are those of the value that caused it, whatever was coded before.
@Suite struct ErrorPlaceTests {
    struct Failure: Error, Equatable {}

    struct Inner: Codable, Equatable { var text = "x" }

    struct ValueAfterObject: RecordCodable {
        var recordName: String { "name" }
        var inner = Inner()
        var number = Unstorable()
    }

    @Test func valueThatFollowsAnObjectIsNamedInTheError() throws {
        let error = try #require(throws: EncodingError.self) { try RecordEncoder().encode(ValueAfterObject()) }
        guard case .invalidValue(_, let context) = error else { return }
        #expect(context.codingPath.map(\.stringValue) == ["number"])
        #expect(context.debugDescription.hasSuffix("in record ValueAfterObject/name, field 'number'"))
    }

    struct FailsItself: RecordCodable {
        var recordName: String { "name" }
        var inner = Inner()
        enum CodingKeys: CodingKey { case inner, other }

        init() {}
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            inner = try container.decode(Inner.self, forKey: .inner)
            if inner.text == "corrupted" {
                throw DecodingError.dataCorruptedError(forKey: .other, in: container, debugDescription: "reason")
            }
            throw Failure()
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(inner, forKey: .inner)
            throw Failure()
        }
    }

    @Test func errorOfTheTypeItselfIsNotBlamedOnItsLastPropertyWhenEncoding() throws {
        let error = try #require(throws: EncodingError.self) { try RecordEncoder().encode(FailsItself()) }
        guard case .invalidValue(let value, let context) = error else { return }
        #expect(value is FailsItself)
        #expect(context.codingPath.isEmpty)
        #expect(context.underlyingError is Failure)
        #expect(context.debugDescription.hasSuffix("in record FailsItself/name"))
    }

    private func decode<Model: RecordDecodable>(_ type: Model.Type, _ fields: Record.Fields) throws -> Model {
        let record = try Record(id: Record.ID(type: type.recordType, name: "name"), fields: fields)
        return try RecordDecoder().decode(type, from: RecordGraph([record]))
    }

    @Test func errorOfTheTypeItselfIsNotBlamedOnItsLastPropertyWhenDecoding() throws {
        let error = try #require(throws: DecodingError.self) {
            try decode(FailsItself.self, ["inner": .map(["text": .string("x")])])
        }
        guard case .dataCorrupted(let context) = error else {
            Issue.record("unexpected error: \(error)")
            return
        }
        #expect(context.codingPath.isEmpty)
        #expect(context.underlyingError is Failure)
        #expect(context.debugDescription.hasSuffix("in record FailsItself/name"))
    }

    @Test func fieldThatTheTypeNamesItselfIsTheFieldOfTheError() throws {
        let error = try #require(throws: DecodingError.self) {
            try decode(FailsItself.self, ["inner": .map(["text": .string("corrupted")])])
        }
        guard case .dataCorrupted(let context) = error else {
            Issue.record("unexpected error: \(error)")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["other"])
        #expect(!context.debugDescription.contains("'inner'"))
        #expect(context.debugDescription.contains("in record FailsItself/name"))
    }

    struct Fallback: RecordDecodable {
        var recordName: String { "name" }
        enum CodingKeys: CodingKey { case value }
        static let throwsCodingError = CodingUserInfoKey(rawValue: "throwsCodingError")

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            if (try? container.decode(Int.self, forKey: .value)) != nil { return }
            if (try? container.decode(Bool.self, forKey: .value)) != nil { return }
            if try container.decode(String.self, forKey: .value) == "corrupted" {
                throw DecodingError.dataCorruptedError(forKey: .value, in: container, debugDescription: "reason")
            }
            throw Failure()
        }
    }

    @Test(arguments: ["other", "corrupted"])
    func errorAfterSwallowedErrorsHasItsPlace(text: String) throws {
        let error = try #require(throws: (any Error).self) { try decode(Fallback.self, ["value": .string(text)]) }
        guard case DecodingError.dataCorrupted(let context) = error else {
            Issue.record("unexpected error: \(error)")
            return
        }
        #expect((context.underlyingError as? Failure == nil) == (text == "corrupted"))
        #expect(context.debugDescription.contains("in record Fallback/name"))
    }

    @Test func missingFieldIsNamedWithItsRecord() throws {
        let error = try #require(throws: DecodingError.self) {
            try decode(ValueAfterObject.self, ["inner": .map(["text": .string("x")])])
        }
        guard case .keyNotFound(let key, let context) = error else {
            Issue.record("unexpected error: \(error)")
            return
        }
        #expect(key.stringValue == "number")
        #expect(context.codingPath.isEmpty)
        #expect(
            context.debugDescription == "there is no field 'number', in record ValueAfterObject/name, field 'number'")
    }

    @Test func nullWhereAValueIsNeededIsNotFound() throws {
        let error = try #require(throws: DecodingError.self) {
            try decode(ValueAfterObject.self, ["inner": .map(["text": .null]), "number": .int(1)])
        }
        guard case .valueNotFound(let type, let context) = error else {
            Issue.record("unexpected error: \(error)")
            return
        }
        #expect(ObjectIdentifier(type) == ObjectIdentifier(String.self))
        #expect(context.codingPath.map(\.stringValue) == ["inner", "text"])
        #expect(context.debugDescription.hasSuffix("in record ValueAfterObject/name, field 'inner'"))
    }

    @Test(arguments: [Record.Value.list([]), .int(1), .null, .string("")])
    func listThatIsTooShortOrNoListIsRefusedWithItsPlace(stored: Record.Value) throws {
        let record = try Record(
            id: Record.ID("Holder/holder"), fields: ["value": .map(["outer": .map(["inner": stored])])])
        let error = try #require(throws: DecodingError.self) {
            try RecordDecoder().decode(Holder<Nested<Int>>.self, from: RecordGraph([record]))
        }
        switch error {
        case .valueNotFound(_, let context), .typeMismatch(_, let context):
            let path = context.codingPath.map(\.stringValue)
            #expect(path == ["value", "outer", "inner"] + (stored == .list([]) ? ["Index 0"] : []))
            #expect(context.debugDescription.hasSuffix("in record Holder/holder, field 'value'"))
        default: Issue.record("unexpected error: \(error)")
        }
    }
}
