extension ValueEncoder {
    /// Writes the elements of a level that is a list.
    struct UnkeyedContainer: UnkeyedEncodingContainer {
        let encoder: ValueEncoder

        var level: EncodingLevel { encoder.level }
        var codingPath: [any CodingKey] { level.codingPath }
        var count: Int { level.values.count }

        func encode<Value: Encodable>(_ value: Value) throws { try append(try level.encodeNested(value)) }
        func encodeNil() throws { try append(.null) }

        private func append(_ value: Record.Value) throws {
            guard level.content == .list else { throw level.closedError(value) }
            level.values.append(value)
        }

        private func append(scalar value: some FieldScalar) throws {
            if let fieldValue = value.fieldValue { return try append(fieldValue) }
            if !level.isIgnored { throw level.outOfRange(value, level.currentKey) }
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy _: NestedKey.Type
        ) -> KeyedEncodingContainer<NestedKey> {
            level.appendChild().container(keyedBy: NestedKey.self)
        }

        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { level.appendChild().unkeyedContainer() }
        func superEncoder() -> any Encoder { level.appendChild() }
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
    func encode(_ value: Int128) throws { try append(scalar: value) }
    func encode(_ value: UInt128) throws { try append(scalar: value) }
}
