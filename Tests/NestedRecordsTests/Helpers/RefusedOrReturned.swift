import NestedRecords
import Testing

/// Checks that a value comes back equal, or is refused when it is encoded.
func expectReturnedOrRefused<Model: RecordCodable & Equatable>(
    _ model: Model, _ encoder: RecordEncoder, _ decoder: RecordDecoder,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let graph: RecordGraph
    do { graph = try encoder.encode(model) } catch { return }
    #expect(throws: Never.self, "\(graph)", sourceLocation: sourceLocation) {
        let decoded = try decoder.decode(Model.self, from: graph)
        #expect(decoded == model, "\(graph.last?.description ?? "")", sourceLocation: sourceLocation)
    }
}
