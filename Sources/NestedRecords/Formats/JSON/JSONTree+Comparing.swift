extension JSONTree {
    /// Whether two values have the same content: members in any order, numbers with the same characters.
    package func isEqual(_ first: Int, _ second: Int) -> Bool {
        var steps = Int.max
        return compare(first, second, identifiers: nil, &steps)
    }

    /// Whether one of two objects may be a partial copy of the other: it has no other keys, and no value contradicts.
    ///
    /// An object inside of them may be a partial copy only if both have an identifier; otherwise a missing member is
    /// other content.
    ///
    /// - Parameters:
    ///   - first: An object.
    ///   - second: An object.
    ///   - steps: The number of values that may still be compared.
    ///   - identifiers: The keys of identifiers.
    /// - Returns: The object with more members, or with more values in these, the first if they have the same; nil if they
    ///   contradict each other, or have more values than may be compared.
    package func fuller(
        of first: Int, _ second: Int, within steps: inout Int, identifiers: Set<UInt32>
    ) -> Int? {
        guard compare(first, second, identifiers: identifiers, &steps) else { return nil }
        var (members, others) = (children(of: first), children(of: second))
        while others.next() != nil {
            if members.next() == nil { return second }
        }
        if members.next() != nil { return first }
        let (size, other) = (Int(nodes[first].end) - first, Int(nodes[second].end) - second)
        return other > size ? second : first
    }

    // Without recursion: values may be nested more deeply than a stack holds.
    private func compare(_ first: Int, _ second: Int, identifiers: Set<UInt32>?, _ steps: inout Int) -> Bool {
        var open = [(first, second)]
        while let (left, right) = open.popLast() {
            if left == right { continue }
            steps -= 1
            guard steps >= 0 else { return false }
            let kind = kind(of: left)
            guard kind == self.kind(of: right) else { return false }
            switch kind {
            case .null: break
            case .bool: if bool(of: left) != bool(of: right) { return false }
            case .number, .text: if !isEqualScalar(left, right) { return false }
            case .list:
                let (lefts, rights) = (Array(children(of: left)), Array(children(of: right)))
                guard lefts.count == rights.count else { return false }
                open += zip(lefts, rights)
            case .object:
                let isCopy = identifiers.map { left == first || hasKey($0, left) && hasKey($0, right) } ?? false
                guard let members = pairs(left, right, isCopy: isCopy) else { return false }
                open += members
            }
        }
        return true
    }

    private func hasKey(_ keys: Set<UInt32>, _ object: Int) -> Bool {
        children(of: object).contains { keys.contains(nodes[$0].key) }
    }

    /// The values of the keys that both objects have; nil if the keys differ too much.
    private func pairs(_ left: Int, _ right: Int, isCopy: Bool) -> [(Int, Int)]? {
        // A small object is compared with a large one by its own members.
        let smallest = 8
        let (few, many) = (
            Array(children(of: left).prefix(smallest + 1)), Array(children(of: right).prefix(smallest + 1))
        )
        if (few.count <= smallest) != (many.count <= smallest) {
            guard isCopy else { return nil }
            let (small, large) = few.count <= smallest ? (few, right) : (many, left)
            var pairs: [(Int, Int)] = []
            for node in small {
                guard let other = member(nodes[node].key, of: large) else { return nil }
                pairs.append((node, other))
            }
            return pairs
        }
        let (lefts, rights) = (Array(children(of: left)), Array(children(of: right)))
        let (fewer, more) = lefts.count <= rights.count ? (lefts, rights) : (rights, lefts)
        guard isCopy || lefts.count == rights.count else { return nil }
        // Most objects of one shape have one order.
        if lefts.count == rights.count, zip(lefts, rights).allSatisfy({ nodes[$0].key == nodes[$1].key }) {
            return Array(zip(lefts, rights))
        }
        let byKey = Dictionary(more.map { (nodes[$0].key, $0) }) { first, _ in first }
        var pairs: [(Int, Int)] = []
        for node in fewer {
            guard let other = byKey[nodes[node].key] else { return nil }
            pairs.append((node, other))
        }
        return pairs
    }

    private func isEqualScalar(_ left: Int, _ right: Int) -> Bool {
        var (first, second) = (Int(nodes[left].offset), Int(nodes[right].offset))
        let isText = bytes[first] == UInt8(ascii: "\"")
        while first < bytes.count, second < bytes.count {
            let (byte, other) = (bytes[first], bytes[second])
            if isText, byte == UInt8(ascii: "\\") || other == UInt8(ascii: "\\") {
                return text(of: left).utf8.elementsEqual(text(of: right).utf8)
            }
            let isFirst = first == Int(nodes[left].offset)
            let isEnd = isText ? !isFirst && byte == UInt8(ascii: "\"") : !byte.isNumberByte
            let isOtherEnd = isText ? other == UInt8(ascii: "\"") : !other.isNumberByte
            if isEnd { return isOtherEnd }
            guard byte == other else { return false }
            first += 1
            second += 1
        }
        return first >= bytes.count && (second >= bytes.count || !bytes[second].isNumberByte)
    }
}

extension UInt8 {
    fileprivate var isNumberByte: Bool {
        isDigit || self == UInt8(ascii: ".") || self == UInt8(ascii: "-") || self == UInt8(ascii: "+")
            || self | 0x20 == UInt8(ascii: "e")
    }
}
