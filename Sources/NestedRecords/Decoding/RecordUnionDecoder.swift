extension RecordUnion {
    static func makeUnionDecoder() -> AnyTypeDecoder { UnionDecoder<Self>() }
}

/// Decodes records by their types.
private final class UnionDecoder<Union: RecordUnion>: TypeDecoder<Union> {
    override var followsReferences: Bool { true }

    override func decode(_ value: Record.Value, in session: DecodingSession) throws -> Union {
        guard case .reference(let reference) = value else { throw session.mismatch(Union.self, value) }
        return try session.decode(registered: reference, expected: "\(Union.self)", fits: { _ in true }) { record in
            (record as? any RecordDecodable).flatMap(Union.init)
        }
    }
}
