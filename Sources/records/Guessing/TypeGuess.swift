import NestedRecords

/// Finds the types of a document: which objects are records, of which type, with which identifier.
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

    private static let mostCompared = 200

    let survey: Survey
    let options: GuessOptions
    private var identifiers: Identifiers
    private(set) var types: [Found] = []

    /// The type of each place with records.
    private(set) var typeOfPlace: [Int: Int] = [:]

    /// Two objects with one identifier and different content, by their place.
    private(set) var differences: [Int: (identifier: String, first: Int, second: Int)] = [:]

    init(_ survey: Survey, _ options: GuessOptions) {
        (self.survey, self.options) = (survey, options)
        identifiers = Identifiers(tree: survey.tree)
        for place in survey.places.indices where !survey.places[place].objects.isEmpty {
            if options.embedded.contains(where: { survey.matches($0, place) }) { continue }
            if options.isExact { takeKey(of: place) } else { guess(place) }
        }
    }

    /// Takes the key of a place as the type, if some object has an identifier.
    private mutating func takeKey(of place: Int) {
        let type = statedType(place) ?? survey.key(of: place) ?? options.fileName ?? "root"
        let identifier = options.identifier(of: type) ?? "id"
        if hasSome(identifier, survey.places[place]) { state(place, type, identifier) }
    }

    private func statedType(_ place: Int) -> String? {
        options.types.last { survey.matches($0.place, place) }?.type ?? (isRoot(place) ? options.rootType : nil)
    }

    private mutating func guess(_ place: Int) {
        let values = survey.places[place]
        let isCollection = values.step == .element || values.step == .entry
        let stated = statedType(place)
        let name = stated ?? name(of: place)
        let chosen = options.identifier(of: stated ?? name)
        if stated != nil || chosen != nil {
            let usual = isListOfRoots(place) ? Mapping.positionName : "id"
            let identifier = chosen ?? candidates(place, name, isCollection).first ?? usual
            if stated == nil, !hasSome(identifier, values) { return guessFreely(place, name, isCollection) }
            return state(place, name, identifier)
        }
        guessFreely(place, name, isCollection)
    }

    private func hasSome(_ identifier: String, _ place: Survey.Place) -> Bool {
        identifier.utf8.first == UInt8(ascii: ":") || survey.tree.key(identifier).map { place.keys[$0] != nil } ?? false
    }

    private func candidates(_ place: Int, _ name: String, _ isCollection: Bool) -> [String] {
        // The root of a document often has a name.
        let values = survey.places[place]
        var found = identifiers.candidates(values, type: name, isCollection: isCollection)
        if place == 0, let key = survey.tree.key("name"), values.keys[key] == 1 { found.append("name") }
        return found
    }

    /// Adds a place to a type that the user stated, whatever its objects are like.
    private mutating func state(_ place: Int, _ name: String, _ identifier: String) {
        if let type = types.firstIndex(where: { $0.name == name }) {
            types[type].places.append(place)
            typeOfPlace[place] = type
        } else {
            add(Found(name: name, identifier: identifier, places: [place], names: [:], keys: [], isStated: true))
        }
    }

    private mutating func guessFreely(_ place: Int, _ name: String, _ isCollection: Bool) {
        let values = survey.places[place]
        for identifier in candidates(place, name, isCollection) {
            guard let names = identifiers.names(of: values.objects, identifier) else {
                if let (first, second) = identifiers.difference, differences[place] == nil {
                    differences[place] = (identifier, first, second)
                }
                continue
            }
            if let (type, joined) = likeType(place, name, identifier, names) {
                types[type].places.append(place)
                types[type].names = joined
                types[type].keys.formUnion(values.keys.keys)
                typeOfPlace[place] = type
                return
            }
            return add(
                Found(
                    name: distinct(name, place), identifier: identifier, places: [place], names: names,
                    keys: Set(values.keys.keys), isStated: false))
        }
        if isCollection || place == 0 { return addByPosition(place, name) }
        // An object without a usual identifier may be a copy of one in a list.
        for type in types.indices.prefix(Self.mostCompared) where !types[type].names.isEmpty {
            let found = types[type]
            guard found.identifier.utf8.first != UInt8(ascii: ":"), Set(values.keys.keys).isSubset(of: found.keys),
                values.keys.count > 1, let names = identifiers.names(of: values.objects, found.identifier),
                let joined = identifiers.joined(found.names, names), joined.shared == names.count
            else { continue }
            types[type].places.append(place)
            typeOfPlace[place] = type
            return
        }
    }

    /// The objects of a list of roots are named by their positions.
    private mutating func addByPosition(_ place: Int, _ name: String) {
        guard isListOfRoots(place), survey.places[place].scalars + survey.places[place].texts == 0,
            survey.places[place].lists == 0
        else { return }
        add(
            Found(
                name: distinct(name, place), identifier: Mapping.positionName, places: [place], names: [:], keys: [],
                isStated: false))
    }

    private mutating func add(_ type: Found) {
        for place in type.places { typeOfPlace[place] = types.count }
        types.append(type)
    }

    /// Whether a place is the elements of a list that is the root, or is in the envelope.
    private func isListOfRoots(_ place: Int) -> Bool {
        guard survey.places[place].step == .element, let list = survey.places[place].parent else { return false }
        guard let envelope = survey.places[list].parent else { return true }
        return survey.places[list].lists == 1 && survey.places[list].objects.isEmpty
            && isEnvelope(envelope)
    }

    private func isEnvelope(_ place: Int) -> Bool {
        guard survey.isUnique(place) else { return false }
        var next: Int? = place
        while let place = next {
            if typeOfPlace[place] != nil { return false }
            next = survey.places[place].parent
        }
        return true
    }

    private func isRoot(_ place: Int) -> Bool {
        place == 0 && typeOfPlace[place] == nil || survey.places[place].parent == 0 && survey.key(of: place) == nil
    }
}

