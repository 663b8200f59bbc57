// A document as any decoder sees it. Offsets number the values here: they identify each value, and ascend in the order
// in which containers and their elements follow each other.

extension JSONValue {
    /// Reads what a decoder has.
    ///
    /// - Parameter decoder: Any decoder. Objects come in the order of their keys.
    /// - Throws: What the decoder throws, and `DecodingError` for a key that an object has twice.
    init(from decoder: any Decoder) throws {
        var count = 0
        self = try Unnumbered(from: decoder).value.numbered(&count)
    }

    private func numbered(_ count: inout Int) -> JSONValue {
        let offset = count
        count += 1
        switch content {
        case .array(let values): return JSONValue(.array(values.map { $0.numbered(&count) }), at: offset)
        case .object(let object):
            let values = object.values.map { $0.numbered(&count) }
            return JSONValue(.object(JSONObject(object.names, values: values)), at: offset)
        default: return JSONValue(content, at: offset)
        }
    }

    private struct Unnumbered: Decodable {
        let value: JSONValue

        init(from decoder: any Decoder) throws {
            if let scalar = Self.scalar(from: decoder) {
                value = JSONValue(scalar)
            } else if var list = try? decoder.unkeyedContainer() {
                var values: [JSONValue] = []
                while !list.isAtEnd { values.append(try list.decode(Unnumbered.self).value) }
                value = JSONValue(.array(values))
            } else {
                let container = try decoder.container(keyedBy: PathKey.self)
                let keys = container.allKeys.sorted { $0.stringValue < $1.stringValue }
                for (key, next) in zip(keys, keys.dropFirst()) where key.stringValue == next.stringValue {
                    throw DecodingError.dataCorruptedError(
                        forKey: key, in: container, debugDescription: "found the key '\(key.stringValue)' twice")
                }
                let values = try keys.map { try container.decode(Unnumbered.self, forKey: $0).value }
                value = JSONValue(.object(JSONObject(keys: keys.map(\.stringValue), values: values)))
            }
        }

        // The most frequent kinds first: a decoder throws at each wrong guess.
        private static func scalar(from decoder: any Decoder) -> Content? {
            guard let container = try? decoder.singleValueContainer() else { return nil }
            if container.decodeNil() { return .null }
            if let value = try? container.decode(String.self) { return .text(value) }
            if let value = try? container.decode(Int64.self) {
                // Most decoders take a negative zero for an integer.
                if value == 0, let zero = try? container.decode(Double.self), zero.sign == .minus {
                    return .number(zero)
                }
                return .integer(value)
            }
            if let value = try? container.decode(Double.self) { return .number(value) }
            if let value = try? container.decode(Bool.self) { return .bool(value) }
            return nil
        }
    }
}
