/// The decoder that a value sees.
final class ValueDecoder: RecordValueDecoder {
    let frame: DecodingFrame

    @exclusivity(unchecked) private var containers = ContainerCache()

    init(frame: DecodingFrame) {
        self.frame = frame
    }

    /// Replaces another decoder before the next call: a weak reference to that one must not reach this one.
    init(replacing other: ValueDecoder) {
        frame = other.frame
        swap(&containers, &other.containers)
    }

    var codingPath: [any CodingKey] { frame.codingPath }

    var userInfo: [CodingUserInfoKey: Any] { frame.userInfo(frame.session.options.userInfo) }

    /// Whether user code holds no keyed container of this decoder.
    @inline(__always)
    var isContainerFree: Bool { containers.areFree }

    func container<Key: CodingKey>(keyedBy _: Key.Type) throws -> KeyedDecodingContainer<Key> {
        frame.noteKeys(Key.self)
        try frame.openKeyed(Key.self)
        if containers.has(keyedBy: Key.self), let (maker, object) = containers.kept {
            return unsafeDowncast(maker, to: ContainerMaker<KeyedDecodingContainer<Key>>.self).container(object)
        }
        return makeContainer()
    }

    // Not inlined, so that reusing a container does not instantiate its type.
    @inline(never)
    private func makeContainer<Key: CodingKey>() -> KeyedDecodingContainer<Key> {
        let container = KeyedDecodingContainer(KeyedContainer<Key>(frame: frame))
        containers.keep(container, keyedBy: Key.self)
        return container
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        UnkeyedContainer(decoder: self, values: try frame.openUnkeyed())
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        SingleValueContainer(decoder: self, value: try frame.singleValue(of: Any.self))
    }
}

// MARK: Keyed containers

extension ValueDecoder {
    /// Reads the fields of a frame.
    ///
    /// It holds only the frame: the standard library copies a container for every call.
    struct KeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let frame: DecodingFrame

        var codingPath: [any CodingKey] { frame.codingPath }
        var allKeys: [Key] { frame.keys(of: Key.self) }

        func contains(_ key: Key) -> Bool { frame.position(of: key) != nil || frame.embeddedFields(of: key) != nil }

        func decodeNil(forKey key: Key) throws -> Bool {
            if frame.position(of: key) == nil, frame.embeddedFields(of: key) != nil { return false }
            if case .null = frame.field(at: try frame.requiredPosition(of: key)).pointee { return true }
            return false
        }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            guard let position = frame.position(of: key) else { return try frame.decodeAbsent(type, forKey: key) }
            let field = frame.field(at: position)
            frame.enter(key)
            defer { frame.hasKey = false }
            return try frame.decodingNested { try frame.session.decoder(of: type).decode(at: field, in: frame.session) }
        }

        func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
            guard let position = frame.position(of: key), Value.self != Record.Metadata.self || !frame.isOwnRecord
            else {
                guard frame.decodesAbsent(type, forKey: key) else { return nil }
                return try frame.decodeAbsent(type, forKey: key)
            }
            let field = frame.field(at: position)
            if case .null = field.pointee {
                guard frame.isOwnRecord, frame.session.decoder(of: type).isFieldless,
                    frame.decodesAbsent(type, forKey: key)
                else { return nil }
                return try frame.decodeAbsent(type, forKey: key)
            }
            frame.enter(key)
            defer { frame.hasKey = false }
            return try frame.decodingNested {
                try frame.session.decoder(of: type).decodeUnlessDangling(at: field, in: frame.session)
            }
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<NestedKey> {
            try nestedDecoder(forKey: key).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try nestedDecoder(forKey: key).unkeyedContainer()
        }

        func superDecoder() throws -> any Decoder {
            frame.session.learn(PathKey.super.stringValue, of: frame.recordID, includingLinks: false)
            let child = try frame.makeSuperChild()
            child.frame.typeInfo = frame.typeInfo
            return child
        }

        func superDecoder(forKey key: Key) throws -> any Decoder {
            let child = try nestedDecoder(forKey: key)
            child.frame.typeInfo = frame.typeInfo
            return child
        }

        private func nestedDecoder(forKey key: Key) throws -> ValueDecoder {
            try frame.makeEmbeddedChild(key: key)
                ?? frame.makeChild(frame.field(at: try frame.requiredPosition(of: key)).pointee, key: key)
        }
    }
}

