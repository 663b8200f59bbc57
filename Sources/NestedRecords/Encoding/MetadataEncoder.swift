// A property of the type `Record.Metadata` has no field: it is the metadata of the record that contains it.

extension Record.Metadata: NativelyEncodable {
    static var typeEncoder: AnyTypeEncoder.Type { MetadataEncoder.self }
}

private final class MetadataEncoder: TypeEncoder<Record.Metadata> {
    private let plain: PlainEncoder<Record.Metadata>

    required init(in call: EncodingCall) {
        plain = PlainEncoder(in: call)
        super.init(in: call)
    }

    override func begin(in call: EncodingCall) { plain.begin(in: call) }

    override func reset() -> Bool { plain.reset() }

    override func encode(_ value: Record.Metadata, in frame: EncodingFrame) throws -> EncodedValue {
        guard frame.isOwnProperty else { return try plain.encode(value, in: frame) }
        try frame.call.note(value, ofRecord: frame.ownRecordPosition, in: frame)
        return .absent
    }
}
