import NestedRecords

/// Decides whether the objects at a place are maps: their members are like each other, and their keys are names.
struct MapTest {
    private static let mostMembers = 300

    let tree: JSONTree
    let objects: Int

    /// Whether the key of the objects is a plural.
    let isPlural: Bool

    /// Whether the objects are the root, or its members.
    let isOuter: Bool
    let members: [UInt32: [UInt32]]

    /// The key of the objects, if it may occur in their members, too.
    let key: UInt32?

    /// Whether objects under the same key around these are maps.
    let isInMap: Bool

    var isMap: Bool {
        let count = members.count
        guard count > 0 else { return false }
        if isPlural, members.values.allSatisfy({ $0.allSatisfy { tree.hasOwnKey(Int($0)) } }) { return true }
        if isRecursive { return true }
        let odd = members.keys.count { !tree.keys[Int($0)].isUsualName }
        let areOdd = 2 * odd > count
        let isPair = isPlural && count == 2 && objects == 1
        // Keys in the plural are those of collections, and the object is a document with these.
        let plurals = members.keys.count { TypeName.isPlural(tree.keys[Int($0)]) && !tree.keys[Int($0)].isCapital }
        if !areOdd, !isPlural, 2 * plurals > count { return false }
        let areCapital =
            (count > 1 || isPlural && isOuter) && members.keys.allSatisfy { tree.keys[Int($0)].isCapitalWord }
        guard count >= 3 || odd == count || isPair || areCapital else { return false }
        // The responses of a service by their status are not records.
        if members.keys.allSatisfy({ tree.keys[Int($0)].isStatus }) { return false }
        let total = members.values.reduce(0) { $0 + $1.count }
        // The objects of a type have mostly the same keys.
        if !areOdd, objects >= 3, 5 * total > 4 * objects * count { return false }
        let numbers = members.keys.count { tree.keys[Int($0)].isInteger }
        let mostOthers = areOdd ? (10 * numbers >= 9 * count ? count / 10 : count / 20) : 0
        guard let (content, areLists) = content(of: members.values.joined(), without: mostOthers) else { return false }
        // Names with capitals are those of data, if the keys inside are written in another way.
        let haveOtherStyle =
            areCapital
            && !content.contains { object in
                tree.children(of: object).contains { tree.keyText(of: $0).isCapital }
            }
        if count == 2, !haveOtherStyle, !isPair, odd < count { return false }
        // Many members are entries also if they are less alike.
        let likeness = likeness(of: content)
        if areLists { return (areOdd || count > 12) && likeness >= 0.4 }
        if isPair, odd < count, !haveOtherStyle { return likeness >= 0.99 && (isOuter || haveIdentifiers(content)) }
        // Few keys that look like properties are names only under a plural, or near the root.
        if !areOdd, count < 5, !isPlural, !isOuter, !haveOtherStyle { return false }
        if likeness >= (areOdd ? 0.2 : count < 5 ? isPlural ? 0.6 : 0.7 : 0.5) || count > 12 && likeness >= 0.2 {
            return true
        }
        return count >= 5 && areMaps(content)
    }

    /// Whether the members are objects that have the key of the objects themselves, or are inside such ones.
    private var isRecursive: Bool {
        guard isPlural, let key, members.values.joined().allSatisfy({ tree.kind(of: Int($0)) == .object }) else {
            return false
        }
        return isInMap || members.values.joined().contains { tree.member(key, of: Int($0)) != nil }
    }

    private func haveIdentifiers(_ objects: [Int]) -> Bool {
        guard let key = tree.key("id") else { return false }
        return objects.allSatisfy { tree.member(key, of: $0) != nil }
    }

    /// Whether most objects are maps themselves, all of the same kind of objects.
    private func areMaps(_ objects: [Int]) -> Bool {
        let maps = objects.map { tree.children(of: $0) }.filter { $0.allSatisfy { tree.kind(of: $0) == .object } }
        let inner = maps.flatMap { $0.map(\.self) }
        return 2 * maps.count > objects.count && inner.count > (isPlural ? 1 : 2) * maps.count
            && likeness(of: inner) >= 0.7
    }

