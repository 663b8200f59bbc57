extension RecordDecoder {
    /// Encodes the value of an ignored property as this decoder reads it from a field.
    func encode(fieldValue value: some Encodable) throws -> Record.Value {
        if let value = (value as? any FieldScalar)?.fieldValue { return value }
        var encoder = RecordEncoder(matching: self)
        // The value is read from a single field.
        encoder.embeddingStrategy = .map
        return try EncodingSession(encoder: encoder).encode(field: value)
    }
}

extension EncodingSession {
    /// Encodes a value that is not in a record, and that holds no records.
    fileprivate func encode<Value: Encodable>(field value: Value) throws -> Record.Value {
        defer { invalidate() }
        let encoded = try encode(value)
        if let failure { throw failure }
        guard records.isEmpty else {
            let context = EncodingError.Context(codingPath: [], debugDescription: "it holds records")
            throw EncodingError.invalidValue(value, context)
        }
        return encoded
    }
}
