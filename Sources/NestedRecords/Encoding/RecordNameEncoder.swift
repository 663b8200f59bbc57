extension RecordName: NativelyEncodable where Value: Encodable {
    static func makeTypeEncoder() -> AnyTypeEncoder { RecordNameEncoder<Value>() }
}

/// Leaves names out of their records.
private final class RecordNameEncoder<Value: Encodable & RecordNameConvertible>: TypeEncoder<RecordName<Value>> {
    override func encode(_ value: RecordName<Value>, in session: EncodingSession) throws -> Record.Value {
        guard let frame = session.frameOfNextValue, frame.isOwnProperty else {
            return try session.encode(value.wrappedValue)
        }
        let position = frame.ownRecordPosition
        let name = session.records[position].id.name
        let isName = value.recordName?.hasSameBytes(as: name) ?? session.madeNames.positions.contains(position)
        guard isName else {
            let reason = "the property with @RecordName is '\(value.wrappedValue)', but the record's name is '\(name)'"
            let key = frame.currentKey
            throw session.fail(
                RecordError.invalidKey(key?.stringValue ?? "", reason: reason, context: frame.place(of: key)))
        }
        session.outcome = .absent
        return .null
    }
}
