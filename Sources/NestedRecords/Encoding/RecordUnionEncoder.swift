extension RecordUnion {
    static var unionEncoder: AnyTypeEncoder.Type { UnionEncoder<Self>.self }
}

/// Encodes the record of a union value.
private final class UnionEncoder<Union: RecordUnion>: TypeEncoder<Union> {
    override func encode(_ value: Union, in frame: EncodingFrame) throws -> EncodedValue {
        func encode<Model: RecordEncodable>(_ record: Model) throws -> EncodedValue {
            try frame.call.encode(record, in: frame)
        }
        return try encode(value.record)
    }
}
