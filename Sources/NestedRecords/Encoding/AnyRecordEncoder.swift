/// A value of any type that becomes a record, as a root of a graph.
struct AnyRecord: Encodable, NativelyEncodable {
    let record: any RecordEncodable

    static var typeEncoder: AnyTypeEncoder.Type { AnyRecordEncoder.self }

    func encode(to encoder: any Encoder) throws { try record.encode(to: encoder) }
}

/// Encodes the record of a value of any type.
private final class AnyRecordEncoder: TypeEncoder<AnyRecord> {
    override func encode(_ value: AnyRecord, in frame: EncodingFrame) throws -> EncodedValue {
        func encode<Model: RecordEncodable>(_ record: Model) throws -> EncodedValue {
            try frame.call.encode(record, in: frame)
        }
        return try encode(value.record)
    }
}
