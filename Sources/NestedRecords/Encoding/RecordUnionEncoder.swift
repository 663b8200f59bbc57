extension RecordUnion {
    static func makeUnionEncoder() -> AnyTypeEncoder { UnionEncoder<Self>() }
}

/// Encodes the record of a union value.
private final class UnionEncoder<Union: RecordUnion>: TypeEncoder<Union> {
    override func encode(_ value: Union, in session: EncodingSession) throws -> Record.Value {
        func encode<Model: RecordEncodable>(_ record: Model) throws -> Record.Value { try session.encode(record) }
        return try encode(value.record)
    }
}
