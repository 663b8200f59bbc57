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
