import NestedRecords

/// The identifiers that the objects at some places of a document may have.
struct Identifiers {
    /// Keys that only identifiers have.
    private static let strong = [
        "id", "_id", "pk", "uuid", "guid", "bom-ref", "@id", "SPDXID", "spdxId", "operationId",
    ]

    /// The ends of keys that identify objects which begin with them.
    private static let endings = ["Id", "ID", "_id", "_key"]

    /// Keys that identify the objects of a list, but are frequent in other objects too.
    private static let usual = ["key", "code", "slug", "ref", "identifier", "$id"]
    private static let weak = [
        "alpha_3", "alpha_2", "alpha_4", "alpha3", "iso3", "iso_code", "name", "Name", "_name", "@name", "title",
        "label", "symbol",
        "abbreviation", "username",
        "login", "email", "path", "url", "uri", "purl",
        "prefix", "address",
    ]

    /// Identifiers inside a member.
    private static let inner = ["sys.id", "metadata.uid", "metadata.name", "meta.id"]

    /// The comparisons for each value of a document, after which objects with one name are taken as different.
    private static let mostSteps = 100

    let tree: JSONTree
    private var steps: Int

    /// The keys of identifiers by which an object inside of others is a copy.
    private let keys: Set<UInt32>

    /// Two objects with one name and different content, in the last objects without names.
    private(set) var difference: (first: Int, second: Int)?

    init(tree: JSONTree) {
        self.tree = tree
        keys = Self.keys(in: tree)
        steps = 1_000_000 + Self.mostSteps * tree.nodes.count
    }

    /// The keys of identifiers that are the same wherever their objects are.
    static func keys(in tree: JSONTree) -> Set<UInt32> {
        Set(tree.keys.indices.filter { isStrong(tree.keys[$0]) || usual.contains(tree.keys[$0]) }.map(UInt32.init))
    }

    /// The objects by their name.
    typealias Names = [RecordName: UInt32]

    /// A name, compared byte by byte; all spellings of a UUID are one name.
    struct RecordName: Hashable {
        let text: String

        init(text: String) { self.text = text.spelledAsUUID ?? text }

        static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

        func hash(into hasher: inout Hasher) { hasher.combine(text) }
    }

    /// The identifiers to try for a type, the best first.
    func candidates(_ place: Survey.Place, type: String?) -> [String] {
        var keys = Self.strong
        var (own, lastWord): (String?, String?)
        if let type {
            let first = type.utf8.first.map { String(decoding: [$0 | 0x20], as: UTF8.self) } ?? ""
            let lowered = first + String(decoding: type.utf8.dropFirst(), as: UTF8.self)
            keys += [lowered + "Id", lowered + "ID", lowered + "_id", lowered.lowercased() + "_id"]
            own = lowered
            // An operand kind may have its name under 'kind'.
            lastWord = lowered.utf8.lastIndex { (0x41...0x5A).contains($0) }.map { lowered[$0...].lowercased() }
        }
        // An object that has nothing besides a name is a value.
        if place.isCollection, place.keys.count > 1 {
            if let key = firstKey(of: place), place.objects.count > 1, Self.endings.contains(where: key.hasBytesAtEnd) {
                keys.append(key)
            }
            keys += Self.usual
            // A single object does not show that such a key is an identifier.
            if place.objects.count > 1 || place.isNearRoot { keys += Self.weak + [own, lastWord].compactMap(\.self) }
        } else if place.parent == nil {
            // The root of a document often has a name.
            keys.append("name")
        }
        if place.isCollection, !keys.contains(where: { has($0, place) && Self.strong.contains($0) }) {
            keys = Self.inner + keys
        }
        // A 'ref' beside a type or a role is that of another object.
        let known = keys.filter { text in
            has(text, place)
                && !(text == "ref"
                    && ["type", "role"].contains { tree.key($0).map { place.keys[$0] != nil } ?? false })
        }
        guard place.step == .entry else { return known }
        // The keys of a map are the names, unless the objects have them too.
        let same = known.first { candidate in
            place.objects.allSatisfy { node in
                name(of: Int(node), candidate)?.utf8.elementsEqual(tree.keyText(of: Int(node)).utf8) ?? false
            }
        }
        if let same, !place.isPointed { return [same] }
        let used = place.isPointed ? nil : known.first { isUsed($0, by: place.objects) }
        return [used, Mapping.keyName].compactMap(\.self) + known.filter(Self.strong.contains)
    }

    /// Whether objects refer to each other by an identifier, and not by their keys.
    private func isUsed(_ identifier: String, by objects: [UInt32]) -> Bool {
        guard Self.weak.contains(identifier), objects.count >= 3 else { return false }
        let names = Set(objects.compactMap { name(of: Int($0), identifier) })
        guard names.count == objects.count else { return false }
        let keys = Set(objects.map { tree.keyText(of: Int($0)) })
        var (used, byKey): (Set<String>, Set<String>) = ([], [])
        for object in objects {
            let own = name(of: Int(object), identifier)
            for member in tree.children(of: Int(object)) {
                let values = tree.kind(of: member) == .list ? tree.children(of: member).map(\.self) : [member]
                for value in values where tree.kind(of: value) == .text {
                    let text = tree.text(of: value)
                    if text != own, names.contains(text) { used.insert(text) }
                    if keys.contains(text) { byKey.insert(text) }
                }
            }
        }
        return used.count >= 3 && used.count > byKey.count
    }