// MARK: Primitives, without the way through the funnel

extension ValueDecoder.KeyedContainer {
    func decode(_: Bool.Type, forKey key: Key) throws -> Bool { try frame.decodeScalar(Bool.self, forKey: key) }
    func decode(_: String.Type, forKey key: Key) throws -> String { try frame.decodeScalar(String.self, forKey: key) }
    func decode(_: Double.Type, forKey key: Key) throws -> Double { try frame.decodeScalar(Double.self, forKey: key) }
    func decode(_: Float.Type, forKey key: Key) throws -> Float { try frame.decodeScalar(Float.self, forKey: key) }
    func decode(_: Int.Type, forKey key: Key) throws -> Int { try frame.decodeScalar(Int.self, forKey: key) }
    func decode(_: Int8.Type, forKey key: Key) throws -> Int8 { try frame.decodeScalar(Int8.self, forKey: key) }
    func decode(_: Int16.Type, forKey key: Key) throws -> Int16 { try frame.decodeScalar(Int16.self, forKey: key) }
    func decode(_: Int32.Type, forKey key: Key) throws -> Int32 { try frame.decodeScalar(Int32.self, forKey: key) }
    func decode(_: Int64.Type, forKey key: Key) throws -> Int64 { try frame.decodeScalar(Int64.self, forKey: key) }
    func decode(_: UInt.Type, forKey key: Key) throws -> UInt { try frame.decodeScalar(UInt.self, forKey: key) }
    func decode(_: UInt8.Type, forKey key: Key) throws -> UInt8 { try frame.decodeScalar(UInt8.self, forKey: key) }
    func decode(_: UInt16.Type, forKey key: Key) throws -> UInt16 { try frame.decodeScalar(UInt16.self, forKey: key) }
    func decode(_: UInt32.Type, forKey key: Key) throws -> UInt32 { try frame.decodeScalar(UInt32.self, forKey: key) }
    func decode(_: UInt64.Type, forKey key: Key) throws -> UInt64 { try frame.decodeScalar(UInt64.self, forKey: key) }
    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    func decode(_: Int128.Type, forKey key: Key) throws -> Int128 { try frame.decodeScalar(Int128.self, forKey: key) }
    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    func decode(_: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try frame.decodeScalar(UInt128.self, forKey: key)
    }

