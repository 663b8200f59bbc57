/// Reads JSON as RFC 8259 defines it, with the offset of every value.
///
/// It also refuses JSON that records cannot hold: integers beyond 64 bits, numbers beyond a Double, repeated keys of an
/// object, halves of surrogate pairs, and nesting beyond a limit. The storage for one document is reused for the next,
/// so use one reader for many lines.
package struct JSONReader: Sendable {
    package static let maximumDepth = 512
    private let maximumDepth: Int
    private var values: [JSONValue] = []
    private var open: [Container] = []

    private struct Container {
        let offset: Int
        let start: Int

        /// The keys so far; nil in a list.
        var keys: NameList?
    }

    package init(maximumDepth: Int = Self.maximumDepth) {
        self.maximumDepth = maximumDepth
    }

    /// Reads one value, optionally with white space around it and a byte-order mark before it; throws a ``JSONError``.
    package mutating func value(in bytes: BytesInPlace) throws -> JSONValue {
        do {
            return try value(at: JSONCursor(bytes))
        } catch {
            throw error.placed(in: bytes)
        }
    }

    /// Reads the document that begins at a cursor.
    ///
    /// Without recursion: the nesting limit is independent of the caller's stack.
    mutating func value(at cursor: JSONCursor) throws(JSONFault) -> JSONValue {
        values.removeAll(keepingCapacity: true)
        open.removeAll(keepingCapacity: true)
        var cursor = cursor
        while true {
            guard var value = try beginning(&cursor) else { continue }
            while let last = open.indices.last {
                values.append(value)
                // In place: a copy of the container would cause a copy of its keys when one is added.
                let isObject = open[last].keys != nil
                let byte = cursor.skipSpace()
                if byte == UInt8(ascii: ",") {
                    cursor.position += 1
                    if isObject { try key(&cursor) }
                    break
                }
                guard byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                    throw cursor.unexpected(isObject ? "',' or '}' in the object" : "',' or ']' in the list")
                }
                value = close(&cursor)
            }
            guard open.isEmpty else { continue }
            guard cursor.skipSpace() == 0, cursor.position == cursor.bytes.count else {
                throw cursor.unexpected("the end of the document")
            }
            return value
        }
    }

    /// Reads a value, or opens a list or an object that is not empty; nil if its first element follows.
    @inline(__always)
    private mutating func beginning(_ cursor: inout JSONCursor) throws(JSONFault) -> JSONValue? {
        let byte = cursor.skipSpace()
        let offset = cursor.position
        switch byte {
        case UInt8(ascii: "\""):
            return JSONValue(.text(try cursor.text()), at: offset)
        case UInt8(ascii: "-"), 0x30...0x39:
            return JSONValue(try cursor.number(), at: offset)
        case UInt8(ascii: "{"):
            try enter(Container(offset: offset, start: values.count, keys: NameList()), &cursor)
            if cursor.skipSpace() == UInt8(ascii: "}") { return close(&cursor) }
            try key(&cursor)
            return nil
        case UInt8(ascii: "["):
            try enter(Container(offset: offset, start: values.count, keys: nil), &cursor)
            return cursor.skipSpace() == UInt8(ascii: "]") ? close(&cursor) : nil
        case UInt8(ascii: "t") where cursor.pass("true"): return JSONValue(.bool(true), at: offset)
        case UInt8(ascii: "f") where cursor.pass("false"): return JSONValue(.bool(false), at: offset)
        case UInt8(ascii: "n") where cursor.pass("null"): return JSONValue(.null, at: offset)
        default: throw cursor.unexpected("a value")
        }
    }

    static func reason(againstDepth limit: Int) -> String {
        "found more than \(limit) nested lists and objects, expected fewer"
    }

    private mutating func enter(_ container: Container, _ cursor: inout JSONCursor) throws(JSONFault) {
        guard open.count < maximumDepth else {
            throw JSONFault(reason: Self.reason(againstDepth: maximumDepth), offset: cursor.position)
        }
        open.append(container)
        cursor.position += 1
    }

    @inline(__always)
    private mutating func key(_ cursor: inout JSONCursor) throws(JSONFault) {
        guard cursor.skipSpace() == UInt8(ascii: "\"") else { throw cursor.unexpected("a key in quotes") }
        let offset = cursor.position
        let key = try cursor.text()
        let last = open.count - 1
        // Equality of Swift's strings: a record takes canonically equivalent names as one.
        if open[last].keys?.position(of: key) != nil {
            throw JSONFault(reason: "found the key '\(key)' again, expected each key of an object once", offset: offset)
        }
        open[last].keys?.append(key)
        guard cursor.skipSpace() == UInt8(ascii: ":") else { throw cursor.unexpected("':' after the key") }
        cursor.position += 1
    }

    private mutating func close(_ cursor: inout JSONCursor) -> JSONValue {
        cursor.position += 1
        let container = open.removeLast()
        let contents = Array(values[container.start...])
        values.removeSubrange(container.start...)
        guard let keys = container.keys else { return JSONValue(.array(contents), at: container.offset) }
        return JSONValue(.object(JSONObject(FieldNames(keys), values: contents)), at: container.offset)
    }
}

// MARK: Faults

extension JSONReader {
    var path: [PathKey] {
        open.indices.compactMap { level in
            let count = values(ofLevel: level).count
            guard let names = open[level].keys?.names else { return PathKey(index: count) }
            return count < names.count ? PathKey(stringValue: names[count]) : nil
        }
    }

    func outermostValue(of key: String) -> JSONValue? {
        guard let position = open.first?.keys?.position(of: key) else { return nil }
        let values = values(ofLevel: 0)
        return position < values.count ? values[position] : nil
    }

    private func values(ofLevel level: Int) -> ArraySlice<JSONValue> {
        values[open[level].start..<(level + 1 < open.count ? open[level + 1].start : values.count)]
    }
}

extension JSONValue {
    func path(to offset: Int) -> [PathKey] {
        var path: [PathKey] = []
        var value = self
        while value.offset != offset {
            let (keys, elements): ([String]?, [JSONValue])
            switch value.content {
            case .array(let values): (keys, elements) = (nil, values)
            case .object(let object): (keys, elements) = (object.keys, object.values)
            default: return path
            }
            guard let position = elements.lastIndex(where: { $0.offset <= offset }) else { return path }
            path.append(keys.map { PathKey(stringValue: $0[position]) } ?? PathKey(index: position))
            value = elements[position]
        }
        return path
    }
}
