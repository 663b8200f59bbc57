/// The encoder that a value sees.
///
/// It is a struct, so that user code cannot hold a weak reference to it and find it again as the encoder of another
/// value.
struct ValueEncoder: RecordValueEncoder, ChildlessReflectable {
    let coder: Coder

    final class Coder: UncheckedObject<ContainerCache>, FrameCoder {
        let frame: EncodingFrame

        init(frame: EncodingFrame) {
            self.frame = frame
            super.init(ContainerCache())
        }

        func reset() {
            var former = frame.renew(EncodingFrame.State())
            frame.reuseMemory(of: &former.own)
        }

        @inline(__always)
        var isReusable: Bool { frame.hasNoChildren && state.areFree }

        fileprivate func container<Key: CodingKey>(_: Key.Type) -> KeyedEncodingContainer<Key> {
            if state.has(keyedBy: Key.self), let kept = state.kept {
                return kept.maker.container(kept.object, as: KeyedEncodingContainer<Key>.self)
            }
            return makeContainer()
        }

        private func makeContainer<Key: CodingKey>() -> KeyedEncodingContainer<Key> {
            let container = KeyedEncodingContainer(KeyedContainer<Key>(frame: frame))
            state.keep(container, keyedBy: Key.self, isReference: Self.areContainersReferences)
            return container
        }

        /// Whether the standard library's containers can be kept, tested once.
        private static let areContainersReferences: Bool = {
            let call = EncodingCall.begin(RecordCoding())
            defer { call.end() }
            let frame = EncodingFrame(call)
            guard frame.become(.keyed) else { return false }
            return ContainerCache.isOneReference({
                KeyedEncodingContainer(KeyedContainer<ContainerCache.Key>(frame: frame))
            }) {
                try? $0.encode(7, forKey: .value)
                guard case .map(let fields) = frame.takeValue(), case .int(7)? = fields["value"] else { return false }
                return fields.count == 1
            }
        }()
    }

    var frame: EncodingFrame { coder.frame }
    var codingPath: [any CodingKey] { frame.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { frame.userInfo(frame.call.userInfo) }

    func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedEncodingContainer<Key> {
        guard frame.become(.keyed) else {
            return KeyedEncodingContainer(KeyedContainer(frame: frame.discarded.frame))
        }
        frame.use(Key.self)
        return coder.container(Key.self)
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedContainer(encoder: frame.become(.list) ? self : frame.discarded)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        // Types request it before they decide whether to write a single value.
        SingleValueContainer(encoder: self)
    }
}

// MARK: Keyed containers

extension ValueEncoder {
    /// Writes the fields of a frame.
    ///
    /// It holds only the frame: the standard library copies a container for every call.
    struct KeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol, ChildlessReflectable {
        let frame: EncodingFrame

        var codingPath: [any CodingKey] { frame.codingPath }

        func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
            if frame.ignores(key) { return }
            frame.enter(key)
            defer { frame.leave() }
            switch try frame.encodeNested(value) {
            case .value(let value): try frame.put(value, forKey: key)
            case .absent: try frame.noteAbsent(key)
            case .embedded(let value): try frame.putEmbedded(value, forKey: key)
            }
        }

        func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
            if try value.ifPresent({ try encode(copy $0, forKey: key) }) { return }
            if Value.self == FilledTimestamp.self { return try frame.put(.serverTimestamp, forKey: key) }
            frame.noteAbsentEmbedded(Value.self, key)
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

        func superEncoder() -> any Encoder { frame.superChild(forKey: PathKey.super) }
        func superEncoder(forKey key: Key) -> any Encoder { frame.superChild(forKey: key) }

