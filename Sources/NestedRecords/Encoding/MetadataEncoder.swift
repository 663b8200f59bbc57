// A property of the type `Record.Metadata` has no field: it is the metadata of the record that contains it.

extension Record.Metadata: NativelyEncodable {
    static var typeEncoder: AnyTypeEncoder.Type { MetadataEncoder.self }
}

private final class MetadataEncoder: PlainEncoder<Record.Metadata> {
    override func encode(_ value: Record.Metadata, in frame: EncodingFrame) throws -> EncodedValue {
        guard frame.isOwnProperty else { return try super.encode(value, in: frame) }
        try frame.call.note(value, ofRecord: frame.ownRecordPosition, in: frame)
        return .absent
    }
}