// MARK: Names

extension TypeGuess {
    /// The name that the key of a place gives.
    private func name(of place: Int) -> String {
        let file = options.fileName.flatMap(TypeName.type)
        guard let key = survey.key(of: place) else { return file ?? (place == 0 ? "Root" : "Item") }
        // An entry of an entry has no key of its own.
        let isInner =
            survey.places[place].step == .entry
            && survey.places[place].parent.map { survey.places[$0].step == .entry } ?? false
        let end = isInner ? "Entry" : ""
        if let name = TypeName.type(of: key) { return name + end }
        let digits = TypeName.type(of: "a" + key)?.utf8.dropFirst() ?? ""[...].utf8
        if let file, file.utf8.suffix(digits.count).elementsEqual(digits) { return file + end }
        return (file ?? "Item") + String(Substring(digits)) + end
    }

    /// The name, with the name of an enclosing type before it if another type has it.
    private func distinct(_ name: String, _ place: Int) -> String {
        func isFree(_ name: String) -> Bool { !types.contains { $0.name == name } }
        if isFree(name) { return name }
        var next = survey.places[place].parent
        while let parent = next {
            if case .key(let key) = survey.places[parent].step, let outer = TypeName.type(of: key), outer != name,
                isFree(outer + name)
            {
                return outer + name
            }
            next = survey.places[parent].parent
        }
        return (2...).lazy.map { "\(name)\($0)" }.first(where: isFree) ?? name
    }
}

// MARK: Like shapes

extension TypeGuess {
    /// The type whose objects are like those at a place, and all its objects by name.
    private mutating func likeType(
        _ place: Int, _ name: String, _ identifier: String, _ names: Identifiers.Names
    ) -> (Int, Identifiers.Names)? {
        let keys = Set(survey.places[place].keys.keys)
        for type in types.indices.prefix(Self.mostCompared) {
            let found = types[type]
            guard found.identifier == identifier, identifier != Mapping.positionName, !found.isStated else { continue }
            let common = Double(keys.intersection(found.keys).count)
            let likeness = common / Double(keys.union(found.keys).count)
            let isPart = keys.isSubset(of: found.keys) || found.keys.isSubset(of: keys)
            guard likeness >= 0.5 || isPart else { continue }
            guard let joined = identifiers.joined(found.names, names) else { continue }
            let isInside = found.places.contains { contains($0, place) }
            let isLike =
                found.name == name && (likeness >= 0.3 || isPart)
                || likeness == 1 && (keys.count >= 3 || joined.shared > 0 && keys.count > 1)
                || isInside && likeness >= 0.6 && identifiers.isStrong(identifier, type: name)
                || joined.shared > 0 && common > 1 && likeness >= 0.5
                || isPart && joined.shared > 0 && (common > 1 || joined.shared == names.count && hasLongNames(names))
            if isLike { return (type, joined.names) }
        }
        return nil
    }

    /// Whether names are not equal by chance, as small numbers are.
    private func hasLongNames(_ names: Identifiers.Names) -> Bool { names.keys.allSatisfy { $0.text.utf8.count >= 4 } }

    private func contains(_ outer: Int, _ inner: Int) -> Bool {
        var next = survey.places[inner].parent
        while let place = next {
            if place == outer { return true }
            next = survey.places[place].parent
        }
        return false
    }
}
