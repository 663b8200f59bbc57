extension JSONWriter {
    /// Writes a value with its elements; its numbers must be finite, as in every value that was read.
    package mutating func write(_ value: JSONValue) {
        // Without recursion: values may be nested more deeply than a stack holds.
        var open: [(keys: [String]?, rest: ArraySlice<JSONValue>)] = []
        var next: JSONValue? = value
        while true {
            if let value = next {
                switch value.content {
                case .array(let values):
                    beginList()
                    open.append((nil, values[...]))
                case .object(let object):
                    beginObject()
                    open.append((object.keys, object.values[...]))
                case .null: writeNull()
                case .bool(let value): write(value)
                case .integer(let value): write(value)
                case .number(let value): write(value)
                case .text(let value): write(value)
                }
            }
            guard let last = open.indices.last else { return }
            let keys = open[last].keys
            if let keys, let position = open[last].rest.indices.first { writeKey(keys[position]) }
            next = open[last].rest.popFirst()
            guard next == nil else { continue }
            open.removeLast()
            if keys == nil { endList() } else { endObject() }
        }
    }
}

extension JSONReader {
    package mutating func value(in bytes: [UInt8]) throws -> JSONValue {
        try bytes.withBytesInPlace { try value(in: $0) }
    }
}
