extension RecordName: NativelyDecodable where Value: Decodable {
    static var typeDecoder: AnyTypeDecoder.Type { RecordNameDecoder<Value>.self }
}

/// Takes names from their records.
private final class RecordNameDecoder<Value: Decodable & RecordNameConvertible>: TypeDecoder<RecordName<Value>> {
    override var isFieldless: Bool { true }

    override func decode(_ field: StoredValue, in frame: DecodingFrame) throws -> RecordName<Value> {
        guard frame.isOwnProperty else {
            return RecordName(wrappedValue: try frame.call.decode(Value.self, field, in: frame))
        }
        let name = frame.ownRecord.id.name
        if let value = Value(recordName: name), value.recordName?.hasSameBytes(as: name) ?? false {
            return RecordName(wrappedValue: value)
        }
        let reason = "the record name '\(name)' is not a valid \(Value.self)"
        let context = DecodingError.Context(codingPath: frame.pathOfNextValue, debugDescription: reason)
        throw frame.call.noted(DecodingError.typeMismatch(Value.self, context), frame)
    }
}
