/// The decoder that a value sees.
///
/// It is a struct, so that user code cannot hold a weak reference to it and find it again as the decoder of another
/// value.
struct ValueDecoder: RecordValueDecoder, ChildlessReflectable {
    let coder: Coder

    final class Coder: UncheckedObject<ContainerCache>, FrameCoder {
        let frame: DecodingFrame

        init(frame: DecodingFrame) {
            self.frame = frame
            super.init(ContainerCache())
        }

        func reset() { _ = frame.renew(DecodingFrame.State()) }

        @inline(__always)
        var isReusable: Bool { frame.complete() && state.areFree }

        fileprivate func container<Key: CodingKey>(_: Key.Type) -> KeyedDecodingContainer<Key> {
            if state.has(keyedBy: Key.self), let kept = state.kept {
                return kept.maker.container(kept.object, as: KeyedDecodingContainer<Key>.self)
            }
            return makeContainer()
        }

        private func makeContainer<Key: CodingKey>() -> KeyedDecodingContainer<Key> {
            let container = KeyedDecodingContainer(KeyedContainer<Key>(frame: frame))
            state.keep(container, keyedBy: Key.self, isReference: Self.areContainersReferences)
            return container
        }

        /// Whether the standard library's containers can be kept, tested once.
        private static let areContainersReferences: Bool = {
            let fields: Record.Fields = ["value": .int(7)]
            let container = try? DecodingCall.run(options: RecordCoding(), records: [], index: .empty) { call in
                let frame = DecodingFrame(call)
                frame.begin(in: DecodingFrame(call), .value(.map(fields)))
                try frame.openKeyed(ContainerCache.Key.self)
                return ContainerCache.isOneReference({
                    KeyedDecodingContainer(KeyedContainer<ContainerCache.Key>(frame: frame))
                }) {
                    (try? $0.decode(Int.self, forKey: .value)) == 7
                }
            }
            return container ?? false
        }()
    }

    var frame: DecodingFrame { coder.frame }
    var codingPath: [any CodingKey] { frame.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { frame.userInfo(frame.call.userInfo) }

    func container<Key: CodingKey>(keyedBy _: Key.Type) throws -> KeyedDecodingContainer<Key> {
        frame.noteKeys(Key.self)
        try frame.openKeyed(Key.self)
        return coder.container(Key.self)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        UnkeyedContainer(decoder: self, values: try frame.openUnkeyed())
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        SingleValueContainer(decoder: self, value: try frame.singleValue())
    }
}

// MARK: Keyed containers

extension ValueDecoder {
    /// Reads the fields of a frame.
    ///
    /// It holds only the frame: the standard library copies a container for every call.
    struct KeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol, ChildlessReflectable {
        let frame: DecodingFrame

        var codingPath: [any CodingKey] { frame.codingPath }
        var allKeys: [Key] { frame.keys(of: Key.self) }

        func contains(_ key: Key) -> Bool {
            frame.position(of: key) != nil || frame.embeddedFields(of: key) != nil
        }

        func decodeNil(forKey key: Key) throws -> Bool {
            guard let position = frame.position(of: key) else {
                if frame.embeddedFields(of: key) != nil { return false }
                throw frame.missingField(key)
            }
            if case .null = frame.field(at: position).value { return true }
            return false
        }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            guard let position = frame.position(of: key) else { return try frame.decodeAbsent(type, forKey: key) }
            frame.enter(key)
            defer { frame.leave() }
            return try frame.call.decode(type, frame.field(at: position), in: frame)
        }

        func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
            guard let position = frame.position(of: key), Value.self != Record.Metadata.self || !frame.isOwnRecord
            else {
                guard frame.decodesAbsent(type, forKey: key) else { return nil }
                return try frame.decodeAbsent(type, forKey: key)
            }
            let field = frame.field(at: position)
            if case .null = field.value {
                guard frame.isOwnRecord, frame.call.typeDecoder(of: type).object.isFieldless,
                    frame.decodesAbsent(type, forKey: key)
                else { return nil }
                return try frame.decodeAbsent(type, forKey: key)
            }
            frame.enter(key)
            defer { frame.leave() }
            return try frame.call.decodeUnlessDangling(type, field, in: frame)
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<NestedKey> {
            try frame.child(forKey: key).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try frame.child(forKey: key).unkeyedContainer()
        }

        func superDecoder() throws -> any Decoder { try frame.superChild() }
        func superDecoder(forKey key: Key) throws -> any Decoder { try frame.superChild(forKey: key) }

