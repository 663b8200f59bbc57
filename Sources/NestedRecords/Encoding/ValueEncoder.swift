/// The encoder that a value sees.
final class ValueEncoder: RecordValueEncoder {
    let frame: EncodingFrame

    @exclusivity(unchecked) private var containers = ContainerCache()

    init(frame: EncodingFrame) {
        self.frame = frame
    }

    /// Replaces another encoder before the next call: a weak reference to that one must not reach this one.
    init(replacing other: ValueEncoder) {
        frame = other.frame
        swap(&containers, &other.containers)
    }

    var codingPath: [any CodingKey] { frame.codingPath }

    var userInfo: [CodingUserInfoKey: Any] { frame.userInfo(frame.session.options.userInfo) }

    /// Whether user code holds no keyed container of this encoder.
    @inline(__always)
    var isContainerFree: Bool { containers.areFree }

    /// Whether nothing of the value before is left that keeps the encoder from serving another one.
    @inline(__always)
    var isReusable: Bool { frame.children.isEmpty && containers.areFree }

    func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedEncodingContainer<Key> {
        frame.noteKeys(Key.self)
        if frame.session.notesKeys { frame.noteKeysOnce(Key.self) }
        guard frame.become(.keyed) else { return KeyedEncodingContainer(KeyedContainer(frame: discardedFrame)) }
        if containers.has(keyedBy: Key.self), let (maker, object) = containers.kept {
            return unsafeDowncast(maker, to: ContainerMaker<KeyedEncodingContainer<Key>>.self).container(object)
        }
        return makeContainer()
    }

    // Not inlined, so that reusing a container does not instantiate its type.
    @inline(never)
    private func makeContainer<Key: CodingKey>() -> KeyedEncodingContainer<Key> {
        let container = KeyedEncodingContainer(KeyedContainer<Key>(frame: frame))
        containers.keep(container, keyedBy: Key.self)
        return container
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedContainer(encoder: frame.become(.list) ? self : ValueEncoder(frame: discardedFrame))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleValueContainer(encoder: frame.become(.single) ? self : ValueEncoder(frame: discardedFrame))
    }

    /// A closed frame, for containers that must be returned although the session has failed.
    private var discardedFrame: EncodingFrame {
        let discarded = EncodingFrame(session: frame.session)
        discarded.parent = frame
        discarded.close()
        frame.session.mayBeHeld = true
        return discarded
    }
}

// MARK: Keyed containers

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

// MARK: Unkeyed containers

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

// MARK: Single values

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
