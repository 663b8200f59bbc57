protocol RecordValueEncoder: Encoder {}

protocol RecordValueDecoder: Decoder {}

extension Encoder {
    /// Passes a value on unchanged, if this is an encoder of this library; returns whether it is one.
    func takes(_ value: some Encodable) throws -> Bool {
        guard self is any RecordValueEncoder else { return false }
        var container = singleValueContainer()
        try container.encode(value)
        return true
    }
}

extension Decoder {
    /// The stored value, if this is a decoder of this library; nil for other decoders.
    func given<Value: Decodable>(_: Value.Type) throws -> Value? {
        self is any RecordValueDecoder ? try singleValueContainer().decode(Value.self) : nil
    }
}
