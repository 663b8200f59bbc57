import NestedRecords

extension TypeGuess {
    /// Ends of keys that refer to a record.
    private static let endings = [
        "_ids", "_id", "-id", "Ids", "IDs", "Id", "ID", "_refs", "_ref", "Refs", "Ref", "refs", "ref", "_keys", "_key",
        "Keys", "Key", "_uuid", "Uuid", "UUID",
    ]
    private static let ownKeys = ["parent", "parents", "children"]

    /// Keys of the only members of objects that refer to a record.
    private static let references = ["ref", "reference"]

    /// Keys of the names in objects that refer to a record.
    private static let inner = ["name", "type"]

    /// Keys of strings that a schema allows or requires.
    private static let listed = ["enum", "required", "const", "default", "examples"]
    private static let mostOffered = 3

    /// The type to which all values at a place refer, and types that are only possible.
    ///
    /// A value that names its type is a reference, and so is a name under a key that names the type.
    func reference(from place: Int, _ prefixes: [String: String]) -> (type: String?, others: [String]) {
        if let name = references[place] {
            if let type = typesByName[name], !types[type].places.isEmpty { return (types[type].name, []) }
            let isAny = survey.places[place].objects.contains { isTyped(Int($0) + 1, prefixes) }
            return (name == Mapping.anyType && isAny ? name : nil, [])
        }
        let values = survey.places[place]
        guard let key = survey.key(of: place), let parent = values.parent else { return (nil, []) }
        // The address of an object itself.
        if key == "$id" { return (nil, []) }
        let nodes = values.values.lazy.filter { survey.tree.kind(of: Int($0)) != .null }
        guard let node = nodes.first, let first = survey.tree.name(from: Int(node)) else { return (nil, []) }
        let isPointer = key == "$ref" && values.step == .key(key)
        if isPointer || survey.pointers?.targets[node] != nil || first.typedName.map({ prefixes[$0.prefix] }) != nil {
            let count = nodes.count(where: { isTyped(Int($0), prefixes) })
            // Some schemas are in other documents.
            if count > 0, isPointer || 2 * count >= nodes.count(where: { _ in true }) { return (Mapping.anyType, []) }
        }
        let own = values.step == .element ? nil : typeOfPlace[parent]
        let stem = Self.endings.first(where: key.hasBytesAtEnd).map { key.utf8.dropLast($0.utf8.count) }
        let isOwn = Self.ownKeys.contains(stem.map { String(decoding: $0, as: UTF8.self) } ?? key)
        let isIdentifier = own.map { types[$0].identifier == key } ?? identifiers.isAlways(key)
        if isIdentifier, values.step != .element { return (nil, []) }
        let name = Identifiers.RecordName(text: first)
        let found = types.indices.prefix(Self.mostCompared).filter { type in
            types[type].names[name] != nil && (own != type || isOwn || stem != nil || !haveOwnNames(parent, key, type))
                && nodes.allSatisfy { node in
                    survey.tree.name(from: Int(node)).map { types[type].names[Identifiers.RecordName(text: $0)] != nil }
                        ?? false
                }
        }
        // In `"film": {"name": "Solaris"}` the name is that of a film.
        var outer: String?
        if Self.inner.contains(key), case .key(let text) = survey.places[parent].step { outer = text }
        let keys = ([stem.map { String(decoding: $0, as: UTF8.self) }, key, outer] as [String?]).compactMap {
            $0.flatMap { TypeName.type(of: $0) }
        }
        let isText = survey.tree.kind(of: Int(node)) == .text
        let named = found.filter { type in
            isOwn
                ? type == enclosingType(of: place)
                : keys.contains { Self.names($0, types[type].name) || isText && Self.begins($0, types[type].name) }
        }
        // A slot is an ordered slot, unless there are other types of slots.
        let ended = found.filter { type in
            keys.contains { $0.utf8.count > 3 && types[type].name.lowercased().hasBytesAtEnd($0.lowercased()) }
        }
        if named.isEmpty, !isOwn, let type = ended.first, ended.count == 1, own != type {
            return (types[type].name, [])
        }
        // The longest name says most.
        if let type = named.max(by: { types[$0].name.utf8.count < types[$1].name.utf8.count }) {
            return (types[type].name, [])
        }
        if isText, Self.references.contains(key), found.count == 1, isAlone(key, in: parent) {
            return (types[found[0]].name, [])
        }
        let enclosing = enclosingType(of: place)
        let targets = found.count == 2 ? found.filter { $0 != enclosing } : found
        if let type = targets.first, targets.count == 1, !isOwn, key != types[type].identifier,
            !Self.listed.contains(key), areHardlyChance(nodes.map(Int.init), under: key),
            type != enclosing || !areOwnNames(nodes.map(Int.init), type)
        {
            return (types[type].name, [])
        }
        if found.isEmpty, areNames(nodes.map(Int.init), under: key),
            own.map({ !haveOwnNames(parent, key, $0) }) ?? true
        {
            return (Mapping.anyType, [])
        }
        guard isText || stem != nil || isOwn || values.step == .element, nodes.dropFirst().first != nil else {
            return (nil, [])
        }
        return (nil, found.prefix(Self.mostOffered).map { types[$0].name })
    }

