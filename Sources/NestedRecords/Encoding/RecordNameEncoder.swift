extension RecordName: NativelyEncodable where Value: Encodable {
    static var typeEncoder: AnyTypeEncoder.Type { RecordNameEncoder<Value>.self }
}

/// Leaves names out of their records.
private final class RecordNameEncoder<Value: Encodable & RecordNameConvertible>: TypeEncoder<RecordName<Value>> {
    override func encode(_ value: RecordName<Value>, in frame: EncodingFrame) throws -> EncodedValue {
        let position = frame.ownRecordPosition
        guard frame.isOwnProperty, let name = frame.call.recordID(at: position)?.name else {
            return try frame.call.encode(value.wrappedValue, in: frame)
        }
        let isName = value.recordName?.hasSameBytes(as: name) ?? frame.call.state.table.hasMadeName(position)
        guard isName else {
            let reason = "the property with @RecordName is '\(value.wrappedValue)', but the record's name is '\(name)'"
            let key = frame.currentKey?.stringValue ?? ""
            throw frame.call.fail(RecordError.invalidKey(key, reason: reason, context: frame.placeOfNextValue))
        }
        return .absent
    }
}
