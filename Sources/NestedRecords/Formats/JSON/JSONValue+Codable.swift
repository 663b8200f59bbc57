/// A document as any coder reads and writes it, with the members of objects sorted by their keys and without offsets.
extension JSONValue: Codable {
    package init(from decoder: any Decoder) throws {
        self = try Self.coding(at: decoder.codingPath) {
            try JSONValue(read: decoder)
        } orThrow: {
            DecodingError.dataCorrupted(DecodingError.Context(codingPath: decoder.codingPath, debugDescription: $0))
        }
    }

    private init(read decoder: any Decoder) throws {
        if let scalar = Self.scalar(from: decoder) {
            self.init(scalar)
        } else if var list = try? decoder.unkeyedContainer() {
            var values: [JSONValue] = []
            while !list.isAtEnd { values.append(try list.decode(JSONValue.self)) }
            self.init(.array(values))
        } else {
            let container = try decoder.container(keyedBy: PathKey.self)
            let keys = container.allKeys.sorted { $0.stringValue < $1.stringValue }
            let values = try keys.map { try container.decode(JSONValue.self, forKey: $0) }
            self.init(.object(JSONObject(keys: keys.map(\.stringValue), values: values)))
        }
    }

    // The most frequent kinds first: a decoder throws at each wrong guess.
    private static func scalar(from decoder: any Decoder) -> Content? {
        guard let container = try? decoder.singleValueContainer() else { return nil }
        if container.decodeNil() { return .null }
        if let value = try? container.decode(String.self) { return .text(value) }
        if let value = try? container.decode(Int64.self) {
            // Most decoders read a negative zero as an integer.
            if value == 0, let zero = try? container.decode(Double.self), zero.sign == .minus {
                return .number(zero)
            }
            return .integer(value)
        }
        if let value = try? container.decode(Double.self), value.isFinite { return .number(value) }
        if let value = try? container.decode(Bool.self) { return .bool(value) }
        return nil
    }

    package func encode(to encoder: any Encoder) throws {
        try Self.coding(at: encoder.codingPath) {
            try write(to: encoder)
        } orThrow: {
            EncodingError.invalidValue(
                self, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: $0))
        }
    }

    private func write(to encoder: any Encoder) throws {
        switch content {
        case .array(let values):
            var list = encoder.unkeyedContainer()
            for value in values { try list.encode(value) }
        case .object(let object):
            var container = encoder.container(keyedBy: PathKey.self)
            for (key, value) in zip(object.keys, object.values) {
                try container.encode(value, forKey: PathKey(stringValue: key))
            }
        case .null: try Self.encode(String?.none, to: encoder)
        case .bool(let value): try Self.encode(value, to: encoder)
        case .integer(let value): try Self.encode(value, to: encoder)
        case .number(let value): try Self.encode(value, to: encoder)
        case .text(let value): try Self.encode(value, to: encoder)
        }
    }

    private static func encode(_ value: some Encodable, to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }

    /// Coders recurse into each level, which a small stack has no room for.
    private static func coding<Result>(
        at path: [any CodingKey], _ body: () throws -> Result, orThrow error: (String) -> any Error
    ) throws -> Result {
        if path.count > JSONReader.maximumDepth {
            throw error(JSONReader.reason(againstDepth: JSONReader.maximumDepth))
        }
        return path.count % 64 == 63 ? try DeepRecursion.runInNewThread(body) : try body()
    }
}
