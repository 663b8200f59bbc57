/// Encodes the record of a union value.
final class UnionEncoder<Union: RecordUnion>: TypeEncoder<Union> {
    override func encode(_ value: Union, in frame: EncodingFrame) throws -> EncodedValue {
        try frame.call.encode(value.record, in: frame)
    }
}
