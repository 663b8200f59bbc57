import Foundation
import NestedRecords
import Testing

/// Records and JSON, each coding a value.
enum BothCoders {
    static func throughJSON<Model: Codable>(
        _ model: Model, _ info: [CodingUserInfoKey: any Sendable] = [:]
    ) throws -> Model {
        let (encoder, decoder) = (JSONEncoder.extended, JSONDecoder.extended)
        (encoder.userInfo, decoder.userInfo) = (info, info)
        return try decoder.decode(Model.self, from: encoder.encode(model))
    }

    static func throughRecords<Model: RecordCodable>(
        _ model: Model, _ info: [CodingUserInfoKey: any Sendable] = [:]
    ) throws -> Model {
        var (encoder, decoder) = (RecordEncoder(), RecordDecoder())
        (encoder.coding.userInfo, decoder.coding.userInfo) = (info, info)
        return try decoder.decode(Model.self, from: encoder.encode(model))
    }

    /// Expects that both coders bring the same back.
    static func expectSame<Model: RecordCodable & Equatable>(
        _ model: Model, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let expected = try throughJSON(model)
        do {
            #expect(try throughRecords(model) == expected, sourceLocation: sourceLocation)
        } catch {
            Issue.record("\(error)", sourceLocation: sourceLocation)
        }
    }
}
