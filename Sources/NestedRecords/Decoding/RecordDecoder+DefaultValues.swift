extension RecordDecoder {
    /// Encodes the value of an ignored property as this decoder reads it from a field.
    func encode(fieldValue value: some Encodable) throws -> Record.Value {
        if let scalar = value as? any FieldScalar { return scalar.fieldValue }
        var encoder = RecordEncoder(matching: self)
        // The value is read from a single field.
        encoder.embeddingStrategy = .map
        return try EncodingCall.encode(field: value, encoder)
    }
}

extension EncodingCall {
    /// Encodes a value that is not in a record, and that holds no records.
    fileprivate static func encode<Value: Encodable>(field value: Value, _ options: RecordEncoder) throws
        -> Record.Value
    {
        let call = EncodingCall.begin(options)
        defer { call.end() }
        let encoded = try call.encode(value, in: EncodingFrame(call)).stored
        try call.finish()
        guard call.state.table.keptCount == 0 else {
            let context = EncodingError.Context(codingPath: [], debugDescription: "it holds records")
            throw EncodingError.invalidValue(value, context)
        }
        return encoded
    }
}