    func decodeIfPresent(_: Bool.Type, forKey key: Key) throws -> Bool? {
        try frame.decodeScalarIfPresent(Bool.self, forKey: key)
    }
    func decodeIfPresent(_: String.Type, forKey key: Key) throws -> String? {
        try frame.decodeScalarIfPresent(String.self, forKey: key)
    }
    func decodeIfPresent(_: Double.Type, forKey key: Key) throws -> Double? {
        try frame.decodeScalarIfPresent(Double.self, forKey: key)
    }
    func decodeIfPresent(_: Float.Type, forKey key: Key) throws -> Float? {
        try frame.decodeScalarIfPresent(Float.self, forKey: key)
    }
    func decodeIfPresent(_: Int.Type, forKey key: Key) throws -> Int? {
        try frame.decodeScalarIfPresent(Int.self, forKey: key)
    }
    func decodeIfPresent(_: Int8.Type, forKey key: Key) throws -> Int8? {
        try frame.decodeScalarIfPresent(Int8.self, forKey: key)
    }
    func decodeIfPresent(_: Int16.Type, forKey key: Key) throws -> Int16? {
        try frame.decodeScalarIfPresent(Int16.self, forKey: key)
    }
    func decodeIfPresent(_: Int32.Type, forKey key: Key) throws -> Int32? {
        try frame.decodeScalarIfPresent(Int32.self, forKey: key)
    }
    func decodeIfPresent(_: Int64.Type, forKey key: Key) throws -> Int64? {
        try frame.decodeScalarIfPresent(Int64.self, forKey: key)
    }
    func decodeIfPresent(_: UInt.Type, forKey key: Key) throws -> UInt? {
        try frame.decodeScalarIfPresent(UInt.self, forKey: key)
    }
    func decodeIfPresent(_: UInt8.Type, forKey key: Key) throws -> UInt8? {
        try frame.decodeScalarIfPresent(UInt8.self, forKey: key)
    }
    func decodeIfPresent(_: UInt16.Type, forKey key: Key) throws -> UInt16? {
        try frame.decodeScalarIfPresent(UInt16.self, forKey: key)
    }
    func decodeIfPresent(_: UInt32.Type, forKey key: Key) throws -> UInt32? {
        try frame.decodeScalarIfPresent(UInt32.self, forKey: key)
    }
    func decodeIfPresent(_: UInt64.Type, forKey key: Key) throws -> UInt64? {
        try frame.decodeScalarIfPresent(UInt64.self, forKey: key)
    }
    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    func decodeIfPresent(_: Int128.Type, forKey key: Key) throws -> Int128? {
        try frame.decodeScalarIfPresent(Int128.self, forKey: key)
    }
    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    func decodeIfPresent(_: UInt128.Type, forKey key: Key) throws -> UInt128? {
        try frame.decodeScalarIfPresent(UInt128.self, forKey: key)
    }
}

// MARK: Unkeyed containers

extension ValueDecoder {
    /// Reads the elements of a frame that is a list.
    struct UnkeyedContainer: UnkeyedDecodingContainer {
        let decoder: ValueDecoder
        let values: [Record.Value]
        private(set) var currentIndex = 0

        init(decoder: ValueDecoder, values: [Record.Value]) {
            self.decoder = decoder
            self.values = values
        }

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
            defer { frame.hasKey = false }
            let result = try frame.decodingNested {
                try frame.session.decoder(of: type).decode(value, in: frame.session)
            }
            currentIndex += 1
            return result
        }

        mutating func decodeIfPresent<Value: Decodable>(_ type: Value.Type) throws -> Value? {
            if isAtEnd { return nil }
            return try decode(Value?.self)
        }

        mutating func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type
        ) throws -> KeyedDecodingContainer<NestedKey> {
            let container = try child().container(keyedBy: type)
            currentIndex += 1
            return container
        }

        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
            let container = try child().unkeyedContainer()
            currentIndex += 1
            return container
        }

        mutating func superDecoder() throws -> any Decoder {
            let decoder = try child()
            currentIndex += 1
            return decoder
        }

        private func child() throws -> ValueDecoder {
            try frame.makeChild(try next((any Decoder).self), key: PathKey(index: currentIndex))
        }

        private mutating func scalar<Value: FieldScalar>(_ type: Value.Type) throws -> Value {
            let value = try next(type)
            let key = PathKey(index: currentIndex)
            let result = try Value.read(value) ?? frame.session.readLeniently(value, in: frame, key)
            currentIndex += 1
            return result
        }

        private func next(_ type: Any.Type) throws -> Record.Value {
            if !isAtEnd { return values[currentIndex] }
            let context = DecodingError.Context(
                codingPath: codingPath + [PathKey(index: currentIndex)],
                debugDescription: "the list has only \(values.count) elements")
            throw frame.session.placed(DecodingError.valueNotFound(type, context), frame)
        }
    }
}

// MARK: Primitives, without the way through the funnel