    /// Whether all objects have an identifier.
    private func has(_ identifier: String, _ place: Survey.Place) -> Bool {
        guard let keys = tree.keys(of: identifier), let first = keys.first, place.keys[first] == place.objects.count
        else {
            return false
        }
        if ["uuid", "guid"].contains(identifier) { return place.objects.allSatisfy { mayHaveUUID($0, keys) } }
        return keys.count == 1 || place.objects.allSatisfy { tree.member(keys, of: Int($0)) != nil }
    }

    /// Whether an object has a string under some keys that may be a UUID in some spelling, and not a version of a package
    /// with this name.
    private func mayHaveUUID(_ object: UInt32, _ keys: [UInt32]) -> Bool {
        guard let member = tree.member(keys, of: Int(object)) else { return false }
        return tree.kind(of: member) != .text || !tree.text(of: member).utf8.contains { "^~*.<>= ".utf8.contains($0) }
    }

    /// The first key of the objects in a list, if it has a short string in all of them.
    func first(of place: Survey.Place) -> String? {
        guard let key = firstKey(of: place), place.objects.count >= 3, place.keys.count > 1 || place.parent == 0 else {
            return nil
        }
        let isText = place.objects.allSatisfy { object in
            tree.member(tree.nodes[Int(object) + 1].key, of: Int(object)) == Int(object) + 1
                && tree.kind(of: Int(object) + 1) == .text && tree.text(of: Int(object) + 1).utf8.count <= 64
        }
        return isText && key != "description" ? key : nil
    }

    private func firstKey(of place: Survey.Place) -> String? {
        guard let object = place.objects.first, tree.nodes[Int(object)].end > object + 1 else { return nil }
        let key = tree.nodes[Int(object) + 1].key
        let isFirst = place.objects.allSatisfy {
            tree.nodes[Int($0)].end > $0 + 1 && tree.nodes[Int($0) + 1].key == key
        }
        return isFirst ? tree.keys[Int(key)] : nil
    }

    /// Whether only identifiers have a key.
    func isAlways(_ key: String) -> Bool { Self.strong.contains(key) }

    /// Whether identifiers have a key, and other values, too.
    func isSometimes(_ key: String) -> Bool {
        let ends = ["name", "Name", "title", "Title", "label", "Label", "text", "Text", "description", "Description"]
        return Self.usual.contains(key) || Self.weak.contains(key) || ends.contains(where: key.hasBytesAtEnd)
    }

    /// Whether the objects with a name of this kind are the same wherever they are.
    static func isStrong(_ identifier: String) -> Bool {
        strong.contains(identifier) || inner.contains(identifier) || identifier.hasBytesAtEnd("Id")
            || identifier.hasBytesAtEnd("_id")
    }

    /// Whether many objects have the names of others: they are parts of the objects around them that are equal, and not
    /// copies of one record.
    ///
    /// Names of several words are those of persons and other things.
    func areParts(_ names: Names, _ objects: [UInt32], _ identifier: String) -> Bool {
        if identifier == Mapping.keyName { return 2 * names.count < objects.count }
        guard Self.weak.contains(identifier), 5 * names.count < 4 * objects.count else { return false }
        return 2 * names.keys.count { $0.text.utf8.contains(UInt8(ascii: " ")) } < names.count
    }

    func name(of node: Int, _ identifier: String) -> String? {
        if identifier == Mapping.keyName {
            let name = tree.keyText(of: node)
            return tree.isName(name) ? name : nil
        }
        guard let keys = tree.keys(of: identifier), let member = tree.member(keys, of: node),
            let name = tree.name(from: member), tree.isName(name)
        else { return nil }
        return name
    }

    /// The objects by their names; nil if some object has none, or if two with one name contradict each other.
    mutating func names(of objects: [UInt32], _ identifier: String) -> Names? {
        difference = nil
        var names = Names(minimumCapacity: objects.count)
        for node in objects {
            guard let name = name(of: Int(node), identifier).map(RecordName.init) else {
                // A key that cannot be a name, such as an empty one, is left out.
                if identifier == Mapping.keyName { continue }
                return nil
            }
            guard let other = names[name] else {
                names[name] = node
                continue
            }
            guard let fuller = tree.fuller(of: Int(other), Int(node), within: &steps, identifiers: keys) else {
                // Without steps left the objects may be equal.
                if steps > 0 { difference = (Int(other), Int(node)) }
                return nil
            }
            names[name] = UInt32(fuller)
        }
        if names.isEmpty { return nil }
        return names
    }

    /// The fuller object of each name that both have; nil if two contradict each other.
    mutating func common(_ first: Names, _ second: Names) -> Names? {
        let (fewer, more) = first.count < second.count ? (first, second) : (second, first)
        var common: Names = [:]
        for (name, node) in fewer {
            guard let other = more[name] else { continue }
            guard let fuller = tree.fuller(of: Int(other), Int(node), within: &steps, identifiers: keys) else {
                return nil
            }
            common[name] = UInt32(fuller)
        }
        return common
    }
}
