/// The property that is the name of its record.
///
/// ```swift
/// struct Person: RecordCodable, Identifiable {
///     @RecordName var id: String
///     var name: String
/// }
/// ```
///
/// In a record it is not stored as a field: the record's name says it already, and gives it back. Everywhere else, in
/// an embedded value and with other coders, it is the plain value.
@propertyWrapper
public struct RecordName<Value> {
    /// The name.
    public var wrappedValue: Value

    /// Makes a name that is written as text.
    public init(wrappedValue: Value) where Value: LosslessStringConvertible {
        self.init(value: wrappedValue)
    }

    init(value: Value) {
        wrappedValue = value
    }
}

extension RecordName: Sendable where Value: Sendable {}
extension RecordName: Equatable where Value: Equatable {}
extension RecordName: Hashable where Value: Hashable {}

extension RecordName: CustomStringConvertible {
    /// The text of the wrapped value.
    public var description: String { "\(wrappedValue)" }
}

extension RecordName: Encodable where Value: Encodable {
    /// Writes the plain value.
    ///
    /// - Parameter encoder: Any encoder.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

extension RecordName: Decodable where Value: Decodable {
    /// Reads the plain value.
    ///
    /// - Parameter decoder: Any decoder.
    /// - Throws: What the decoder throws.
    public init(from decoder: any Decoder) throws {
        self.init(value: try decoder.singleValueContainer().decode(Value.self))
    }
}

// MARK: Records

extension RecordName: NativelyEncodable where Value: Encodable {
    static func makeTypeEncoder() -> AnyTypeEncoder { RecordNameEncoder<Value>() }
}

extension RecordName: NativelyDecodable where Value: Decodable {
    static func makeTypeDecoder() -> AnyTypeDecoder { RecordNameDecoder<Value>() }
}

/// Leaves names out of their records.
private final class RecordNameEncoder<Value: Encodable>: TypeEncoder<RecordName<Value>> {
    private let form = RecordNameForm<Value>.make()

    override func encode(_ value: RecordName<Value>, in session: EncodingSession) throws -> Record.Value {
        guard let level = session.levelOfNextValue, level.isOwnProperty else {
            return try session.encode(value.wrappedValue)
        }
        let name = session.records[level.ownRecordPosition].id.name
        guard let text = form?.text(value.wrappedValue), text.hasSameBytes(as: name) else {
            let reason = "it stands for the record's name, '\(name)', but holds '\(value.wrappedValue)'"
            let key = level.currentKey
            throw session.fail(
                RecordError.invalidKey(key?.stringValue ?? "", reason: reason, place: level.place(of: key)))
        }
        session.outcome = .absent
        return .null
    }
}

/// Takes names from their records.
private final class RecordNameDecoder<Value: Decodable>: TypeDecoder<RecordName<Value>> {
    private let form = RecordNameForm<Value>.make()

    override var needsNoField: Bool { true }

    override func decode(_ value: Record.Value, in session: DecodingSession) throws -> RecordName<Value> {
        guard let level = session.innermostLevel, level.isOwnProperty else {
            return RecordName(value: try session.decoder(of: Value.self).decode(value, in: session))
        }
        let name = session.records[level.ownRecordPosition].id.name
        if let form, let value = form.value(name), form.text(value)?.hasSameBytes(as: name) ?? false {
            return RecordName(value: value)
        }
        let path = level.codingPath + (level.currentKey.map { [$0] } ?? [])
        let reason = "the record's name '\(name)' is not the text of any \(Value.self)"
        throw session.placed(
            DecodingError.typeMismatch(Value.self, .init(codingPath: path, debugDescription: reason)), level)
    }
}
