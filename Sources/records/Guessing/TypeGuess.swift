import NestedRecords

/// Finds the types of a document: which objects are records, of which type, with which identifier.
///
/// Objects of one kind get one treatment: all are records, or none is.
struct TypeGuess {
    /// A type with the places of its objects.
    struct Found {
        var name: String
        let identifier: String
        var places: [Int]
        var names: Identifiers.Names
        var keys: Set<UInt32>

        /// Whether the user named the type.
        let isStated: Bool
    }

    /// The places whose objects have the same name and are like each other.
    private struct Kind {
        let name: String
        let isEntry: Bool
        var places: [Int]
        var keys: Set<UInt32>
    }

    private static let mostCompared = 200

    let survey: Survey
    let options: GuessOptions
    private var identifiers: Identifiers
    private var kinds: [Kind] = []
    private var kindsByName: [String: [Int]] = [:]
    private(set) var types: [Found] = []
    private var typesByName: [String: Int] = [:]

    /// The type of each place with records.
    private(set) var typeOfPlace: [Int: Int] = [:]

    /// Two objects with one identifier and different content, by their place.
    private(set) var differences: [Int: (identifier: String, first: Int, second: Int)] = [:]

    init(_ survey: Survey, _ options: GuessOptions) {
        (self.survey, self.options) = (survey, options)
        identifiers = Identifiers(tree: survey.tree)
        for place in survey.places.indices where !survey.places[place].objects.isEmpty {
            if options.embedded.contains(where: { survey.matches($0, place) }) { continue }
            if options.isExact { takeKey(of: place) } else if !takeStatement(on: place) { addKind(of: place) }
        }
        for kind in kinds { guess(kind) }
        dropCrowds()
    }
}

// MARK: Statements of the user

extension TypeGuess {
    /// Takes the key of a place as the type, if some object has an identifier.
    private mutating func takeKey(of place: Int) {
        let type = statedType(place) ?? survey.key(of: place) ?? options.fileName ?? "root"
        let identifier = options.identifier(of: type) ?? "id"
        if hasSome(identifier, survey.places[place]) { state(place, type, identifier) }
    }

    /// Takes what the user stated about a place; returns whether that is anything.
    private mutating func takeStatement(on place: Int) -> Bool {
        let stated = statedType(place)
        let name = stated ?? name(of: place)
        // Where the user stated all places of a type, the identifier is for these.
        let isElsewhere = stated == nil && (options.rootType == name || options.types.contains { $0.type == name })
        let chosen = isElsewhere ? nil : options.identifier(of: name)
        guard stated != nil || chosen != nil else { return false }
        let usual = isListOfRoots(place) ? Mapping.positionName : "id"
        let identifier = chosen ?? identifiers.candidates(survey.places[place], type: name).first ?? usual
        guard stated != nil || hasSome(identifier, survey.places[place]) else { return false }
        state(place, name, identifier)
        return true
    }

    private func statedType(_ place: Int) -> String? {
        options.types.last { survey.matches($0.place, place) }?.type ?? (isRoot(place) ? options.rootType : nil)
    }

    private func hasSome(_ identifier: String, _ place: Survey.Place) -> Bool {
        identifier.utf8.first == UInt8(ascii: ":") || survey.tree.key(identifier).map { place.keys[$0] != nil } ?? false
    }

    /// Adds a place to a type that the user stated, whatever its objects are like.
    private mutating func state(_ place: Int, _ name: String, _ identifier: String) {
        if let type = typesByName[name] {
            types[type].places.append(place)
            typeOfPlace[place] = type
        } else {
            add(Found(name: name, identifier: identifier, places: [place], names: [:], keys: [], isStated: true))
        }
    }
}

// MARK: Kinds

extension TypeGuess {
    private mutating func addKind(of place: Int) {
        let values = survey.places[place]
        // The context of linked data says what its keys are.
        if survey.path(of: place).utf8.starts(with: "/@context".utf8) { return }
        if values.isReference(in: survey.tree) || survey.isTable(place) { return }
        let (name, keys, isEntry) = (name(of: place), Set(values.keys.keys), values.step == .entry)
        for kind in (kindsByName[name] ?? []).prefix(Self.mostCompared)
        where kinds[kind].isEntry == isEntry && isLike(keys, kinds[kind].keys) {
            kinds[kind].places.append(place)
            kinds[kind].keys.formUnion(keys)
            return
        }
        kindsByName[name, default: []].append(kinds.count)
        kinds.append(Kind(name: name, isEntry: isEntry, places: [place], keys: keys))
    }

