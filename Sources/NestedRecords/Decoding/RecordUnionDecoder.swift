/// Decodes records by their types.
final class UnionDecoder<Union: RecordUnion>: TypeDecoder<Union> {
    private let types = RecordTypeRegistry(Union.recordTypes)

    override var followsReferences: Bool { true }

    override func decode(_ field: StoredValue, in frame: DecodingFrame) throws -> Union {
        guard case .reference(let reference) = field.value else {
            // What the type has written to an encoder that it was handed.
            if case .map = field.value {
                return try frame.call.decodeContents(.value(field.value), in: frame, nil) { _ in }
            }
            throw frame.mismatch(Union.self, field.value, frame.currentKey)
        }
        let candidates = types.types(for: reference.id.type, addingSubclassesIn: frame.call.recordTypes)
        return try frame.call.decode(reference, as: candidates, expected: "\(Union.self)", in: frame) { record in
            (record as? any RecordDecodable).flatMap(Union.init)
        }
    }
}
