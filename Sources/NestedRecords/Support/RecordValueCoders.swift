/// The encoders of this library: a type whose form in a record is not its form elsewhere asks for them.
protocol RecordValueEncoder: Encoder {}

/// The decoders of this library: a type whose form in a record is not its form elsewhere asks for them.
protocol RecordValueDecoder: Decoder {}

extension Encoder {
    /// Hands a value over as it is, where this is an encoder of this library.
    ///
    /// - Returns: Whether it is one.
    func takes(_ value: some Encodable) throws -> Bool {
        guard self is any RecordValueEncoder else { return false }
        var container = singleValueContainer()
        try container.encode(value)
        return true
    }
}

extension Decoder {
    /// The stored value, where this is a decoder of this library; nil for other decoders.
    func given<Value: Decodable>(_: Value.Type) throws -> Value? {
        self is any RecordValueDecoder ? try singleValueContainer().decode(Value.self) : nil
    }
}
