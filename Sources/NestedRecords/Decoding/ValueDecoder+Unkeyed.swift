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
