extension ValueEncoder {
    /// Writes the fields of a frame.
    ///
    /// It holds only the frame: the standard library copies a container for every call.
    struct KeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let frame: EncodingFrame

        var codingPath: [any CodingKey] { frame.codingPath }

        func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
            if frame.ignores(key) { return }
            frame.enter(key)
            defer { frame.hasKey = false }
            let encoded = try frame.encodeNested(value)
            if frame.session.outcome != .value { return try frame.putOutcome(encoded, forKey: key) }
            try frame.put(encoded, forKey: key)
        }

        func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
            if let value { return try encode(value, forKey: key) }
            if Value.self == FilledTimestamp.self { return try frame.put(.serverTimestamp, forKey: key) }
            if frame.session.flattens { frame.noteAbsentEmbedded(Value.self, key) }
            try frame.noteAbsent(key)
        }

        func encodeNil(forKey key: Key) throws { try frame.put(.null, forKey: key) }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy _: NestedKey.Type, forKey key: Key
        ) -> KeyedEncodingContainer<NestedKey> {
            frame.child(forKey: key, .keyed).container(keyedBy: NestedKey.self)
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            frame.child(forKey: key, .list).unkeyedContainer()
        }

        func superEncoder() -> any Encoder { superEncoder(PathKey.super) }
        func superEncoder(forKey key: Key) -> any Encoder { superEncoder(key) }

        /// What a record says of its properties holds for those of its superclass too.
        private func superEncoder(_ key: some CodingKey) -> any Encoder {
            let encoder = frame.child(forKey: key, .undecided)
            encoder.frame.typeInfo = frame.typeInfo
            return encoder
        }
    }
}

// MARK: Primitives, without the way through the funnel

extension ValueEncoder.KeyedContainer {
    func encode(_ value: Bool, forKey key: Key) throws { try frame.putScalar(value, forKey: key) }
    func encode(_ value: String, forKey key: Key) throws { try frame.putScalar(value, forKey: key) }
    func encode(_ value: Double, forKey key: Key) throws { try frame.putScalar(value, forKey: key) }
    func encode(_ value: Float, forKey key: Key) throws { try frame.putScalar(value, forKey: key) }
    func encode(_ value: Int, forKey key: Key) throws { try frame.putScalar(value, forKey: key) }
    func encode(_ value: Int8, forKey key: Key) throws { try frame.putScalar(value, forKey: key) }
    func encode(_ value: Int16, forKey key: Key) throws { try frame.putScalar(value, forKey: key) }
    func encode(_ value: Int32, forKey key: Key) throws { try frame.putScalar(value, forKey: key) }
    func encode(_ value: Int64, forKey key: Key) throws { try frame.putScalar(value, forKey: key) }
    func encode(_ value: UInt, forKey key: Key) throws { try frame.putScalar(value, forKey: key) }
    func encode(_ value: UInt8, forKey key: Key) throws { try frame.putScalar(value, forKey: key) }
    func encode(_ value: UInt16, forKey key: Key) throws { try frame.putScalar(value, forKey: key) }
    func encode(_ value: UInt32, forKey key: Key) throws { try frame.putScalar(value, forKey: key) }
    func encode(_ value: UInt64, forKey key: Key) throws { try frame.putScalar(value, forKey: key) }
    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    func encode(_ value: Int128, forKey key: Key) throws { try frame.putScalar(value, forKey: key) }
    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    func encode(_ value: UInt128, forKey key: Key) throws { try frame.putScalar(value, forKey: key) }

    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try frame.noteAbsent(key) }
    }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try frame.noteAbsent(key) }
    }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try frame.noteAbsent(key) }
    }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try frame.noteAbsent(key) }
    }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try frame.noteAbsent(key) }
    }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try frame.noteAbsent(key) }
    }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try frame.noteAbsent(key) }
    }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try frame.noteAbsent(key) }
    }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try frame.noteAbsent(key) }
    }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try frame.noteAbsent(key) }
    }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try frame.noteAbsent(key) }
    }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try frame.noteAbsent(key) }
    }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try frame.noteAbsent(key) }
    }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try frame.noteAbsent(key) }
    }
    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    func encodeIfPresent(_ value: Int128?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try frame.noteAbsent(key) }
    }
    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    func encodeIfPresent(_ value: UInt128?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try frame.noteAbsent(key) }
    }
}

extension EncodingFrame {
    /// Encodes a value nested in this frame.
    @inline(__always)
    func encodeNested<Value: Encodable>(_ value: Value) throws -> Record.Value {
        guard content != .closed else { throw closedError(value) }
        if isIgnored { return .null }
        if isDetached { session.nestedParent = self }
        // A value that opens no frame leaves it there.
        defer { if isDetached { session.nestedParent = nil } }
        let count = session.records.count
        do {
            return try session.encode(value)
        } catch {
            // Records that a type leaves behind when it goes on without the value would belong to nothing.
            throw session.records.count > count ? session.fail(error) : error
        }
    }
}
