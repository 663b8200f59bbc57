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

        /// Whether the objects say the name themselves.
        var saysName = false
    }

    /// The places whose objects have the same name and are like each other.
    struct Kind {
        let name: String
        let saysName: Bool
        let isEntry: Bool
        var places: [Int]
        var keys: Set<UInt32>
    }

    /// Keys of the parts of a schema.
    private static let alternatives = ["anyOf", "oneOf", "allOf"]

    /// The maximum number of kinds or types that one is compared with: the time is proportional to the document.
    static let mostCompared = 200

    let survey: Survey
    let options: GuessOptions
    var identifiers: Identifiers
    private var kinds: [Kind] = []
    private var kindsByName: [String: [Int]] = [:]
    private(set) var types: [Found] = []
    private(set) var typesByName: [String: Int] = [:]

    /// The type of each place with records.
    private(set) var typeOfPlace: [Int: Int] = [:]

    /// The types to which the objects at some places refer.
    var references: [Int: String] = [:]

    /// Two objects with one identifier and different content, by their place.
    private(set) var differences: [Int: (identifier: String, first: Int, second: Int)] = [:]

    init(_ survey: Survey, _ options: GuessOptions) {
        (self.survey, self.options) = (survey, options)
        identifiers = Identifiers(tree: survey.tree)
        for place in survey.places.indices where !survey.places[place].objects.isEmpty {
            if options.embedded.contains(where: { survey.matches($0, place) }) { continue }
            // What the user states to be a reference is not a record, unless it is a stated type, too.
            let isReference = options.references.contains { survey.matches($0.place, place) }
            if isReference, !options.isExact, statedType(place) == nil { continue }
            if options.isExact { takeKey(of: place) } else if !takeStatement(on: place) { addKind(of: place) }
        }
        let pairs = kinds.filter(isPair)
        for kind in kinds where !isPair(kind) { guess(kind) }
        for kind in pairs where !refer(kind) { guess(kind) }
        dropCrowds()
        for type in types.indices where types[type].isStated {
            let objects = types[type].places.flatMap { survey.places[$0].objects }
            types[type].names = identifiers.names(of: objects, types[type].identifier) ?? [:]
        }
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
        let name = stated ?? saidName(of: place) ?? name(of: place)
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
        identifier.utf8.first == UInt8(ascii: ":")
            || survey.tree.keys(of: identifier)?.first.map { place.keys[$0] != nil } ?? false
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
        if survey.isInContext(place) { return }
        if values.isReference { return noteReference(place) }
        if survey.key(of: place).map(Self.alternatives.contains) ?? false { return }
        if survey.isTable(place) || isPartOfIdentifier(place) { return }
        let said = saidName(of: place)
        let (name, keys, isEntry) = (said ?? name(of: place), Set(values.keys.keys), values.step == .entry)
        for kind in (kindsByName[name] ?? []).prefix(Self.mostCompared)
        where kinds[kind].saysName == (said != nil) && isPair(kinds[kind]) == isPair(place)
            && (said != nil || kinds[kind].isEntry == isEntry && isLike(keys, kinds[kind].keys))
        {
            kinds[kind].places.append(place)
            kinds[kind].keys.formUnion(keys)
            return
        }
        kindsByName[name, default: []].append(kinds.count)
        kinds.append(Kind(name: name, saysName: said != nil, isEntry: isEntry, places: [place], keys: keys))
    }

    private func isLike(_ first: Set<UInt32>, _ second: Set<UInt32>) -> Bool {
        let common = first.commonCount(with: second)
        return common == min(first.count, second.count) || 3 * common >= first.count + second.count
    }

    private mutating func guess(_ kind: Kind) {
        let values = survey.joined(kind.places)
        // One entry in the depth does not show that there is a map.
        if values.step == .entry, values.objects.count == 1, !values.isNearRoot, !values.isPointed { return }
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
            } else if let name = distinct(kind.name, kind.places) {
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
                let common = identifiers.common(found.names, names), common.count == names.count
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
    private static let general = ["data", "items", "value", "values", "list", "rows", "records", "objects"]

    /// The name that the key of a place gives.
    private func name(of place: Int) -> String {
        var file = options.fileName.flatMap(TypeName.type(ofFile:))
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
        if typesAround(places).contains(type) { return nil }
        for parent in places.prefix(1).flatMap(survey.parents) {
            if case .key(let key) = survey.places[parent].step, let outer = TypeName.type(of: key), outer != name,
                isFree(outer + name)
            {
                return outer + name
            }
        }
        return nil
    }
}

// MARK: Like shapes

extension TypeGuess {
    /// The type whose objects are like those of a kind, and for each name of the kind the fullest object of both.
    private mutating func likeType(
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
                || around.contains(type) && likeness >= 0.6 && identifiers.isStrong(identifier)
                || shared.count > 0 && common > 1 && likeness >= 0.5
                || isPart && shared.count > 0 && (common > 1 || shared.count == names.count && hasLongNames(names))
            if isLike { return (type, names.merging(shared) { $1 }) }
        }
        return nil
    }

    /// Whether the objects refer to those of a type: they have its names, and are inside them or have no
    /// other keys, with another content.
    private mutating func isReference(
        _ kind: Kind, _ identifier: String, _ names: Identifiers.Names, _ around: Set<Int>
    ) -> Bool {
        for type in types.indices.prefix(Self.mostCompared) where !types[type].isStated {
            let found = types[type]
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
    private func typesAround(_ places: [Int]) -> Set<Int> {
        places.reduce(into: []) { types, place in
            for parent in survey.parents(of: place) { if let type = typeOfPlace[parent] { types.insert(type) } }
        }
    }
}

extension Set {
    /// The number of elements that both sets have; the time depends on the smaller set only.
    fileprivate func commonCount(with other: Set) -> Int {
        count <= other.count ? self.count(where: other.contains) : other.count(where: contains)
    }
}
