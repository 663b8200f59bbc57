import NestedRecords

extension TypeGuess {
    /// The type whose objects are like those of a kind, and for each name of the kind the fullest object of both.
    mutating func likeType(
        _ kind: Kind, _ identifier: String, _ names: Identifiers.Names, _ around: Set<Int>
    ) -> (Int, Identifiers.Names)? {
        let keys = kind.keys
        for type in types.indices.prefix(Self.mostCompared) {
            let found = types[type]
            guard found.identifier == identifier, identifier != Mapping.positionName, !found.isStated else { continue }
            // Objects of two types that they say themselves are of these.
            if found.saysName && kind.saysName && found.name != kind.name { continue }
            let common = keys.commonCount(with: found.keys)
            let likeness = Double(common) / Double(keys.count + found.keys.count - common)
            let isPart = common == min(keys.count, found.keys.count)
            guard likeness >= 0.5 || isPart || kind.saysName else { continue }
            guard let shared = identifiers.common(found.names, names) else { continue }
            // Objects in others are other objects, unless they are parts, or have such parts themselves.
            let isRecursive = isPart || kind.places.contains { survey.keyNumber(of: $0).map(keys.contains) ?? false }
            if around.contains(type), found.name != kind.name, shared.isEmpty, !isRecursive { continue }
            let isLike =
                found.name == kind.name && (likeness >= 0.3 || isPart || kind.saysName && found.saysName)
                || likeness == 1 && (keys.count >= 3 || shared.count > 0 && keys.count > 1)
                || around.contains(type) && likeness >= 0.6 && Identifiers.isStrong(identifier)
                || shared.count > 0 && common > 1 && likeness >= 0.5
                || isPart && shared.count > 0 && (common > 1 || shared.count == names.count && hasLongNames(names))
            if isLike { return (type, names.merging(shared) { $1 }) }
        }
        return nil
    }

    /// Whether the objects refer to those of a type: they have its names, and are inside them or have no
    /// other keys, with another content.
    mutating func isReference(
        _ kind: Kind, _ identifier: String, _ names: Identifiers.Names, _ around: Set<Int>
    ) -> Bool {
        for type in types.indices.prefix(Self.mostCompared) where !types[type].isStated {
            let found = types[type]
            // Objects of two types that they say themselves are of these.
            if found.saysName && kind.saysName && found.name != kind.name { continue }
            guard found.identifier == identifier, names.count > 2, names.count < found.names.count,
                identifier != Mapping.keyName, around.contains(type) || kind.keys.isSubset(of: found.keys),
                names.keys.allSatisfy({ found.names[$0] != nil })
            else { continue }
            return identifiers.common(found.names, names) == nil
        }
        return false
    }

    /// Whether names are not equal by chance, as small numbers are.
    private func hasLongNames(_ names: Identifiers.Names) -> Bool { names.keys.allSatisfy { $0.text.utf8.count >= 4 } }

    /// The types with objects around those at some places.
    func typesAround(_ places: [Int]) -> Set<Int> {
        places.reduce(into: []) { types, place in
            for parent in survey.parents(of: place) { if let type = typeOfPlace[parent] { types.insert(type) } }
        }
    }
}

extension Set {
    /// The number of elements that both sets have; the time depends on the smaller set only.
    func commonCount(with other: Set) -> Int {
        count <= other.count ? self.count(where: other.contains) : other.count(where: contains)
    }
}
