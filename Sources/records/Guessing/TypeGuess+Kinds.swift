import NestedRecords

extension TypeGuess {
    mutating func addKind(of place: Int) {
        let values = survey.places[place]
        // The context of linked data says what its keys are.
        if survey.isInContext(place) || survey.areTerms(place) { return }
        if values.isReference { return noteReference(place) }
        // Such an object has the properties of the one around it.
        if [.key("attributes"), .key("fields")].contains(values.step) { return }
        if survey.key(of: place).map(Self.alternatives.contains) ?? false { return }
        if areDefaults(place) { return }
        if survey.isTable(place) || isPartOfIdentifier(place) { return }
        let said = saidName(of: place)
        let (name, keys, isEntry) = (said ?? name(of: place), Set(values.keys.keys), values.step == .entry)
        for kind in (kindsByName[name] ?? []).prefix(Self.mostCompared)
        where kinds[kind].saysName == (said != nil) && isPair(kinds[kind]) == isPair(place)
            && (said != nil || kinds[kind].isEntry == isEntry && isLike(keys, kinds[kind].keys)
                || isEntry && isInside(place, kinds[kind]))
        {
            kinds[kind].places.append(place)
            kinds[kind].keys.formUnion(keys)
            return
        }
        kindsByName[name, default: []].append(kinds.count)
        kinds.append(Kind(name: name, saysName: said != nil, isEntry: isEntry, places: [place], keys: keys))
    }

    /// Whether a place is inside entries of a kind.
    private func isInside(_ place: Int, _ kind: Kind) -> Bool {
        let places = kind.places.prefix(Self.mostCompared)
        return kind.isEntry && survey.parents(of: place).contains(where: places.contains)
    }

    func isLike(_ first: Set<UInt32>, _ second: Set<UInt32>) -> Bool {
        let common = first.commonCount(with: second)
        return common == min(first.count, second.count) || 3 * common >= first.count + second.count
    }

    mutating func guess(_ kind: Kind) {
        let values = survey.joined(kind.places)
        if isLoneEntry(values) { return }
        var difference: (identifier: String, first: Int, second: Int)?
        var candidates = identifiers.candidates(values, type: kind.name)
        if let place = kind.places.first, isListOfRoots(place), let first = identifiers.first(of: values) {
            candidates.append(first)
        }
        for identifier in candidates {
            guard let names = identifiers.names(of: values.objects, identifier) else {
                if difference == nil { difference = identifiers.difference.map { (identifier, $0.first, $0.second) } }
                continue
            }
            // Two equal elements of the document's own list, such as lines of a log, are two records.
            if kind.places.count == 1, isListOfRoots(kind.places[0]), names.count < values.objects.count { continue }
            if values.isCollection, !values.isPointed, !kind.saysName,
                identifiers.areParts(names, values.objects, identifier)
            {
                continue
            }
            let around = typesAround(kind.places)
            if isReference(kind, identifier, names, around) { return }
            if let (type, fullest) = likeType(kind, identifier, names, around) {
                types[type].places += kind.places
                types[type].names.merge(fullest) { $1 }
                types[type].keys.formUnion(kind.keys)
                let isBetter =
                    kind.saysName && !types[type].saysName
                    || kind.saysName == types[type].saysName && types[type].name.hasBytesAtEnd(kind.name)
                if isBetter, typesByName[kind.name] == nil {
                    types[type].name = kind.name
                    types[type].saysName = kind.saysName
                    typesByName[kind.name] = type
                }
                for place in kind.places { typeOfPlace[place] = type }
            } else if let name = distinct(nameOfEntries(kind, identifier) ?? kind.name, kind.places) {
                add(
                    Found(
                        name: name, identifier: identifier, places: kind.places, names: names, keys: kind.keys,
                        isStated: false, saysName: kind.saysName))
            }
            return
        }
        // An object in another object of its kind may be a part of it.
        var outer = kind
        let all = Set(kind.places)
        outer.places.removeAll { survey.parents(of: $0).contains(where: all.contains) }
        if outer.places.count < kind.places.count {
            guess(outer)
            // Pointers show that the inner objects are records, too.
            var inner = kind
            inner.places.removeAll { outer.places.contains($0) || !survey.places[$0].isPointed }
            return inner.places.isEmpty ? () : guess(inner)
        }
        // Objects near the root have names of their own, whatever those in the depth have.
        var near = kind
        near.places.removeAll { !survey.places[$0].isNearRoot }
        if !near.places.isEmpty, near.places.count < kind.places.count {
            if let difference {
                for place in kind.places where !survey.places[place].isNearRoot { differences[place] = difference }
            }
            return guess(near)
        }
        if let difference { for place in kind.places { differences[place] = difference } }
        if values.isCollection { addByPosition(kind) } else { addCopies(kind, values) }
    }