    private func isLike(_ first: Set<UInt32>, _ second: Set<UInt32>) -> Bool {
        first.isSubset(of: second) || second.isSubset(of: first)
            || 2 * first.intersection(second).count >= first.union(second).count
    }

    private mutating func guess(_ kind: Kind) {
        let values = survey.joined(kind.places)
        // One entry in the depth does not show that there is a map.
        if values.step == .entry, values.objects.count == 1, !values.isNearRoot { return }
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
            if isReference(kind, identifier, names) { return }
            if let (type, joined) = likeType(kind, identifier, names) {
                types[type].places += kind.places
                types[type].names = joined
                types[type].keys.formUnion(kind.keys)
                if types[type].name.hasBytesAtEnd(kind.name), typesByName[kind.name] == nil {
                    types[type].name = kind.name
                    typesByName[kind.name] = type
                }
                for place in kind.places { typeOfPlace[place] = type }
            } else if let name = distinct(kind.name, kind.places) {
                add(
                    Found(
                        name: name, identifier: identifier, places: kind.places, names: names, keys: kind.keys,
                        isStated: false))
            }
            return
        }
        // An object in another object of its kind may be a part of it.
        var outer = kind
        outer.places.removeAll { place in kind.places.contains { contains($0, place) } }
        if outer.places.count < kind.places.count { return guess(outer) }
        if let difference { for place in kind.places { differences[place] = difference } }
        if values.isCollection { addByPosition(kind) } else { addCopies(kind, values) }
    }

    /// The objects of a list of roots are named by their positions.
    private mutating func addByPosition(_ kind: Kind) {
        guard kind.places.count == 1, isListOfRoots(kind.places[0]) else { return }
        let values = survey.places[kind.places[0]]
        guard values.scalars + values.texts + values.lists == 0 else { return }
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
                let joined = identifiers.joined(found.names, names), joined.shared == names.count
            else { continue }
            types[type].places += kind.places
            for place in kind.places { typeOfPlace[place] = type }
            return
        }
    }

    private mutating func add(_ type: Found) {
        // What is beyond stays embedded; references may need types, too.
        guard type.isStated || types.count < Mapping.mostTypes / 2 else { return }
        typesByName[type.name] = types.count
        for place in type.places { typeOfPlace[place] = types.count }
        types.append(type)
    }

    /// Leaves out small types, if an object has many members that each give such types of their own: it is a map of
    /// unlike objects.
    private mutating func dropCrowds() {
        let (mostRecords, mostMembers) = (10, 12)
        var members: [Int: [Int: Set<Int>]] = [:]
        for type in types.indices where !types[type].isStated && types[type].identifier != "id" {
            let count = types[type].places.reduce(0) { $0 + survey.places[$1].objects.count }
            guard count < mostRecords else { continue }
            // The members on the way to all places of the type.
            var steps: [Int: Set<Int>] = [:]
            for place in types[type].places {
                var next = place
                while let parent = survey.places[next].parent {
                    steps[parent, default: []].insert(next)
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

// MARK: Roots

extension TypeGuess {
    /// Whether a place is the elements of a list that is the root, or is in the envelope.
    private func isListOfRoots(_ place: Int) -> Bool {
        guard survey.places[place].step == .element, let list = survey.places[place].parent else { return false }
        guard let envelope = survey.places[list].parent else { return true }
        let isNear = envelope == 0 || survey.places[envelope].parent == 0
        return isNear && survey.places[list].lists == 1 && survey.places[list].objects.isEmpty
            && survey.isUnique(envelope) && typeOfPlace[envelope] == nil && typeOfPlace[0] == nil
    }

    private func isRoot(_ place: Int) -> Bool {
        place == 0 && typeOfPlace[place] == nil || survey.places[place].parent == 0 && survey.key(of: place) == nil
    }
}

// MARK: Names

extension TypeGuess {
    /// Keys of lists that do not name their objects.
    private static let general = ["data", "items", "entries", "value", "values", "list", "rows", "records", "objects"]

    /// The name that the key of a place gives.
    private func name(of place: Int) -> String {
        var file = options.fileName.flatMap(TypeName.type)
        if let text = file, text.utf8.count > 40 { file = nil }
        guard let key = survey.key(of: place) else {
            if place > 0 { return file ?? "Item" }
            // A file that is named like its object does not have the name of a type.
            let names = identifiers.candidates(survey.places[0], type: nil).compactMap {
                identifiers.name(of: survey.tree.root, $0)
            }
            return file.flatMap { file in names.contains { TypeName.type(of: $0) == file } ? nil : file } ?? "Document"
        }
        let list = survey.places[place].parent
        if let file, Self.general.contains(key), list.flatMap({ survey.places[$0].parent }) == 0 { return file }
        // An entry of an entry has no key of its own.
        let isInner =
            survey.places[place].step == .entry && list.map { survey.places[$0].step == .entry } ?? false
        let end = isInner ? "Entry" : ""
        if let name = TypeName.type(of: key) { return name + end }
        let digits = TypeName.type(of: "a" + key)?.utf8.dropFirst() ?? ""[...].utf8
        if let file, file.utf8.suffix(digits.count).elementsEqual(digits) { return file + end }
        return (file ?? "Item") + String(Substring(digits)) + end
    }

    /// The name, or that of an enclosing key before it if another type has it.
    ///
    /// The result is nil if there is none, and for objects inside others of the name, which are parts of them.
    private func distinct(_ name: String, _ places: [Int]) -> String? {
        func isFree(_ name: String) -> Bool { typesByName[name] == nil }
        guard let type = typesByName[name] else { return name }
        if types[type].places.contains(where: { outer in places.contains { contains(outer, $0) } }) { return nil }
        var next = places.first.flatMap { survey.places[$0].parent }
        while let parent = next {
            if case .key(let key) = survey.places[parent].step, let outer = TypeName.type(of: key), outer != name,
                isFree(outer + name)
            {
                return outer + name
            }
            next = survey.places[parent].parent
        }
        return nil
    }
}

// MARK: Like shapes

extension TypeGuess {
    /// The type whose objects are like those of a kind, and all its objects by name.
    private mutating func likeType(
        _ kind: Kind, _ identifier: String, _ names: Identifiers.Names
    ) -> (Int, Identifiers.Names)? {
        let keys = kind.keys
        for type in types.indices.prefix(Self.mostCompared) {
            let found = types[type]
            guard found.identifier == identifier, identifier != Mapping.positionName, !found.isStated else { continue }
            let common = Double(keys.intersection(found.keys).count)
            let likeness = common / Double(keys.union(found.keys).count)
            let isPart = keys.isSubset(of: found.keys) || found.keys.isSubset(of: keys)
            guard likeness >= 0.5 || isPart else { continue }
            guard let joined = identifiers.joined(found.names, names) else { continue }
            let isLike =
                found.name == kind.name && (likeness >= 0.3 || isPart)
                || likeness == 1 && (keys.count >= 3 || joined.shared > 0 && keys.count > 1)
                || isInside(kind, found) && likeness >= 0.6 && identifiers.isStrong(identifier)
                || joined.shared > 0 && common > 1 && likeness >= 0.5
                || isPart && joined.shared > 0 && (common > 1 || joined.shared == names.count && hasLongNames(names))
            if isLike { return (type, joined.names) }
        }
        return nil
    }

    /// Whether the objects refer to those of a type: they have its names, and are inside them or have no
    /// other keys, with another content.
    private mutating func isReference(_ kind: Kind, _ identifier: String, _ names: Identifiers.Names) -> Bool {
        for type in types.indices.prefix(Self.mostCompared) where !types[type].isStated {
            let found = types[type]
            guard found.identifier == identifier, names.count > 2, names.count < found.names.count,
                identifier != Mapping.keyName, isInside(kind, found) || kind.keys.isSubset(of: found.keys),
                names.keys.allSatisfy({ found.names[$0] != nil })
            else { continue }
            return identifiers.joined(found.names, names) == nil
        }
        return false
    }

    /// Whether names are not equal by chance, as small numbers are.
    private func hasLongNames(_ names: Identifiers.Names) -> Bool { names.keys.allSatisfy { $0.text.utf8.count >= 4 } }

    private func isInside(_ kind: Kind, _ type: Found) -> Bool {
        type.places.contains { outer in kind.places.contains { contains(outer, $0) } }
    }

    private func contains(_ outer: Int, _ inner: Int) -> Bool {
        var next = survey.places[inner].parent
        while let place = next {
            if place == outer { return true }
            next = survey.places[place].parent
        }
        return false
    }
}
