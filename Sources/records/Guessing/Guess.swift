import NestedRecords

/// The guessed mapping of a document, and what a user may want to know of it.
struct Guess {
    private(set) var mapping = Mapping()

    /// The paths of objects in lists and maps that stay in the fields of other records, some with a reason.
    private(set) var embedded: [String] = []

    /// The paths of all objects that are not records, without the reasons.
    private(set) var embeddedPaths: [String] = []

    /// The paths of records that are named by their positions in spite of an identifier, with the reason.
    private(set) var positioned: [String] = []

    /// The paths of values that are all names of a type, and the types.
    private(set) var possibleReferences: [(path: String, types: [String])] = []

    /// The paths of such values that became references, since their key names the type.
    private(set) var takenReferences: [(path: String, type: String)] = []

    /// Decides on a whole document.
    ///
    /// - Throws: `UsageError` for a name in the options that does not occur, and `JSONError` for a key that is to be a
    ///   type and cannot.
    init(_ tree: JSONTree, _ options: GuessOptions, _ ignored: [String] = []) throws {
        let survey = Survey(tree, findsMaps: !options.isExact)
        let found = TypeGuess(survey, options)
        for type in found.types { try found.checkName(of: type) }
        try OptionCheck(survey: survey, types: found.types.map(\.name)).check(options)
        mapping.ignored = ignored
        var size = PathSize(in: tree)
        func path(_ place: Int) throws -> String {
            try size.add(survey.places[place].pathSize)
            return survey.path(of: place)
        }
        let (noDates, noLocations) = (found.others(\.areDates), found.others(\.areLocations))
        for type in found.types where !type.places.isEmpty {
            let paths = try type.places.map(path)
            mapping.types[type.name, default: Mapping.RecordType(paths: [], identifier: type.identifier)].paths += paths
        }
        let prefixes = mapping.prefixes
        for place in survey.places.indices {
            let values = survey.places[place]
            func isStated(_ names: [String]) -> Bool { names.contains { survey.matches($0, place) } }
            if values.texts > 0 {
                func isGuessed(_ isForm: Bool, _ others: [Int: Set<PathStep>]) -> Bool {
                    guard !options.isExact, isForm else { return false }
                    let type = values.parent.flatMap { found.typeOfPlace[$0] }
                    return type.map { others[$0]?.contains(values.step) != true } ?? true
                }
                if isStated(options.locations) || isGuessed(values.areLocations, noLocations) {
                    mapping.locations.append(try path(place))
                } else if isStated(options.dates) || isGuessed(values.areDates, noDates) {
                    mapping.dates.append(try path(place))
                }
            }
            if place > 0, let type = options.references.last(where: { survey.matches($0.place, place) })?.type {
                mapping.references[try path(place)] = type
            } else if !options.isExact {
                let guess = found.reference(from: place, prefixes)
                if options.hasOnlyStatedReferences || guess.type == nil {
                    let types = guess.type.map { [$0] } ?? guess.others
                    if !types.isEmpty { possibleReferences.append((try path(place), types)) }
                } else if let type = guess.type {
                    let path = try path(place)
                    mapping.references[path] = type
                    takenReferences.append((path, type))
                }
            }
            let reason = found.differences[place].map { tree.difference($0.identifier, $0.first, $0.second) } ?? ""
            if let type = found.typeOfPlace[place] {
                if found.types[type].identifier == Mapping.positionName, !reason.isEmpty {
                    positioned.append(try path(place) + reason)
                }
            } else if found.references[place] == nil, values.isCollection, !values.objects.isEmpty {
                embedded.append(try path(place) + reason)
                embeddedPaths.append(try path(place))
            } else if !values.objects.isEmpty, place > 0, !options.isExact,
                options.embedded.contains(where: { survey.matches($0, place) })
            {
                embeddedPaths.append(try path(place))
            }
        }
    }

    /// Leaves out a type whose objects contradict each other.
    mutating func embed(_ error: MarkedTree.Contradiction, of tree: JSONTree) {
        guard let type = mapping.types.removeValue(forKey: error.type) else { return }
        let reason = tree.difference(type.identifier, error.first, error.second)
        embedded += type.paths.map { $0 + reason }
        embeddedPaths += type.paths.filter { !$0.isEmpty }
    }
}

/// The total size of paths, which is limited: values below many long keys would each repeat these.
struct PathSize {
    private let limit: Int
    private var size = 0

