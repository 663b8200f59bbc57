// A document as seen by any decoder. Its offsets are numbers of the values: they identify each value, and ascend in the
// order in which containers and their elements follow each other.

extension JSONValue {
    /// Reads the value of any decoder, with the members of objects sorted by their keys.
    ///
    /// Deeper nesting is refused, since releasing a value takes a stack frame for each level.
    init(from decoder: any Decoder, maximumDepth: Int) throws {
        var count = 0
        // Without recursion: a document may be nested more deeply than any stack allows.
        var open: [OpenValue] = []
        var next = decoder
        while true {
            let offset = count
            count += 1
            if let scalar = Self.scalar(from: next) {
                guard let last = open.indices.last else {
                    self = JSONValue(scalar, at: offset)
                    return
                }
                open[last].values.append(JSONValue(scalar, at: offset))
            } else {
                guard open.count < maximumDepth else {
                    throw DecodingError.dataCorrupted(
                        DecodingError.Context(
                            codingPath: next.codingPath, debugDescription: JSONReader.reason(againstDepth: maximumDepth)
                        ))
                }
                open.append(try OpenValue(from: next, at: offset))
            }
            while let last = open.indices.last {
                if let element = try open[last].nextElement() {
                    next = element
                    break
                }
                let value = open.removeLast().value
                guard last > 0 else {
                    self = value
                    return
                }
                open[last - 1].values.append(value)
            }
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
        if let value = try? container.decode(Double.self) { return .number(value) }
        if let value = try? container.decode(Bool.self) { return .bool(value) }
        return nil
    }
}

/// A list or an object that is partly read.
private struct OpenValue {
    private enum Elements {
        case list(any UnkeyedDecodingContainer)
        case object(KeyedDecodingContainer<PathKey>, keys: [PathKey])
    }

    private var elements: Elements
    private let offset: Int
    var values: [JSONValue] = []

    init(from decoder: any Decoder, at offset: Int) throws {
        self.offset = offset
        if let list = try? decoder.unkeyedContainer() {
            elements = .list(list)
            return
        }
        let container = try decoder.container(keyedBy: PathKey.self)
        let keys = container.allKeys.sorted { $0.stringValue < $1.stringValue }
        for (key, next) in zip(keys, keys.dropFirst()) where key.stringValue == next.stringValue {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: container, debugDescription: "found the key '\(key.stringValue)' twice")
        }
        elements = .object(container, keys: keys)
    }

    /// The decoder of the next element; nil after the last one.
    mutating func nextElement() throws -> (any Decoder)? {
        switch elements {
        case .list(var list):
            if list.isAtEnd { return nil }
            defer { elements = .list(list) }
            return try list.superDecoder()
        case .object(let container, let keys):
            return values.count < keys.count ? try container.superDecoder(forKey: keys[values.count]) : nil
        }
    }

    var value: JSONValue {
        switch elements {
        case .list: JSONValue(.array(values), at: offset)
        case .object(_, let keys):
            JSONValue(.object(JSONObject(keys: keys.map(\.stringValue), values: values)), at: offset)
        }
    }
}
