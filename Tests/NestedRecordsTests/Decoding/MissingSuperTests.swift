import Foundation
import NestedRecords
import Testing

/// The decoder of a superclass that has written nothing.
@Suite struct MissingSuperTests {
    enum Key: CodingKey { case base, own }

    struct Model: RecordCodable, Equatable {
        var recordName: String { "name" }
        var isNil = false
        var optional: Int? = 1
        var error = ""

        init() {}
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            let base = try container.superDecoder(forKey: .base)
            isNil = try base.singleValueContainer().decodeNil()
            optional = try Int?(from: base)
            do {
                _ = try base.container(keyedBy: Key.self)
            } catch DecodingError.valueNotFound(_, let context) {
                error = context.codingPath.map(\.stringValue).joined()
            }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(1, forKey: .own)
        }
    }

    @Test func decoderOfAMissingKeyIsOneOfNull() throws {
        let model = try BothCoders.throughRecords(Model())
        #expect(model.isNil && model.optional == nil && model.error == "base")
        #expect(try BothCoders.throughJSON(Model()) == model)
    }
}
