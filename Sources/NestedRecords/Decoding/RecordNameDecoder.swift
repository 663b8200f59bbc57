extension RecordName: NativelyDecodable where Value: Decodable {
    static func makeTypeDecoder() -> AnyTypeDecoder { RecordNameDecoder<Value>() }
}

/// Takes names from their records.
private final class RecordNameDecoder<Value: Decodable & RecordNameConvertible>: TypeDecoder<RecordName<Value>> {
    override var isFieldless: Bool { true }

    override func decode(_ value: Record.Value, in session: DecodingSession) throws -> RecordName<Value> {
        guard let frame = session.innermostFrame, frame.isOwnProperty else {
            return RecordName(wrappedValue: try session.decoder(of: Value.self).decode(value, in: session))
        }
        let name = session.records[frame.ownRecordPosition].id.name
        if let value = Value(recordName: name), value.recordName?.hasSameBytes(as: name) ?? false {
            return RecordName(wrappedValue: value)
        }
        let path = frame.codingPath + (frame.currentKey.map { [$0] } ?? [])
        let reason = "the record name '\(name)' is not a valid \(Value.self)"
        throw session.placed(
            DecodingError.typeMismatch(Value.self, .init(codingPath: path, debugDescription: reason)), frame)
    }
}
