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
