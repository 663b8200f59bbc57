import Foundation
import NestedRecords
import Testing

/// Takes a record through all coders.
struct RoundTripCheck {
    var isLossy = false
    var isJSON = true
    var isStable = true

    func callAsFunction<Model: RecordCodable & Equatable>(
        _ model: Model, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let graph = try RecordEncoder().encode(model)
        let decoded = try RecordDecoder().decode(Model.self, from: graph)
        let database = InMemoryRecordDatabase()
        try await database.save(graph)
        let loaded = try await RecordDecoder().decode(Model.self, from: graph.roots[0], in: database)
        #expect(loaded == decoded, sourceLocation: sourceLocation)
        if !isLossy { #expect(decoded == model, sourceLocation: sourceLocation) }
        if isJSON {
            let data = try JSONEncoder.extended.encode(model)
            let expected = try JSONDecoder.extended.decode(Model.self, from: data)
            #expect(decoded == expected, sourceLocation: sourceLocation)
        }
        // What came back must be the same records again.
        guard isStable else { return }
        #expect(try RecordEncoder().encode(decoded) == graph, sourceLocation: sourceLocation)
    }
}

extension JSONEncoder {
    /// Writes infinities and not-a-numbers as texts, since JSON knows no such numbers.
    static var extended: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return encoder
    }
}

extension JSONDecoder {
    static var extended: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return decoder
    }
}
