extension ValueDecoder {
    /// Reads the fields of a level.
    ///
    /// It holds only the level: the standard library copies a container for every call.
    struct KeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let level: DecodingLevel

        var codingPath: [any CodingKey] { level.codingPath }
        var allKeys: [Key] { level.keys(of: Key.self) }

        func contains(_ key: Key) -> Bool { level.position(of: key) != nil || level.embeddedFields(of: key) != nil }

        func decodeNil(forKey key: Key) throws -> Bool {
            if level.position(of: key) == nil, level.embeddedFields(of: key) != nil { return false }
            if case .null = level.field(at: try level.requiredPosition(of: key)).pointee { return true }
            return false
        }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            guard let position = level.position(of: key) else { return try level.decodeAbsent(type, forKey: key) }
            let field = level.field(at: position)
            level.enter(key)
            defer { level.hasKey = false }
            return try level.decodingNested { try level.session.decoder(of: type).decode(at: field, in: level.session) }
        }

        func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
            guard let position = level.position(of: key), Value.self != Record.Metadata.self || !level.isOwnRecord
            else {
                guard level.decodesAbsent(type, forKey: key) else { return nil }
                return try level.decodeAbsent(type, forKey: key)
            }
            let field = level.field(at: position)
            if case .null = field.pointee { return nil }
            level.enter(key)
            defer { level.hasKey = false }
            return try level.decodingNested {
                try level.session.decoder(of: type).decodeUnlessDangling(at: field, in: level.session)
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
            level.session.learn(PathKey.super.stringValue, of: level.recordID, includingLinks: false)
            let child = try level.makeSuperChild()
            child.level.facts = level.facts
            return child
        }

        func superDecoder(forKey key: Key) throws -> any Decoder {
            let child = try nestedDecoder(forKey: key)
            child.level.facts = level.facts
            return child
        }

        private func nestedDecoder(forKey key: Key) throws -> ValueDecoder {
            try level.makeEmbeddedChild(key: key)
                ?? level.makeChild(level.field(at: try level.requiredPosition(of: key)).pointee, key: key)
        }
    }
}

// MARK: Primitives, without the way through the funnel

extension ValueDecoder.KeyedContainer {
    func decode(_: Bool.Type, forKey key: Key) throws -> Bool { try level.decodeScalar(Bool.self, forKey: key) }
    func decode(_: String.Type, forKey key: Key) throws -> String { try level.decodeScalar(String.self, forKey: key) }
    func decode(_: Double.Type, forKey key: Key) throws -> Double { try level.decodeScalar(Double.self, forKey: key) }
    func decode(_: Float.Type, forKey key: Key) throws -> Float { try level.decodeScalar(Float.self, forKey: key) }
    func decode(_: Int.Type, forKey key: Key) throws -> Int { try level.decodeScalar(Int.self, forKey: key) }
    func decode(_: Int8.Type, forKey key: Key) throws -> Int8 { try level.decodeScalar(Int8.self, forKey: key) }
    func decode(_: Int16.Type, forKey key: Key) throws -> Int16 { try level.decodeScalar(Int16.self, forKey: key) }
    func decode(_: Int32.Type, forKey key: Key) throws -> Int32 { try level.decodeScalar(Int32.self, forKey: key) }
    func decode(_: Int64.Type, forKey key: Key) throws -> Int64 { try level.decodeScalar(Int64.self, forKey: key) }
    func decode(_: UInt.Type, forKey key: Key) throws -> UInt { try level.decodeScalar(UInt.self, forKey: key) }
    func decode(_: UInt8.Type, forKey key: Key) throws -> UInt8 { try level.decodeScalar(UInt8.self, forKey: key) }
    func decode(_: UInt16.Type, forKey key: Key) throws -> UInt16 { try level.decodeScalar(UInt16.self, forKey: key) }
    func decode(_: UInt32.Type, forKey key: Key) throws -> UInt32 { try level.decodeScalar(UInt32.self, forKey: key) }
    func decode(_: UInt64.Type, forKey key: Key) throws -> UInt64 { try level.decodeScalar(UInt64.self, forKey: key) }
    func decode(_: Int128.Type, forKey key: Key) throws -> Int128 { try level.decodeScalar(Int128.self, forKey: key) }
    func decode(_: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try level.decodeScalar(UInt128.self, forKey: key)
    }

    func decodeIfPresent(_: Bool.Type, forKey key: Key) throws -> Bool? {
        try level.decodeScalarIfPresent(Bool.self, forKey: key)
    }
    func decodeIfPresent(_: String.Type, forKey key: Key) throws -> String? {
        try level.decodeScalarIfPresent(String.self, forKey: key)
    }
    func decodeIfPresent(_: Double.Type, forKey key: Key) throws -> Double? {
        try level.decodeScalarIfPresent(Double.self, forKey: key)
    }
    func decodeIfPresent(_: Float.Type, forKey key: Key) throws -> Float? {
        try level.decodeScalarIfPresent(Float.self, forKey: key)
    }
    func decodeIfPresent(_: Int.Type, forKey key: Key) throws -> Int? {
        try level.decodeScalarIfPresent(Int.self, forKey: key)
    }
    func decodeIfPresent(_: Int8.Type, forKey key: Key) throws -> Int8? {
        try level.decodeScalarIfPresent(Int8.self, forKey: key)
    }
    func decodeIfPresent(_: Int16.Type, forKey key: Key) throws -> Int16? {
        try level.decodeScalarIfPresent(Int16.self, forKey: key)
    }
    func decodeIfPresent(_: Int32.Type, forKey key: Key) throws -> Int32? {
        try level.decodeScalarIfPresent(Int32.self, forKey: key)
    }
    func decodeIfPresent(_: Int64.Type, forKey key: Key) throws -> Int64? {
        try level.decodeScalarIfPresent(Int64.self, forKey: key)
    }
    func decodeIfPresent(_: UInt.Type, forKey key: Key) throws -> UInt? {
        try level.decodeScalarIfPresent(UInt.self, forKey: key)
    }
    func decodeIfPresent(_: UInt8.Type, forKey key: Key) throws -> UInt8? {
        try level.decodeScalarIfPresent(UInt8.self, forKey: key)
    }
    func decodeIfPresent(_: UInt16.Type, forKey key: Key) throws -> UInt16? {
        try level.decodeScalarIfPresent(UInt16.self, forKey: key)
    }
    func decodeIfPresent(_: UInt32.Type, forKey key: Key) throws -> UInt32? {
        try level.decodeScalarIfPresent(UInt32.self, forKey: key)
    }
    func decodeIfPresent(_: UInt64.Type, forKey key: Key) throws -> UInt64? {
        try level.decodeScalarIfPresent(UInt64.self, forKey: key)
    }
    func decodeIfPresent(_: Int128.Type, forKey key: Key) throws -> Int128? {
        try level.decodeScalarIfPresent(Int128.self, forKey: key)
    }
    func decodeIfPresent(_: UInt128.Type, forKey key: Key) throws -> UInt128? {
        try level.decodeScalarIfPresent(UInt128.self, forKey: key)
    }
}
