/// The keys of the objects that were read, as a tree: a node stands for all keys from the root to it.
///
/// Most objects repeat the keys of one before them. So the next key is mostly the one that came next the last time,
/// and comparing it with the bytes of the document is all there is to do. Objects that the tree would grow for
/// without end, such as dictionaries, have keys of their own.
struct JSONKeys: Sendable {
    /// The keys of an object so far.
    enum Sequence: Sendable {
        case node(Int)
        case own(OwnKeys)
    }

    /// The keys of an object that is not in the tree.
    struct OwnKeys: Sendable {
        var keys: [String]
        var seen: Set<String>
    }

    private struct Node: Sendable {
        let key: String
        let parent: Int
        let depth: Int
        /// Where the key stands in ``JSONKeys/text``; nil for one that no document has without escapes.
        let bytes: Range<Int>?
        var children: [Int] = []
        /// The child that was gone to last.
        var next = -1
        /// The keys from the root to here, once an object has ended here.
        var keys: [String]?
    }

    private static let mostNodes = 4_096
    private static let mostChildren = 32
    private static let mostKeys = 64

    private var nodes = [Node(key: "", parent: -1, depth: 0, bytes: nil, keys: [])]
    private var text: [UInt8] = []

    /// No keys.
    var none: Sequence { .node(0) }

    /// Reads a key that is new in its object, its quotes included.
    ///
    /// - Parameters:
    ///   - cursor: The document; it stands at the first quote and goes behind the last one.
    ///   - sequence: The object's keys, to which the new one is added.
    /// - Throws: ``JSONFault`` for what no text may be, and for a key that is not new.
    @inline(__always)
    mutating func read(_ cursor: inout JSONCursor, into sequence: inout Sequence?) throws {
        if case .node(let position) = sequence {
            let next = nodes[position].next
            if next >= 0, let length = length(of: next, at: cursor) {
                cursor.position += length
                sequence = .node(next)
                return
            }
        }
        try readUnpredicted(&cursor, into: &sequence)
    }

    /// All keys of an object.
    mutating func keys(of sequence: Sequence) -> [String] {
        guard case .node(let position) = sequence else {
            guard case .own(let own) = sequence else { return [] }
            return own.keys
        }
        if let keys = nodes[position].keys { return keys }
        let keys = path(to: position)
        nodes[position].keys = keys
        return keys
    }

    private func path(to position: Int) -> [String] {
        var keys: [String] = []
        keys.reserveCapacity(nodes[position].depth)
        var position = position
        while position > 0 {
            keys.append(nodes[position].key)
            position = nodes[position].parent
        }
        return keys.reversed()
    }

    /// The number of bytes of a node's key with its quotes, if it stands at the position of the cursor.
    @inline(__always)
    private func length(of node: Int, at cursor: JSONCursor) -> Int? {
        guard let range = nodes[node].bytes else { return nil }
        let start = cursor.position + 1
        let end = start + range.count
        guard end < cursor.bytes.count, cursor.bytes[end] == UInt8(ascii: "\"") else { return nil }
        let isKey = text.withUnsafeBytes { text in
            for index in 0..<range.count where text[range.lowerBound + index] != cursor.bytes[start + index] {
                return false
            }
            return true
        }
        return isKey ? range.count + 2 : nil
    }

    @inline(never)
    private mutating func readUnpredicted(_ cursor: inout JSONCursor, into sequence: inout Sequence?) throws {
        let offset = cursor.position
        let key = try cursor.text()
        guard case .node(let position) = sequence else {
            guard case .own(var own) = sequence else { return }
            // Emptied first, so that the keys are not copied.
            sequence = nil
            guard own.seen.insert(key).inserted else { throw Self.duplicate(key, at: offset) }
            own.keys.append(key)
            sequence = .own(own)
            return
        }
        if let child = nodes[position].children.first(where: { nodes[$0].key.utf8.elementsEqual(key.utf8) }) {
            nodes[position].next = child
            sequence = .node(child)
            return
        }
        let keys = path(to: position)
        guard !keys.contains(key) else { throw Self.duplicate(key, at: offset) }
        if nodes.count < Self.mostNodes, nodes[position].children.count < Self.mostChildren,
            keys.count < Self.mostKeys
        {
            sequence = .node(add(key, below: position))
        } else {
            sequence = .own(OwnKeys(keys: keys + [key], seen: Set(keys + [key])))
        }
    }

    private mutating func add(_ key: String, below position: Int) -> Int {
        let start = text.count
        let isPlain = key.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        if isPlain { text += key.utf8 }
        let bytes = isPlain ? start..<text.count : nil
        nodes.append(Node(key: key, parent: position, depth: nodes[position].depth + 1, bytes: bytes))
        nodes[position].children.append(nodes.count - 1)
        nodes[position].next = nodes.count - 1
        return nodes.count - 1
    }

    // Equality of Swift's texts: a record takes canonically equivalent names for one.
    private static func duplicate(_ key: String, at offset: Int) -> JSONFault {
        JSONFault(reason: "found the key '\(key)' again, expected each key of an object once", offset: offset)
    }
}
