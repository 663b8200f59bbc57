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
