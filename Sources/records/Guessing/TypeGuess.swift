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
    static let alternatives = ["anyOf", "oneOf", "allOf", "prefixItems"]

    /// The maximum number of kinds or types that one is compared with: the time is proportional to the document.
    static let mostCompared = 200

    let survey: Survey
    let options: GuessOptions
    var identifiers: Identifiers
    var kinds: [Kind] = []
    var kindsByName: [String: [Int]] = [:]
    var types: [Found] = []
    var typesByName: [String: Int] = [:]

    /// The type of each place with records.
    var typeOfPlace: [Int: Int] = [:]

    /// The types of the records to which pointers lead.
    private(set) var typeOfTarget: [UInt32: Int] = [:]

    /// The types to which the objects at some places refer.
    var references: [Int: String] = [:]

    /// Two objects with one identifier and different content, by their place.
    var differences: [Int: (identifier: String, first: Int, second: Int)] = [:]

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
        for place in survey.places.indices where survey.places[place].isReference { referByName(place) }
        guard let targets = survey.pointers.map({ Set($0.targets.values) }), !targets.isEmpty else { return }
        for (place, type) in typeOfPlace {
            for object in survey.places[place].objects where targets.contains(object) { typeOfTarget[object] = type }
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

// MARK: Roots

extension TypeGuess {
    /// Whether a place is the elements of a list that is the root, or is in the envelope.
    func isListOfRoots(_ place: Int) -> Bool {
        guard survey.places[place].step == .element, let list = survey.places[place].parent else { return false }
        guard let envelope = survey.places[list].parent else { return true }
        // Deeper in the document only a key in the plural shows that there are records.
        let isPlural = survey.key(of: list).map { TypeName.isPlural($0) || Self.general.contains($0) } ?? true
        let isNear = envelope == 0 || survey.places[envelope].parent == 0 && isPlural
        return isNear && survey.places[list].lists == 1 && survey.places[list].objects.isEmpty
            && survey.isUnique(envelope) && typeOfPlace[envelope] == nil && typeOfPlace[0] == nil
    }

    private func isRoot(_ place: Int) -> Bool {
        place == 0 && typeOfPlace[place] == nil || survey.places[place].parent == 0 && survey.key(of: place) == nil
    }
}
