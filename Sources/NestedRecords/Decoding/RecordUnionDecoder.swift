extension RecordUnion {
    static func makeUnionDecoder() -> AnyTypeDecoder { UnionDecoder<Self>() }
}

/// Decodes records by their types.
private final class UnionDecoder<Union: RecordUnion>: TypeDecoder<Union> {
    @exclusivity(unchecked) private var types = RecordTypeRegistry()
    @exclusivity(unchecked) private var attempt = 0

    override var followsReferences: Bool { true }

    override func decode(_ value: Record.Value, in session: DecodingSession) throws -> Union {
        guard case .reference(let reference) = value else { throw session.mismatch(Union.self, value) }
        if attempt != session.attempt {
            types = RecordTypeRegistry(Union.recordTypes)
            attempt = session.attempt
        }
        let candidates = types.types(for: reference.id.type, addingSubclassesIn: session.options.recordTypes)
        return try session.decode(reference, as: candidates, expected: "\(Union.self)") { record in
            (record as? any RecordDecodable).flatMap(Union.init)
        }
    }
}
