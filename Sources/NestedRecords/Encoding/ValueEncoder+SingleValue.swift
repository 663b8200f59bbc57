extension ValueEncoder {
    /// Writes a frame that is a single value.
    struct SingleValueContainer: SingleValueEncodingContainer {
        let encoder: ValueEncoder

        var frame: EncodingFrame { encoder.frame }
        var codingPath: [any CodingKey] { frame.codingPath }

        func encode<Value: Encodable>(_ value: Value) throws { try write(try frame.encodeNested(value)) }
        func encodeNil() throws { try write(.null) }

        private func write(_ value: Record.Value) throws {
            guard frame.content == .single else { throw frame.closedError(value) }
            guard !frame.values.isEmpty else { return frame.values.append(value) }
            guard frame.values[0] != value else { return }
            let context = EncodingError.Context(
                codingPath: codingPath,
                debugDescription: "two different single values are written\(frame.place().recordSuffix)")
            throw frame.session.fail(EncodingError.invalidValue(value, context))
        }

        private func write(scalar value: some FieldScalar) throws {
            if let fieldValue = value.fieldValue { return try write(fieldValue) }
            if !frame.isIgnored { throw frame.outOfRange(value, nil) }
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
    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    func encode(_ value: Int128) throws { try write(scalar: value) }
    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    func encode(_ value: UInt128) throws { try write(scalar: value) }
}
