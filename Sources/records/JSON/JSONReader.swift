/// Reads JSON as RFC 8259 defines it, with the place of every value.
///
/// Beyond the grammar it refuses what cannot be kept: integers beyond 64 bits, numbers beyond a Double, a key that
/// stands twice in an object, halves of surrogate pairs, and nesting beyond a limit. Keys are remembered from one
/// document to the next, so that objects of one shape share them; so one reader should read many lines.
struct JSONReader: Sendable {
    /// How many lists and objects may stand in each other.
    static let maximumDepth = 512

    private var keys = JSONKeys()

    /// The values of the lists and objects that are open, one behind the other.
    private var values: [JSONValue] = []

    /// The lists and objects that are open, the innermost last.
    private var open: [Container] = []

    /// A list or an object whose end has not been read.
    private struct Container {
        /// Where it begins in the document.
        let offset: Int

        /// Where its values begin among those of all open containers.
        let start: Int

        /// The keys so far; nil in a list.
        var keys: JSONKeys.Sequence?
    }

    /// Reads a document.
    ///
    /// - Parameter bytes: One value in UTF-8, with white space around it and a byte-order mark before it, or without.
    /// - Returns: The value.
    /// - Throws: ``JSONError`` for the first thing that is wrong.
    mutating func value(in bytes: UnsafeRawBufferPointer) throws -> JSONValue {
        do {
            return try value(at: JSONCursor(bytes))
        } catch let fault as JSONFault {
            throw fault.error(in: bytes)
        }
    }

    /// Reads the document that begins at a cursor.
    ///
    /// - Parameter cursor: The position; what stands before it is not looked at.
    /// - Returns: The value.
    /// - Throws: ``JSONFault`` for the first thing that is wrong.
    mutating func value(at cursor: JSONCursor) throws -> JSONValue {
        values.removeAll(keepingCapacity: true)
        open.removeAll(keepingCapacity: true)
        var cursor = cursor
        return try document(&cursor)
    }

    /// Reads a document.
    ///
    /// - Parameter bytes: One value in UTF-8.
    /// - Returns: The value.
    /// - Throws: ``JSONError`` for the first thing that is wrong.
    mutating func value(in bytes: [UInt8]) throws -> JSONValue {
        try bytes.withUnsafeBytes { try value(in: $0) }
    }

    // Without recursion: the limit on nesting says nothing of the caller's stack.
    private mutating func document(_ cursor: inout JSONCursor) throws -> JSONValue {
        while true {
            guard var value = try beginning(&cursor) else { continue }
            while let last = open.indices.last {
                // Looked at in place: a copy of the container would have its keys copied when one is added.
                let isObject = open[last].keys != nil
                let byte = cursor.skipSpace()
                if byte == UInt8(ascii: ",") {
                    values.append(value)
                    cursor.position += 1
                    if isObject { try key(&cursor) }
                    break
                }
                guard byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                    throw cursor.unexpected(isObject ? "',' or '}' in the object" : "',' or ']' in the list")
                }
                values.append(value)
                value = close(&cursor)
            }
            guard open.isEmpty else { continue }
            guard cursor.skipSpace() == 0, cursor.position == cursor.bytes.count else {
                throw cursor.unexpected("the end of the document")
            }
            return value
        }
    }

    /// Reads a value, or opens a list or an object that is not empty.
    ///
    /// - Returns: The value; nil if its first element comes next.
    @inline(__always)
    private mutating func beginning(_ cursor: inout JSONCursor) throws -> JSONValue? {
        let byte = cursor.skipSpace()
        let offset = cursor.position
        switch byte {
        case UInt8(ascii: "\""):
            return JSONValue(.text(try cursor.text()), at: offset)
        case UInt8(ascii: "-"), 0x30...0x39:
            return JSONValue(try cursor.number(), at: offset)
        case UInt8(ascii: "{"):
            try enter(Container(offset: offset, start: values.count, keys: keys.none), &cursor)
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

    private mutating func enter(_ container: Container, _ cursor: inout JSONCursor) throws {
        guard open.count < Self.maximumDepth else {
            let reason = "found more than \(Self.maximumDepth) lists and objects in each other, expected fewer"
            throw JSONFault(reason: reason, offset: cursor.position)
        }
        open.append(container)
        cursor.position += 1
    }

    /// Reads a key and the colon behind it.
    @inline(__always)
    private mutating func key(_ cursor: inout JSONCursor) throws {
        guard cursor.skipSpace() == UInt8(ascii: "\"") else { throw cursor.unexpected("a key in quotes") }
        try keys.read(&cursor, into: &open[open.count - 1].keys)
        guard cursor.skipSpace() == UInt8(ascii: ":") else { throw cursor.unexpected("':' behind the key") }
        cursor.position += 1
    }

    /// Ends the innermost container.
    private mutating func close(_ cursor: inout JSONCursor) -> JSONValue {
        cursor.position += 1
        let container = open.removeLast()
        let contents = Array(values[container.start...])
        values.removeSubrange(container.start...)
        guard let sequence = container.keys else { return JSONValue(.array(contents), at: container.offset) }
        let object = JSONObject(keys: keys.keys(of: sequence), values: contents)
        return JSONValue(.object(object), at: container.offset)
    }
}