    /// Whether a value names a record of a type after the prefix of the type.
    private func isTyped(_ node: Int, _ prefixes: [String: String]) -> Bool {
        if let target = survey.pointers?.targets[UInt32(node)] {
            return target == survey.tree.root || typeOfTarget[target] != nil
        }
        guard let (prefix, name) = survey.tree.name(from: node)?.typedName, let type = prefixes[prefix] else {
            return false
        }
        return typesByName[type].map { types[$0].names[Identifiers.RecordName(text: name)] != nil } ?? false
    }

    /// Whether a key, as a type, begins with a type: `ParameterOrder` lists parameters.
    private static func begins(_ key: String, _ type: String) -> Bool {
        key.utf8.starts(with: type.utf8) && type.utf8.count > 2
            && key.utf8.dropFirst(type.utf8.count).first.map { (0x41...0x5A).contains($0) } ?? false
    }

    /// Whether a key, as a type, names a type: `BillingAddress` names Address, too.
    private static func names(_ key: String, _ type: String) -> Bool {
        key.hasBytesAtEnd(type) && (key.utf8.count == type.utf8.count || type.utf8.count > 2)
    }

    /// Whether a key is the only one of each object with it.
    private func isAlone(_ key: String, in place: Int) -> Bool {
        guard let key = survey.tree.key(key) else { return false }
        return survey.places[place].objects.allSatisfy {
            survey.tree.member(key, of: Int($0)) == nil || survey.tree.onlyMember(of: Int($0)) != nil
        }
    }

    /// Whether some objects have their own names under a key.
    private func haveOwnNames(_ place: Int, _ key: String, _ type: Int) -> Bool {
        guard let key = survey.tree.key(key) else { return false }
        return survey.places[place].objects.contains { object in
            guard let member = survey.tree.member(key, of: Int(object)), let text = survey.tree.name(from: member),
                let name = identifiers.name(of: Int(object), types[type].identifier)
            else { return false }
            return Identifiers.RecordName(text: text) == Identifiers.RecordName(text: name)
        }
    }

    /// Whether strings are names of records of several types, each of one type.
    private func areNames(_ nodes: some Sequence<Int>, under key: String) -> Bool {
        guard !Self.listed.contains(key), !identifiers.isSometimes(key) else { return false }
        let compared = types.prefix(Self.mostCompared)
        let areNames = nodes.allSatisfy { node in
            guard survey.tree.kind(of: node) == .text, let text = survey.tree.name(from: node) else { return false }
            let name = Identifiers.RecordName(text: text)
            return compared.count { $0.names[name] != nil } == 1
        }
        return areNames && areHardlyChance(nodes, under: key)
    }

    /// Whether all values are the names of the records around them.
    private func areOwnNames(_ nodes: some Sequence<Int>, _ type: Int) -> Bool {
        let objects = types[type].places.flatMap { survey.places[$0].objects }.sorted()
        var position = 0
        // Values and objects are in the order of the document.
        return nodes.sorted().allSatisfy { node in
            while position + 1 < objects.count, objects[position + 1] < node { position += 1 }
            let around = objects.prefix(position + 1).reversed().prefix(MarkedTree.deepest).first {
                $0 < node && survey.tree.nodes[Int($0)].end > node
            }
            guard let name = around.flatMap({ identifiers.name(of: Int($0), types[type].identifier) }) else {
                return false
            }
            return survey.tree.name(from: node) == name
        }
    }

    /// Whether strings are hardly equal to names by chance: many of them, several with signs as paths have, or long ones.
    private func areHardlyChance(_ nodes: some Sequence<Int>, under key: String) -> Bool {
        var (names, count, areOdd, areLong) = (Set<String>(), 0, true, !identifiers.isSometimes(key))
        for node in nodes {
            guard survey.tree.kind(of: node) == .text else { return false }
            let text = survey.tree.text(of: node)
            // Dates and numbers are equal often.
            guard let first = text.utf8.first, !(0x30...0x39).contains(first) else { return false }
            count += 1
            if names.count < 3 { names.insert(text) }
            areOdd =
                areOdd && text.utf8.count >= 6 && text.utf8.contains { "./:@#".utf8.contains($0) }
                && !text.utf8.contains(UInt8(ascii: " "))
            areLong = areLong && text.utf8.count >= 12
        }
        return names.count > 2 && count > 5 || areOdd && names.count > 1 || areLong
    }

    private func enclosingType(of place: Int) -> Int? {
        survey.parents(of: place).lazy.compactMap { typeOfPlace[$0] }.first { _ in true }
    }
}
