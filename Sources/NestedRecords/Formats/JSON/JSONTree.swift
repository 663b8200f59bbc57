/// A JSON document as a list of its values, which point into its bytes: 12 bytes a value.
///
/// The tree holds every valid document of less than 4 GiB: also numbers that records cannot hold, and any depth. A
/// value comes before its elements, so the values of a subtree are neighbours. Several documents, one a line, are read
/// as a list.
package struct JSONTree: Sendable {
    /// One value.
    package struct Node: Sendable {
        /// The offset of the value's first byte.
        package let offset: UInt32

        /// The position of the next value that is not part of this one.
        package internal(set) var end: UInt32

        /// The position of the value's key in ``JSONTree/keys``; ``JSONTree/noKey`` outside of objects.
        package let key: UInt32
    }

    package enum Kind: Sendable {
        case null, bool, number, text, list, object
    }

    package static let noKey = UInt32.max

    package let bytes: [UInt8]

    /// The values; the first one is the list of all documents.
    package internal(set) var nodes: [Node] = []

    var table = KeyTable()

    /// Whether the bytes have several documents.
    package var isLines: Bool { nodes.count > 1 && Int(nodes[1].end) < nodes.count }

    /// The position of the document, or of the list of all documents.
    package var root: Int { isLines ? 0 : 1 }

    /// The keys of all objects, each once.
    package var keys: [String] { table.keys }

    /// The position of a key among the keys; nil if no object has it.
    package func key(_ text: String) -> UInt32? { text.withBytesInPlace { table.position(of: $0) } }

    package func kind(of node: Int) -> Kind {
        if node == 0 { return .list }
        return switch bytes[Int(nodes[node].offset)] {
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "["): .list
        case UInt8(ascii: "\""): .text
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
        case UInt8(ascii: "n"): .null
        default: .number
        }
    }

    /// The key of a member of an object; empty for other values.
    package func keyText(of node: Int) -> String {
        let key = nodes[node].key
        return key == Self.noKey ? "" : keys[Int(key)]
    }

    /// The positions of the elements or the members of a value.
    package func children(of node: Int) -> Children {
        Children(nodes: nodes, position: node + 1, end: Int(nodes[node].end))
    }

    /// The member of an object with a key; nil if there is none.
    package func member(_ key: UInt32, of node: Int) -> Int? {
        var next = node + 1
        let end = Int(nodes[node].end)
        while next < end {
            if nodes[next].key == key { return next }
            next = Int(nodes[next].end)
        }
        return nil
    }

    /// The line and the column of a value.
    package func place(of node: Int) -> JSONPlace {
        bytes.withBytesInPlace { JSONPlace(of: Int(nodes[node].offset), in: $0) }
    }

    package struct Children: Sequence, IteratorProtocol {
        fileprivate let nodes: [Node]
        fileprivate var position: Int
        fileprivate let end: Int

        @inline(__always)
        package mutating func next() -> Int? {
            guard position < end else { return nil }
            defer { position = Int(nodes[position].end) }
            return position
        }
    }
}

// MARK: Scalars

extension JSONTree {
    /// The content of a string.
    package func text(of node: Int) -> String {
        bytes.withBytesInPlace { bytes in
            var cursor = JSONCursor(bytes, mayHaveMark: false)
            cursor.position = Int(nodes[node].offset)
            return (try? cursor.text()) ?? ""
        }
    }

    package func bool(of node: Int) -> Bool { bytes[Int(nodes[node].offset)] == UInt8(ascii: "t") }

    /// The nearest number of a record, and whether it is printed with the same characters; nil if none is near.
    package func number(of node: Int) -> (value: Record.Value, isExact: Bool)? {
        bytes.withBytesInPlace { bytes in
            var cursor = JSONCursor(bytes, mayHaveMark: false)
            let start = Int(nodes[node].offset)
            cursor.position = start
            if case .integer(let value)? = try? cursor.number() { return (.int(value), true) }
            cursor.position = start
            try? cursor.skipNumber()
            let source = bytes.part(start..<cursor.position)
            let text = source.repairedString
            guard let value = Double(text), value.isFinite else { return nil }
            let digits = text.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }
            if value == 0, digits.contains(where: { (0x31...0x39).contains($0) }) { return nil }
            return (.double(value), value.description.hasSameBytes(as: source))
        }
    }

    /// The JSON text of a value without white space between its parts, or of what comes before one of the parts.
    package func json(of node: Int, before part: Int? = nil) -> String {
        var text: [UInt8] = []
        var position = Int(nodes[node].offset)
        let end = part.map { Int(nodes[$0].offset) } ?? endOffset(of: node)
        while position < end {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            case UInt8(ascii: "\""):
                let next = endOfString(at: position)
                text += bytes[position..<next]
                position = next
            default:
                text.append(bytes[position])
                position += 1
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