        // The default implementations of the standard library throw errors, or skip nil.
        @inline(__always)
        func encode<Scalar: FieldScalar>(_ value: Scalar, forKey key: Key) throws {
            try frame.putScalar(value, forKey: key)
        }
        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
        func encode(_ value: Int128, forKey key: Key) throws { try frame.putScalar(value, forKey: key) }
        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
        func encode(_ value: UInt128, forKey key: Key) throws { try frame.putScalar(value, forKey: key) }
        func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try frame.putIfPresent(value, forKey: key) }
        func encodeIfPresent(_ value: String?, forKey key: Key) throws { try frame.putIfPresent(value, forKey: key) }
        func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try frame.putIfPresent(value, forKey: key) }
        func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try frame.putIfPresent(value, forKey: key) }
        func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try frame.putIfPresent(value, forKey: key) }
        func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try frame.putIfPresent(value, forKey: key) }
        func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try frame.putIfPresent(value, forKey: key) }
        func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try frame.putIfPresent(value, forKey: key) }
        func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try frame.putIfPresent(value, forKey: key) }
        func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try frame.putIfPresent(value, forKey: key) }
        func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try frame.putIfPresent(value, forKey: key) }
        func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try frame.putIfPresent(value, forKey: key) }
        func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try frame.putIfPresent(value, forKey: key) }
        func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try frame.putIfPresent(value, forKey: key) }
        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
        func encodeIfPresent(_ value: Int128?, forKey key: Key) throws { try frame.putIfPresent(value, forKey: key) }
        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
        func encodeIfPresent(_ value: UInt128?, forKey key: Key) throws { try frame.putIfPresent(value, forKey: key) }
    }
}

// MARK: Unkeyed containers

extension ValueEncoder {
    struct UnkeyedContainer: UnkeyedEncodingContainer, ChildlessReflectable {
        let encoder: ValueEncoder

        private var frame: EncodingFrame { encoder.frame }
        var codingPath: [any CodingKey] { frame.codingPath }
        var count: Int { frame.own.values.count }

        func encode<Value: Encodable>(_ value: Value) throws { try append(try frame.encodeNested(value).stored) }
        func encodeNil() throws { try append(.null) }

        private func append(_ value: Record.Value) throws {
            guard frame.own.content == .list else { throw frame.closedError(value) }
            frame.own.values.append(value)
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy _: NestedKey.Type
        ) -> KeyedEncodingContainer<NestedKey> {
            frame.appendChild().container(keyedBy: NestedKey.self)
        }

        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { frame.appendChild().unkeyedContainer() }
        func superEncoder() -> any Encoder { frame.appendChild() }

        @inline(__always)
        func encode<Scalar: FieldScalar>(_ value: Scalar) throws { try append(value.fieldValue) }
        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
        func encode(_ value: Int128) throws { try append(value.fieldValue) }
        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
        func encode(_ value: UInt128) throws { try append(value.fieldValue) }
    }
}

// MARK: Single values

extension ValueEncoder {
    struct SingleValueContainer: SingleValueEncodingContainer, ChildlessReflectable {
        let encoder: ValueEncoder

        private var frame: EncodingFrame { encoder.frame }
        var codingPath: [any CodingKey] { frame.codingPath }

        func encode<Value: Encodable>(_ value: Value) throws { try write(try frame.encodeNested(value).stored) }
        func encodeNil() throws { try write(.null) }

        private func write(_ value: Record.Value) throws {
            guard frame.become(.single) else { throw frame.closedError(value) }
            guard !frame.own.values.isEmpty else { return frame.own.values.append(value) }
            guard frame.own.values[0] != value else { return }
            let context = EncodingError.Context(
                codingPath: codingPath,
                debugDescription: "two different single values are written\(frame.place().recordSuffix)")
            throw frame.call.fail(EncodingError.invalidValue(value, context))
        }

        @inline(__always)
        func encode<Scalar: FieldScalar>(_ value: Scalar) throws { try write(value.fieldValue) }
        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
        func encode(_ value: Int128) throws { try write(value.fieldValue) }
        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
        func encode(_ value: UInt128) throws { try write(value.fieldValue) }
    }
}

extension Optional where Wrapped: ~Copyable {
    /// Runs the closure with the value, if any, and returns whether there is one.
    ///
    /// Unwrapping a copy of a generic type looks the type up each time, which takes 6 % more instructions for a school
    /// of 1,000.
    @inline(__always)
    borrowing func ifPresent(_ body: (borrowing Wrapped) throws -> Void) rethrows -> Bool {
        switch self {
        case .some(let value):
            try body(value)
            return true
        case .none: return false
        }
    }
}
