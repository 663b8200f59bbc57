extension ValueEncoder {
    /// Writes the elements of a frame that is a list.
    struct UnkeyedContainer: UnkeyedEncodingContainer {
        let encoder: ValueEncoder

        var frame: EncodingFrame { encoder.frame }
        var codingPath: [any CodingKey] { frame.codingPath }
        var count: Int { frame.values.count }

        func encode<Value: Encodable>(_ value: Value) throws { try append(try frame.encodeNested(value)) }
        func encodeNil() throws { try append(.null) }

        private func append(_ value: Record.Value) throws {
            guard frame.content == .list else { throw frame.closedError(value) }
            frame.values.append(value)
        }

        private func append(scalar value: some FieldScalar) throws {
            if let fieldValue = value.fieldValue { return try append(fieldValue) }
            if !frame.isIgnored { throw frame.outOfRange(value, frame.currentKey) }
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy _: NestedKey.Type
        ) -> KeyedEncodingContainer<NestedKey> {
            frame.appendChild().container(keyedBy: NestedKey.self)
        }

        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { frame.appendChild().unkeyedContainer() }
        func superEncoder() -> any Encoder { frame.appendChild() }
    }
}

// MARK: Primitives, without the way through the funnel

extension ValueEncoder.UnkeyedContainer {
    func encode(_ value: Bool) throws { try append(scalar: value) }
    func encode(_ value: String) throws { try append(scalar: value) }
    func encode(_ value: Double) throws { try append(scalar: value) }
    func encode(_ value: Float) throws { try append(scalar: value) }
    func encode(_ value: Int) throws { try append(scalar: value) }
    func encode(_ value: Int8) throws { try append(scalar: value) }
    func encode(_ value: Int16) throws { try append(scalar: value) }
    func encode(_ value: Int32) throws { try append(scalar: value) }
    func encode(_ value: Int64) throws { try append(scalar: value) }
    func encode(_ value: UInt) throws { try append(scalar: value) }
    func encode(_ value: UInt8) throws { try append(scalar: value) }
    func encode(_ value: UInt16) throws { try append(scalar: value) }
    func encode(_ value: UInt32) throws { try append(scalar: value) }
    func encode(_ value: UInt64) throws { try append(scalar: value) }
    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    func encode(_ value: Int128) throws { try append(scalar: value) }
    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    func encode(_ value: UInt128) throws { try append(scalar: value) }
}
