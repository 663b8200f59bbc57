import NestedRecords

/// The identifiers that the objects at some places of a document may have.
struct Identifiers {
    /// Keys that only identifiers have.
    private static let strong = ["id", "_id", "uuid", "guid", "bom-ref", "@id"]

    /// Keys that identify the objects of a list, but are frequent in other objects too.
    private static let usual = ["key", "code", "slug", "ref", "identifier", "$id"]
    private static let weak = [
        "alpha_3", "alpha_2", "alpha_4", "name", "Name", "title", "label", "symbol", "abbreviation", "username",
        "login", "email", "path", "url", "uri", "purl",
    ]

    /// The comparisons for each value of a document, after which objects with one name are taken as different.
    private static let mostSteps = 20

    let tree: JSONTree
    private var steps: Int

    /// Two objects with one name and different content, in the last objects without names.
    private(set) var difference: (first: Int, second: Int)?

    init(tree: JSONTree) {
        self.tree = tree
        steps = 1_000_000 + Self.mostSteps * tree.nodes.count
    }

    /// The objects by their name.
    typealias Names = [RecordName: UInt32]

    /// A name, compared byte by byte.
    struct RecordName: Hashable {
        let text: String

        static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

        func hash(into hasher: inout Hasher) { hasher.combine(text) }
    }

    /// The identifiers to try for a type, the best first.
    ///
    /// - Parameter isCollection: Whether the objects are in a list or a map.
    func candidates(_ place: Survey.Place, type: String?, isCollection: Bool) -> [String] {
        var own: [String] = []
        if let type {
            let words = type.utf8.first.map { String(decoding: [$0 | 0x20], as: UTF8.self) } ?? ""
            let small = words + String(decoding: type.utf8.dropFirst(), as: UTF8.self)
            own = [small + "Id", small + "ID", small + "_id", small.lowercased() + "_id", small.lowercased() + "Id"]
        }
        var keys = Self.strong + own
        // An object that has nothing besides a name is a value.
        if isCollection, place.keys.count > 1 { keys += Self.usual + Self.weak }
        let known = keys.filter { text in tree.key(text).map { place.keys[$0] == place.objects.count } ?? false }
        guard place.step == .entry else { return known }
        // The keys of a map are the names, unless the objects have them too.
        let same = known.first { candidate in
            place.objects.allSatisfy { node in
                name(of: Int(node), candidate)?.utf8.elementsEqual(tree.keyText(of: Int(node)).utf8) ?? false
            }
        }
        return [same ?? Mapping.keyName]
    }

    /// Whether the objects with a name of this kind are the same wherever they are.
    func isStrong(_ identifier: String, type: String?) -> Bool {
        Self.strong.contains(identifier) || identifier.utf8.suffix(2).elementsEqual("Id".utf8)
            || identifier.utf8.suffix(3).elementsEqual("_id".utf8)
    }

    func name(of node: Int, _ identifier: String) -> String? {
        if identifier == Mapping.keyName {
            let name = tree.keyText(of: node)
            return tree.isName(name) ? name : nil
        }
        guard let key = tree.key(identifier), let member = tree.member(key, of: node),
            let name = tree.name(from: member), tree.isName(name)
        else { return nil }
        return name
    }

    /// The objects by their names; nil if some object has none, or if two with one name contradict each other.
    mutating func names(of objects: [UInt32], _ identifier: String) -> Names? {
        difference = nil
        var names = Names(minimumCapacity: objects.count)
        for node in objects {
            guard let name = name(of: Int(node), identifier).map(RecordName.init) else { return nil }
            guard let other = names[name] else {
                names[name] = node
                continue
            }
            guard let fuller = tree.fuller(of: Int(other), Int(node), within: &steps) else {
                difference = (Int(other), Int(node))
                return nil
            }
            names[name] = UInt32(fuller)
        }
        return names
    }

    /// The objects of both by their names, and the number of common names; nil if two contradict each other.
    mutating func joined(_ first: Names, _ second: Names) -> (names: Names, shared: Int)? {
        let (fewer, more) = first.count < second.count ? (first, second) : (second, first)
        var (names, shared) = (more, 0)
        for (name, node) in fewer {
            if let other = names[name] {
                guard let fuller = tree.fuller(of: Int(other), Int(node), within: &steps) else { return nil }
                shared += 1
                names[name] = UInt32(fuller)
            } else {
                names[name] = node
            }
        }
        return (names, shared)
    }
}
