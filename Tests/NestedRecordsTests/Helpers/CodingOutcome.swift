import NestedRecords
import Testing

/// What becomes of a value that may be refused, but must not come back changed.
enum CodingOutcome {
    /// It came back equal.
    case returned

    /// It could not be encoded.
    case refused
}

/// Encodes and decodes a value, and records an issue if another value comes back, or none.
///
/// The caller says which outcomes it expects: otherwise an encoder that refuses everything would pass.
func codingOutcome<Model: RecordCodable & Equatable>(
    _ model: Model, _ encoder: RecordEncoder, _ decoder: RecordDecoder,
    sourceLocation: SourceLocation = #_sourceLocation
) -> CodingOutcome {
    let graph: RecordGraph
    do {
        graph = try encoder.encode(model)
    } catch {
        #expect(error is RecordError || error is EncodingError, "\(error)", sourceLocation: sourceLocation)
        return .refused
    }
    #expect(throws: Never.self, "\(graph)", sourceLocation: sourceLocation) {
        let decoded = try decoder.decode(Model.self, from: graph)
        #expect(decoded == model, "\(graph.last?.description ?? "")", sourceLocation: sourceLocation)
    }
    return .returned
}