    /// Whether there is one entry in the depth, which does not show that there is a map unless its key is an address.
    private func isLoneEntry(_ values: Survey.Place) -> Bool {
        guard values.step == .entry, values.objects.count == 1, !values.isNearRoot, !values.isPointed else {
            return false
        }
        let object = Int(values.objects[0])
        let key = survey.tree.keyText(of: object).utf8
        let isAddress = key.contains(UInt8(ascii: ":")) && key.contains(UInt8(ascii: "/"))
        return !isAddress && !survey.tree.hasOwnKey(object)
    }

    /// Whether objects are the default value in a schema.
    private func areDefaults(_ place: Int) -> Bool {
        guard survey.key(of: place) == "default" else { return false }
        let outer = survey.parents(of: place).first {
            survey.places[$0].keys.keys.contains { survey.tree.keys[Int($0)] == "default" }
        }
        return outer.map { outer in
            ["type", "$ref"].contains { survey.tree.key($0).map { survey.places[outer].keys[$0] != nil } ?? false }
        } ?? false
    }

    /// The objects of a list of roots are named by their positions.
    private mutating func addByPosition(_ kind: Kind) {
        guard kind.places.count == 1, isListOfRoots(kind.places[0]) else { return }
        let values = survey.places[kind.places[0]]
        guard values.scalars + values.texts + values.lists == 0 else { return }
        // Objects with a key of their own each are settings.
        guard values.keys.values.contains(where: { 2 * $0 > values.objects.count }) || values.parent == 0 else {
            return
        }
        guard values.objects.count > 1 && values.keys.count > 1 || values.parent == 0,
            let name = distinct(kind.name, kind.places)
        else { return }
        add(
            Found(
                name: name, identifier: Mapping.positionName, places: kind.places, names: [:], keys: [],
                isStated: false))
    }

    /// Objects without a usual identifier may be copies of those in a list.
    private mutating func addCopies(_ kind: Kind, _ values: Survey.Place) {
        for type in types.indices.prefix(Self.mostCompared) where !types[type].names.isEmpty {
            let found = types[type]
            guard found.identifier.utf8.first != UInt8(ascii: ":"), kind.keys.isSubset(of: found.keys),
                kind.keys.count > 1, let names = identifiers.names(of: values.objects, found.identifier),
                let common = identifiers.common(found.names, names), common.count == names.count
            else { continue }
            types[type].places += kind.places
            for place in kind.places { typeOfPlace[place] = type }
            return
        }
    }

    mutating func add(_ type: Found) {
        // What is beyond stays embedded; references may need types, too.
        guard type.isStated || types.count < Mapping.mostTypes / 2 else { return }
        typesByName[type.name] = types.count
        for place in type.places { typeOfPlace[place] = types.count }
        types.append(type)
    }

    /// Leaves out small types, if an object has many members that each give such types of their own: it is a map of
    /// unlike objects.
    ///
    /// Types that the document names itself stay.
    mutating func dropCrowds() {
        let (mostRecords, mostMembers) = (10, 12)
        var members: [Int: [Int: Set<Int>]] = [:]
        for type in types.indices where !types[type].isStated && types[type].identifier != "id" && !types[type].saysName
        {
            let count = types[type].places.reduce(0) { $0 + survey.places[$1].objects.count }
            guard count < mostRecords else { continue }
            // The members on the way to all places of the type.
            var steps: [Int: Set<Int>] = [:]
            for place in types[type].places {
                var next = place
                while let parent = survey.places[next].parent, steps[parent, default: []].insert(next).inserted {
                    next = parent
                }
            }
            for (parent, children) in steps where children.count == 1 {
                for child in children { members[parent, default: [:]][child, default: []].insert(type) }
            }
        }
        let crowds = members.values.filter { $0.count > mostMembers }.flatMap { $0.values.joined() }
        for type in Set(crowds) {
            for place in types[type].places { typeOfPlace[place] = nil }
            types[type].places = []
        }
    }
}
