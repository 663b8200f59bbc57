extension ValueEncoder {
    /// Writes a level that is a single value.
    struct SingleValueContainer: SingleValueEncodingContainer {
        let encoder: ValueEncoder

        var level: EncodingLevel { encoder.level }
        var codingPath: [any CodingKey] { level.codingPath }

        func encode<Value: Encodable>(_ value: Value) throws { try write(try level.encodeNested(value)) }
        func encodeNil() throws { try write(.null) }

        private func write(_ value: Record.Value) throws {
            guard level.content == .single else { throw level.closedError(value) }
            guard !level.values.isEmpty else { return level.values.append(value) }
            guard level.values[0] != value else { return }
            let context = EncodingError.Context(
                codingPath: codingPath,
                debugDescription: "two different single values are written\(level.place().recordSuffix)")
            throw level.session.fail(EncodingError.invalidValue(value, context))
        }

        private func write(scalar value: some FieldScalar) throws {
            if let fieldValue = value.fieldValue { return try write(fieldValue) }
            if !level.isIgnored { throw level.outOfRange(value, nil) }
        }
    }
}

// MARK: Primitives, without the way through the funnel

extension ValueEncoder.SingleValueContainer {
    func encode(_ value: Bool) throws { try write(scalar: value) }
    func encode(_ value: String) throws { try write(scalar: value) }
    func encode(_ value: Double) throws { try write(scalar: value) }
    func encode(_ value: Float) throws { try write(scalar: value) }
    func encode(_ value: Int) throws { try write(scalar: value) }
    func encode(_ value: Int8) throws { try write(scalar: value) }
    func encode(_ value: Int16) throws { try write(scalar: value) }
    func encode(_ value: Int32) throws { try write(scalar: value) }
    func encode(_ value: Int64) throws { try write(scalar: value) }
    func encode(_ value: UInt) throws { try write(scalar: value) }
    func encode(_ value: UInt8) throws { try write(scalar: value) }
    func encode(_ value: UInt16) throws { try write(scalar: value) }
    func encode(_ value: UInt32) throws { try write(scalar: value) }
    func encode(_ value: UInt64) throws { try write(scalar: value) }
    func encode(_ value: Int128) throws { try write(scalar: value) }
    func encode(_ value: UInt128) throws { try write(scalar: value) }
}
