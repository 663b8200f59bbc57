/// The values of a type's ignored properties, where decoding finds them in the place of fields.
///
/// They have the numbers below ``firstPosition``, and are at a fixed address as long as this object is there.
final class DefaultValues {
    /// The position of the first value: no field and no other mark of a ``SlotTable`` has it or one below it.
    private static let firstPosition = -3

    let names: [String]
    private let values: UnsafeMutableBufferPointer<Record.Value>

    /// Makes the values that fields would hold.
    ///
    /// - Parameters:
    ///   - values: The values by the names of the properties.
    ///   - options: The decoder that reads them.
    ///   - model: The type whose properties they are.
    /// - Throws: ``RecordError/invalidPropertyList(_:type:reason:)`` for a value that no field can hold.
    init(_ values: [String: any Encodable], _ options: RecordDecoder, of model: Any.Type) throws {
        names = values.keys.sorted()
        var encoded: [Record.Value] = []
        for name in names {
            do {
                encoded.append(try values[name].map { try Self.encode($0, options) } ?? .null)
            } catch {
                let reason = "the value of '\(name)' cannot be stored: \(error)"
                throw RecordError.invalidPropertyList("ignoredProperties", type: "\(model)", reason: reason)
            }
        }
        self.values = .allocate(capacity: encoded.count)
        _ = self.values.initialize(from: encoded)
    }

    deinit {
        values.deinitialize()
        values.deallocate()
    }

    func position(of name: String) -> Int? { names.firstIndex(of: name).map { Self.firstPosition - $0 } }

    /// The value at a position below all fields.
    subscript(position: Int) -> UnsafePointer<Record.Value> {
        let number = Self.firstPosition - position
        guard let start = values.baseAddress, values.indices.contains(number) else {
            preconditionFailure("position out of range")
        }
        return UnsafePointer(start + number)
    }

    private static func encode<Value: Encodable>(_ value: Value, _ options: RecordDecoder) throws -> Record.Value {
        if let value = (value as? any FieldScalar)?.fieldValue { return value }
        var encoder = RecordEncoder(matching: options)
        // The value is read from a single field.
        encoder.embeddingStrategy = .map
        return try EncodingSession(encoder: encoder).encode(field: value)
    }
}

extension EncodingSession {
    /// Encodes a value that is not in a record, and that holds no records.
    fileprivate func encode<Value: Encodable>(field value: Value) throws -> Record.Value {
        defer { dismantle() }
        let encoded = try encode(value)
        if let failure { throw failure }
        guard records.isEmpty else {
            let context = EncodingError.Context(codingPath: [], debugDescription: "it holds records")
            throw EncodingError.invalidValue(value, context)
        }
        return encoded
    }
}
