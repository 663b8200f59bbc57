extension JSONTree {
    /// The document without some values, which have white space in their place: the others keep their offsets.
    ///
    /// - Parameter removed: The positions of the values to leave out, in their order; none is the root.
    /// - Throws: ``JSONError`` if nothing is left.
    package func removing(_ removed: [Int]) throws -> JSONTree {
        var text = bytes
        let removed = Set(removed)
        var containers: Set<Int> = []
        var open: [Int] = []
        for node in nodes.indices {
            while let last = open.last, Int(nodes[last].end) <= node { open.removeLast() }
            if removed.contains(node), let parent = open.last { containers.insert(parent) }
            if Int(nodes[node].end) > node + 1 { open.append(node) }
        }
        for container in containers {
            let isObject = kind(of: container) == .object
            var hasKept = false
            var lastEnd: Int?
            for child in children(of: container) {
                let isKept = !removed.contains(child)
                let offset = Int(nodes[child].offset)
                let start = isObject ? offsetOfKey(before: offset) : offset
                let end = endOffset(of: child)
                if !isKept { text.replaceSubrange(start..<end, with: repeatElement(0x20, count: end - start)) }
                // A comma stays before each value that stays, except for the first.
                if let lastEnd, !(isKept && hasKept),
                    let comma = text[lastEnd..<start].firstIndex(of: UInt8(ascii: ","))
                {
                    text[comma] = 0x20
                }
                if isKept { hasKept = true }
                lastEnd = end
            }
        }
        return try JSONTree(text)
    }

    /// The offset of the first byte after a value.
    func endOffset(of node: Int) -> Int {
        var position = Int(nodes[node].offset)
        var depth = 0
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position = endOfString(at: position)
                if depth == 0 { return position }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth <= 0 { return depth < 0 ? position : position + 1 }
            case UInt8(ascii: ","), 0x20, 0x09, 0x0A, 0x0D: if depth == 0 { return position }
            default: break
            }
            position += 1
        }
        return position
    }

    /// The offset after the string that begins at an offset.
    func endOfString(at start: Int) -> Int {
        var position = start + 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(position + 1, bytes.count)
    }
}