extension ValueDecoder.UnkeyedContainer {
    mutating func decode(_: Bool.Type) throws -> Bool { try scalar(Bool.self) }
    mutating func decode(_: String.Type) throws -> String { try scalar(String.self) }
    mutating func decode(_: Double.Type) throws -> Double { try scalar(Double.self) }
    mutating func decode(_: Float.Type) throws -> Float { try scalar(Float.self) }
    mutating func decode(_: Int.Type) throws -> Int { try scalar(Int.self) }
    mutating func decode(_: Int8.Type) throws -> Int8 { try scalar(Int8.self) }
    mutating func decode(_: Int16.Type) throws -> Int16 { try scalar(Int16.self) }
    mutating func decode(_: Int32.Type) throws -> Int32 { try scalar(Int32.self) }
    mutating func decode(_: Int64.Type) throws -> Int64 { try scalar(Int64.self) }
    mutating func decode(_: UInt.Type) throws -> UInt { try scalar(UInt.self) }
    mutating func decode(_: UInt8.Type) throws -> UInt8 { try scalar(UInt8.self) }
    mutating func decode(_: UInt16.Type) throws -> UInt16 { try scalar(UInt16.self) }
    mutating func decode(_: UInt32.Type) throws -> UInt32 { try scalar(UInt32.self) }
    mutating func decode(_: UInt64.Type) throws -> UInt64 { try scalar(UInt64.self) }
    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    mutating func decode(_: Int128.Type) throws -> Int128 { try scalar(Int128.self) }
    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    mutating func decode(_: UInt128.Type) throws -> UInt128 { try scalar(UInt128.self) }
}

// MARK: Single values

extension ValueDecoder {
    /// Reads a frame that is a single value.
    struct SingleValueContainer: SingleValueDecodingContainer {
        let decoder: ValueDecoder
        let value: Record.Value

        private var frame: DecodingFrame { decoder.frame }
        var codingPath: [any CodingKey] { frame.codingPath }

        func decodeNil() -> Bool {
            if case .null = value { true } else { false }
        }

        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            try frame.decodingNested {
                let decoder = frame.session.decoder(of: type)
                // The type may have passed its encoder on while it was flattened.
                if frame.isFlat, decoder.mayEmbed, case .map = value { frame.session.isNextFlat = true }
                return try decoder.decode(value, in: frame.session)
            }
        }

        private func scalar<Value: FieldScalar>(_ type: Value.Type) throws -> Value {
            if let result = Value.read(value) { return result }
            return try frame.session.readLeniently(value, in: frame)
        }
    }
}

// MARK: Primitives, without the way through the funnel

extension ValueDecoder.SingleValueContainer {
    func decode(_: Bool.Type) throws -> Bool { try scalar(Bool.self) }
    func decode(_: String.Type) throws -> String { try scalar(String.self) }
    func decode(_: Double.Type) throws -> Double { try scalar(Double.self) }
    func decode(_: Float.Type) throws -> Float { try scalar(Float.self) }
    func decode(_: Int.Type) throws -> Int { try scalar(Int.self) }
    func decode(_: Int8.Type) throws -> Int8 { try scalar(Int8.self) }
    func decode(_: Int16.Type) throws -> Int16 { try scalar(Int16.self) }
    func decode(_: Int32.Type) throws -> Int32 { try scalar(Int32.self) }
    func decode(_: Int64.Type) throws -> Int64 { try scalar(Int64.self) }
    func decode(_: UInt.Type) throws -> UInt { try scalar(UInt.self) }
    func decode(_: UInt8.Type) throws -> UInt8 { try scalar(UInt8.self) }
    func decode(_: UInt16.Type) throws -> UInt16 { try scalar(UInt16.self) }
    func decode(_: UInt32.Type) throws -> UInt32 { try scalar(UInt32.self) }
    func decode(_: UInt64.Type) throws -> UInt64 { try scalar(UInt64.self) }
    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    func decode(_: Int128.Type) throws -> Int128 { try scalar(Int128.self) }
    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    func decode(_: UInt128.Type) throws -> UInt128 { try scalar(UInt128.self) }
}
