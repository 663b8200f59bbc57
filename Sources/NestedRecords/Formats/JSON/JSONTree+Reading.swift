extension JSONTree {
    /// Reads a document, or several documents with a line break between them.
    ///
    /// - Throws: ``JSONError`` for the first error of syntax, also for half of a surrogate pair and for a key that an
    ///   object has twice.
    package init(_ bytes: [UInt8]) throws {
        self.bytes = bytes
        try bytes.withBytesInPlace { bytes in
            do {
                guard bytes.count < Int(UInt32.max) else {
                    throw JSONFault(reason: "found 4 GiB, expected less", offset: 0)
                }
                try read(bytes)
            } catch let fault as JSONFault {
                throw fault.placed(in: bytes)
            }
        }
    }

    private mutating func read(_ bytes: BytesInPlace) throws(JSONFault) {
        // Most documents have a value for every 16 to 24 bytes.
        nodes.reserveCapacity(bytes.count / 20 + 16)
        nodes.append(Node(offset: 0, end: 0, key: Self.noKey))
        var cursor = JSONCursor(bytes)
        var open: [Int] = []
        var seen: [UInt32] = []
        var key = Self.noKey
        while true {
            let isOpened = try begin(&cursor, key)
            if isOpened { open.append(nodes.count - 1) }
            var isComplete = !isOpened
            while let last = open.last {
                let isObject = bytes[Int(nodes[last].offset)] == UInt8(ascii: "{")
                let byte = cursor.skipSpace()
                if byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")), isComplete || nodes.count == last + 1 {
                    cursor.position += 1
                    open.removeLast()
                    nodes[last].end = UInt32(nodes.count)
                    if isObject { try expectDistinctKeys(of: last, &seen, cursor) }
                    isComplete = true
                    continue
                }
                if isComplete {
                    guard byte == UInt8(ascii: ",") else {
                        throw cursor.unexpected(isObject ? "',' or '}' in the object" : "',' or ']' in the list")
                    }
                    cursor.position += 1
                }
                key = isObject ? try self.key(&cursor) : Self.noKey
                break
            }
            guard open.isEmpty else { continue }
            let end = cursor.position
            key = Self.noKey
            if cursor.skipSpace() == 0, cursor.position == bytes.count { break }
            guard bytes.part(end..<cursor.position).contains(0x0A) else {
                throw cursor.unexpected("the end of the document")
            }
        }
        nodes[0].end = UInt32(nodes.count)
    }

    /// Reads a scalar, or the beginning of a list or an object; returns whether elements may follow.
    @inline(__always)
    private mutating func begin(_ cursor: inout JSONCursor, _ key: UInt32) throws(JSONFault) -> Bool {
        let byte = cursor.skipSpace()
        nodes.append(Node(offset: UInt32(cursor.position), end: UInt32(nodes.count + 1), key: key))
        switch byte {
        case UInt8(ascii: "\""): try Self.skipText(&cursor)
        case UInt8(ascii: "-"), 0x30...0x39: try cursor.skipNumber()
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            cursor.position += 1
            return true
        case UInt8(ascii: "t") where cursor.pass("true"): break
        case UInt8(ascii: "f") where cursor.pass("false"): break
        case UInt8(ascii: "n") where cursor.pass("null"): break
        default: throw cursor.unexpected("a value")
        }
        return false
    }

    /// Skips a string; returns whether it has only ASCII and no escapes.
    @inline(__always)
    @discardableResult
    private static func skipText(_ cursor: inout JSONCursor) throws(JSONFault) -> Bool {
        let start = cursor.position
        if try cursor.skipPlain(from: start + 1), cursor.current == UInt8(ascii: "\"") {
            cursor.position += 1
            return true
        }
        cursor.position = start
        _ = try cursor.text()
        return false
    }

    private mutating func key(_ cursor: inout JSONCursor) throws(JSONFault) -> UInt32 {
        guard cursor.skipSpace() == UInt8(ascii: "\"") else { throw cursor.unexpected("a key in quotes") }
        let start = cursor.position
        let position: UInt32
        if try Self.skipText(&cursor) {
            position = table.add(cursor.bytes.part(start + 1..<cursor.position - 1))
        } else {
            cursor.position = start
            position = try cursor.text().withBytesInPlace { table.add($0) }
        }
        guard cursor.skipSpace() == UInt8(ascii: ":") else { throw cursor.unexpected("':' after the key") }
        cursor.position += 1
        return position
    }

    /// Throws if an object has a key twice; `seen` has the last object of each key.
    private func expectDistinctKeys(of object: Int, _ seen: inout [UInt32], _ cursor: JSONCursor) throws(JSONFault) {
        if seen.count < keys.count { seen += repeatElement(0, count: 2 * keys.count - seen.count) }
        var next = object + 1
        while next < nodes.count {
            let key = Int(nodes[next].key)
            guard seen[key] != UInt32(object) else {
                throw JSONFault(
                    reason: "found the key '\(keys[key])' again, expected each key of an object once",
                    offset: offsetOfKey(before: Int(nodes[next].offset)))
            }
            seen[key] = UInt32(object)
            next = Int(nodes[next].end)
        }
    }

    /// The offset of the key of a value: a quote in a key has a backslash before it, the first quote has none.
    func offsetOfKey(before offset: Int) -> Int {
        var position = offset - 1
        while position > 0, bytes[position] != UInt8(ascii: "\"") { position -= 1 }
        repeat {
            position -= 1
        } while position > 0
            && (bytes[position] != UInt8(ascii: "\"") || bytes[position - 1] == UInt8(ascii: "\\"))
        return max(0, position)
    }
}