    /// Some objects among values; nil if more than a number of values is neither an object nor a list of objects.
    private func content(of values: some Sequence<UInt32>, without mostOthers: Int) -> (objects: [Int], areLists: Bool)?
    {
        var objects: [Int] = []
        var (lists, others) = (0, 0)
        for node in values {
            switch tree.kind(of: Int(node)) {
            case .object:
                if objects.count < Self.mostMembers { objects.append(Int(node)) }
            case .list:
                let elements = tree.children(of: Int(node))
                let areObjects = elements.allSatisfy { tree.kind(of: $0) == .object }
                if areObjects { lists += 1 } else { others += 1 }
                for element in elements where areObjects && objects.count < Self.mostMembers { objects.append(element) }
            case .null: break
            case .bool, .number, .text: others += 1
            }
            if others > mostOthers { return nil }
        }
        return objects.isEmpty ? nil : (objects, lists > 0)
    }

    /// The part of their keys that the objects share with most others; 0 if most objects are empty.
    private func likeness(of objects: [Int]) -> Double {
        let shapes = objects.map { Set(tree.children(of: $0).map { tree.nodes[$0].key }) }.filter { !$0.isEmpty }
        let isFilled = 2 * shapes.count >= objects.count
        guard !shapes.isEmpty, isFilled, shapes.count > 1 || objects.count == 1 else { return 0 }
        var counts: [UInt32: Int] = [:]
        for shape in shapes { for key in shape { counts[key, default: 0] += 1 } }
        let core = Set(counts.filter { 2 * $0.value >= shapes.count }.keys)
        if core.isEmpty { return 0 }
        let total = shapes.reduce(0.0) { $0 + Double($1.intersection(core).count) / Double($1.union(core).count) }
        return total / Double(shapes.count)
    }
}

extension JSONTree {
    /// Whether the key of an object is the end of its identifier, as in `"get": {"id": "films.get"}`.
    func hasOwnKey(_ node: Int) -> Bool {
        guard kind(of: node) == .object, nodes[node].key != Self.noKey else { return false }
        let (key, names) = (keyText(of: node), ["id", "name"].compactMap { self.key($0) })
        return names.contains { name in
            guard let member = member(name, of: node), kind(of: member) == .text else { return false }
            let text = text(of: member)
            return text.hasBytesAtEnd(key) && (text.utf8.count == key.utf8.count || text.hasBytesAtEnd("." + key))
        }
    }
}

extension String {
    /// Keys of remarks that begin as private names do.
    private static let remarks: Set<String> = [
        "__typename", "__type", "__schema", "__meta", "__metadata", "__comment", "__note", "__doc", "__version", "__v",
    ]

    /// Whether this key is not a name, also among the names of a map.
    var isMark: Bool {
        utf8.first == UInt8(ascii: "$") && !utf8.contains(UInt8(ascii: ".")) || Self.remarks.contains(self)
    }

    fileprivate var isCapital: Bool { utf8.first.map { (0x41...0x5A).contains($0) } ?? false }

    /// Whether this key begins with a capital and has small letters.
    fileprivate var isCapitalWord: Bool { isCapital && utf8.contains { (0x61...0x7A).contains($0) } }

    fileprivate var isInteger: Bool { !isEmpty && utf8.allSatisfy { (0x30...0x39).contains($0) } }

    /// Whether this key is a status of HTTP.
    fileprivate var isStatus: Bool {
        self == "default" || utf8.count == 3 && (Int(self).map { (100...599).contains($0) } ?? false)
    }

    /// Whether this key looks like that of a property, and not like a name in the data.
    fileprivate var isUsualName: Bool {
        guard let first = utf8.first, first >= 0x40 || first == UInt8(ascii: "$"), utf8.count <= 40 else {
            return false
        }
        let isCode =
            utf8.count <= 3 && utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) }
        return !isCode
            && utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                    || "_$@-".utf8.contains($0)
            }
    }
}