    init(in tree: JSONTree) { limit = 1 << 22 + 16 * tree.bytes.count }

    /// Adds the size of a path.
    ///
    /// - Throws: `JSONError` for too many bytes.
    mutating func add(_ count: Int) throws {
        size += count
        guard size <= limit else {
            throw JSONError(
                reason: "found long keys around many values, expected at most \(limit.grouped) bytes of paths to "
                    + "records, dates, locations and numbers in an unusual spelling: leave values out with --ignore",
                place: JSONPlace(line: 1, column: 1))
        }
    }
}

extension JSONTree {
    /// The reason why objects are not records.
    fileprivate func difference(_ identifier: String, _ first: Int, _ second: Int) -> String {
        " (other content with the same '\(identifier)' at \(place(of: first)) and \(place(of: second)))"
    }
}

extension TypeGuess {
    /// Checks that a record can have a type.
    fileprivate func checkName(of type: Found) throws {
        do {
            _ = try Record.ID(type: type.name, name: "1")
        } catch {
            let place = type.places.first ?? 0
            let option = survey.key(of: place).map { "--map '\($0)=Type'" } ?? "--type Type"
            throw JSONError(
                reason: "\(error), expected a type: state one with \(option)",
                place: survey.tree.place(of: Int(survey.places[place].objects.first ?? 0)))
        }
    }

    /// The fields of types with strings that are not dates, or not locations, at some place of the type.
    fileprivate func others(_ form: KeyPath<Survey.Place, Bool>) -> [Int: Set<PathStep>] {
        var others: [Int: Set<PathStep>] = [:]
        for place in survey.places where place.texts > 0 && !place[keyPath: form] {
            if let parent = place.parent, let type = typeOfPlace[parent] {
                others[type, default: []].insert(place.step)
            }
        }
        return others
    }
}

/// Checks that the names in options occur in the document.
struct OptionCheck {
    let survey: Survey
    let types: [String]

    func check(_ options: GuessOptions) throws {
        for (place, _) in options.types { try checkPlace(place, "map", "object") { !$0.objects.isEmpty } }
        for place in options.dates { try checkPlace(place, "date", "string") { $0.texts > 0 } }
        for place in options.locations { try checkPlace(place, "location", "string") { $0.texts > 0 } }
        for place in options.embedded { try checkPlace(place, "embed", "object") { !$0.objects.isEmpty } }
        for (place, type) in options.references {
            try checkPlace(place, "refer", "string or number") { $0.texts + $0.scalars + $0.objects.count > 0 }
            if type != Mapping.anyType { try checkType(type, "refer") }
        }
        for (type, key) in options.identifiers {
            if let type { try checkType(type, "id-key") }
            let special = [Mapping.keyName, Mapping.positionName]
            guard survey.tree.keys(of: key) == nil, !special.contains(key) else { continue }
            throw unknown("a key", key, "id-key", survey.tree.keys + special)
        }
    }

    /// Checks keys and paths of values to leave out.
    func check(_ ignored: [String]) throws {
        for place in ignored { try checkPlace(place, "ignore") }
    }

    private func checkPlace(
        _ name: String, _ option: String, _ what: String? = nil, _ holds: (Survey.Place) -> Bool = { _ in true }
    ) throws {
        let found = survey.places.indices.filter { survey.matches(name, $0) }
        if found.contains(where: { holds(survey.places[$0]) }) { return }
        if let what, !found.isEmpty {
            throw UsageError("option '--\(option)': the document has no \(what) under '\(name.shortened)'")
        }
        let isPath = name.utf8.first == UInt8(ascii: "/")
        throw unknown(isPath ? "a path" : "a key", name, option, isPath ? likePaths(name) : survey.tree.keys)
    }

    /// The paths that a user may have meant: no long ones.
    private func likePaths(_ name: String) -> [String] {
        survey.places.indices.filter { survey.places[$0].pathSize <= 1_024 }.map(survey.path)
    }

    private func checkType(_ type: String, _ option: String) throws {
        if types.contains(where: { $0.utf8.elementsEqual(type.utf8) }) { return }
        throw unknown("a type", type, option, types)
    }

    private func unknown(_ what: String, _ name: String, _ option: String, _ known: [String]) -> UsageError {
        let question = Spelling.question(name, in: known.sorted())
        return UsageError("option '--\(option)': the document has not \(what) '\(name.shortened)'\(question)")
    }
}