        // The default implementations of the standard library throw errors, or look the field up three times.
        @inline(__always)
        func decode<Scalar: FieldScalar>(_ type: Scalar.Type, forKey key: Key) throws -> Scalar {
            try frame.scalar(key)
        }
        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
        func decode(_: Int128.Type, forKey key: Key) throws -> Int128 { try frame.scalar(key) }
        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
        func decode(_: UInt128.Type, forKey key: Key) throws -> UInt128 { try frame.scalar(key) }
        func decodeIfPresent(_: Bool.Type, forKey key: Key) throws -> Bool? { try frame.scalarIfPresent(key) }
        func decodeIfPresent(_: String.Type, forKey key: Key) throws -> String? { try frame.scalarIfPresent(key) }
        func decodeIfPresent(_: Double.Type, forKey key: Key) throws -> Double? { try frame.scalarIfPresent(key) }
        func decodeIfPresent(_: Float.Type, forKey key: Key) throws -> Float? { try frame.scalarIfPresent(key) }
        func decodeIfPresent(_: Int.Type, forKey key: Key) throws -> Int? { try frame.scalarIfPresent(key) }
        func decodeIfPresent(_: Int8.Type, forKey key: Key) throws -> Int8? { try frame.scalarIfPresent(key) }
        func decodeIfPresent(_: Int16.Type, forKey key: Key) throws -> Int16? { try frame.scalarIfPresent(key) }
        func decodeIfPresent(_: Int32.Type, forKey key: Key) throws -> Int32? { try frame.scalarIfPresent(key) }
        func decodeIfPresent(_: Int64.Type, forKey key: Key) throws -> Int64? { try frame.scalarIfPresent(key) }
        func decodeIfPresent(_: UInt.Type, forKey key: Key) throws -> UInt? { try frame.scalarIfPresent(key) }
        func decodeIfPresent(_: UInt8.Type, forKey key: Key) throws -> UInt8? { try frame.scalarIfPresent(key) }
        func decodeIfPresent(_: UInt16.Type, forKey key: Key) throws -> UInt16? { try frame.scalarIfPresent(key) }
        func decodeIfPresent(_: UInt32.Type, forKey key: Key) throws -> UInt32? { try frame.scalarIfPresent(key) }
        func decodeIfPresent(_: UInt64.Type, forKey key: Key) throws -> UInt64? { try frame.scalarIfPresent(key) }
        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
        func decodeIfPresent(_: Int128.Type, forKey key: Key) throws -> Int128? { try frame.scalarIfPresent(key) }
        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
        func decodeIfPresent(_: UInt128.Type, forKey key: Key) throws -> UInt128? { try frame.scalarIfPresent(key) }
    }
}

// MARK: Unkeyed containers

extension ValueDecoder {
    struct UnkeyedContainer: UnkeyedDecodingContainer, ChildlessReflectable {
        let decoder: ValueDecoder
        let values: [Record.Value]
        private(set) var currentIndex = 0

        private var frame: DecodingFrame { decoder.frame }
        var codingPath: [any CodingKey] { frame.codingPath }
        var count: Int? { values.count }
        var isAtEnd: Bool { currentIndex >= values.count }

        mutating func decodeNil() throws -> Bool {
            guard case .null = try next(Any?.self) else { return false }
            currentIndex += 1
            return true
        }

        mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            let value = try next(type)
            frame.enter(PathKey(index: currentIndex))
            defer { frame.leave() }
            let result = try StoredValue.with(value) { try frame.call.decode(type, $0, in: frame) }
            currentIndex += 1
            return result
        }

        mutating func decodeIfPresent<Value: Decodable>(_ type: Value.Type) throws -> Value? {
            if isAtEnd { return nil }
            // A metatype of a subclass, see DecodingCall.decode.
            if type != Value.self { return try decodeNil() ? nil : decode(type) }
            return try decode(Value?.self)
        }

        mutating func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type
        ) throws -> KeyedDecodingContainer<NestedKey> {
            try child { try $0.container(keyedBy: type) }
        }

        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
            try child { try $0.unkeyedContainer() }
        }

        mutating func superDecoder() throws -> any Decoder {
            try child { $0 }
        }

        private mutating func child<Result>(_ open: (ValueDecoder) throws -> Result) throws -> Result {
            let result = try open(frame.makeChild(try next((any Decoder).self), key: PathKey(index: currentIndex)))
            currentIndex += 1
            return result
        }

        @inline(__always)
        mutating func decode<Value: FieldScalar>(_ type: Value.Type) throws -> Value {
            let value = try next(type)
            let key = PathKey(index: currentIndex)
            let result = try Value.read(value) ?? frame.readLeniently(value, key)
            currentIndex += 1
            return result
        }

        private func next(_ type: Any.Type) throws -> Record.Value {
            if !isAtEnd { return values[currentIndex] }
            let context = DecodingError.Context(
                codingPath: codingPath + [PathKey(index: currentIndex)],
                debugDescription: "the list has only \(values.count) elements")
            throw frame.call.noted(DecodingError.valueNotFound(type, context), frame)
        }

        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
        mutating func decode(_: Int128.Type) throws -> Int128 { try scalar() }
        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
        mutating func decode(_: UInt128.Type) throws -> UInt128 { try scalar() }

        private mutating func scalar<Value: FieldScalar>() throws -> Value { try decode(Value.self) }
    }
}

// MARK: Single values

extension ValueDecoder {
    struct SingleValueContainer: SingleValueDecodingContainer, ChildlessReflectable {
        let decoder: ValueDecoder
        let value: Record.Value

        private var frame: DecodingFrame { decoder.frame }
        var codingPath: [any CodingKey] { frame.codingPath }

        func decodeNil() -> Bool {
            if case .null = value { true } else { false }
        }

        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            // A flattened type may have passed its encoder on.
            let isMap = if case .map = value { true } else { false }
            let isSpread = frame.isFlat && isMap && EmbeddingStrategy.mayEmbed(type)
            return try StoredValue.with(value) { try frame.call.decode(type, $0, isSpread: isSpread, in: frame) }
        }

        @inline(__always)
        func decode<Scalar: FieldScalar>(_ type: Scalar.Type) throws -> Scalar {
            try Scalar.read(value) ?? frame.readLeniently(value, nil)
        }
        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
        func decode(_: Int128.Type) throws -> Int128 { try scalar() }
        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
        func decode(_: UInt128.Type) throws -> UInt128 { try scalar() }

        private func scalar<Scalar: FieldScalar>() throws -> Scalar { try decode(Scalar.self) }
    }
}
