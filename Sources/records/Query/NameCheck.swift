import NestedRecords

/// Checks that the types and fields in the options occur in an input, and finds the routes of their paths.
///
/// An unknown name is probably a typing error. An input without records accepts all names.
struct NameCheck {
    /// The maximum number of field names that are kept for suggestions.
    private static let mostKnown = 2_000

    private let input: String
    private let names: [NameUse]

    /// The names for which records must be read.
    private var open: [NameUse]

    /// The routes of the paths.
    private(set) var routes = PathRoutes()

    private var types: Set<String> = []

    /// The existing field names by record type, and their spelling in a filter.
    private var known: [String: [String: String]] = [:]
    private(set) var knownCount = 0

    init(_ names: [NameUse], input: String) { (self.names, open, self.input) = (names, names, input) }

    /// Whether all names were found, and no later record matters.
    var isComplete: Bool { open.isEmpty }

    /// Checks the names against a record.
    mutating func note(_ record: Record) {
        if open.isEmpty { return }
        let type = record.id.type
        types.insert(type)
        var isSought = false
        open.removeAll { use in
            guard use.concerns(type) else { return false }
            guard let path = use.path else { return true }
            routes.note(path, in: record)
            let isFound = routes.hasRoute(of: path, in: type)
            if !isFound { isSought = true }
            // Other records may have lists or references where this one has maps.
            return isFound && path.names.count == 1
        }
        if isSought { noteNames(of: record) }
    }

    /// Reads the records of a database until all names are found, of types with paths of several names all records.
    ///
    /// - Parameter allTypes: Returns the types of all records; called if a type is missing.
    /// - Throws: `UsageError` for an unknown name, and errors of reading.
    mutating func look(
        into database: any RecordDatabase, allTypes: () async throws -> [String]
    ) async throws {
        try await read(open, in: database)
        if open.contains(where: { $0.path == nil }) { types.formUnion(try await allTypes()) }
        try await follow(in: database)
        try finish()
    }

    /// Finds the routes of paths through references in a database, after those of the records before the references.
    ///
    /// - Throws: `UsageError` for a path through too many references, and errors of reading.
    mutating func follow(in database: any RecordDatabase) async throws {
        // One by one: the field may be in several types.
        var uses = try names.flatMap(followed).flatMap(\.ofEachType)
        while !uses.isEmpty {
            try await read(uses, in: database)
            uses = try uses.flatMap(followed).flatMap(\.ofEachType)
        }
    }

    /// Reads the records that names concern.
    private mutating func read(_ uses: [NameUse], in database: any RecordDatabase) async throws {
        open = uses
        let named = uses.flatMap { $0.types.isEmpty ? [nil] : $0.types.map { $0 } }
        for type in named.uniqued() {
            for try await record in database.records(ofType: type) {
                try Task.checkCancellation()
                note(record)
                if !open.contains(where: { type.map($0.concerns) ?? $0.types.isEmpty }) { break }
            }
        }
    }

    /// The uses of the rest of a path in the records that references lead to.
    ///
    /// - Throws: `UsageError` for a path through too many references.
    private func followed(_ use: NameUse) throws -> [NameUse] {
        guard let path = use.path, path.names.count > 1 else { return [] }
        let targets = types.filter(use.concerns).reduce(into: [[String]: Set<String>]()) { all, type in
            all.merge(routes.targets(of: path, in: type)) { $0.union($1) }
        }
        if use.depth == PathRoutes.mostReferences, !targets.isEmpty {
            throw use.error("a path follows at most \(PathRoutes.mostReferences) references")
        }
        return targets.sorted { $0.key.count > $1.key.count }.map { use.following(to: $0.value.sorted(), $0.key) }
    }

    /// Ends the check after all records.
    ///
    /// - Throws: `UsageError` for the first unknown name, and for the path of an order that leads to several values.
    func finish() throws {
        if types.isEmpty { return }
        for use in names {
            guard let path = use.path else {
                if !types.contains(use.types[0]) { throw unknownType(use) }
                continue
            }
            let found = types.filter(use.concerns).flatMap { routes.routes(of: path, in: $0) }
            if found.isEmpty { throw try unknownField(use, path) }
            if use.needsOneValue, found.contains(where: { !$0.isPlain }) {
                throw use.error(
                    "'\(path.filterText.shortened)' leads through a list or a reference, so a record may "
                        + "have several such values; choose a field that has one")
            }
        }
    }

    private func unknownType(_ use: NameUse) -> UsageError {
        let type = use.types[0]
        let nearest = Spelling.nearest(to: type, in: types.sorted())
        let hint = nearest.map { "; did you mean '\($0)'?" } ?? "; \(types.sorted().listed)"
        return use.error("there is no type '\(type.shortened)' in \(input)\(hint)")
    }

    private func unknownField(_ use: NameUse, _ path: FieldPath) throws -> UsageError {
        // The references exist, and the field is missing in their targets.
        if let use = try followed(use).first, let path = use.path { return try unknownField(use, path) }
        let nearest = nearestField(to: path, of: use)
        let kinds = use.types.count == 1 ? "type" : "types"
        let owner = use.types.isEmpty ? "no record" : "no record of the \(kinds) \(use.types.joined(separator: ", "))"
        let hint = nearest.map { "; did you mean '\($0)'?" } ?? ""
        return use.error("\(owner) in \(input) has a field '\(path.filterText.shortened)'\(hint)")
    }

    /// The field of the noted records whose name is most like the path that was not found, as written in a filter.
    func nearestField(to path: FieldPath, of use: NameUse) -> String? {
        let names = known.reduce(into: [String: String]()) { all, names in
            if use.concerns(names.key) { all.merge(names.value) { first, _ in first } }
        }
        let plain = path.names.joined(separator: ".")
        // The user may have omitted the quotes of a name with a full stop.
        return names[plain] ?? Spelling.nearest(to: plain, in: names.keys.sorted()).flatMap { names[$0] }
    }

    private mutating func noteNames(of record: Record) {
        let depth = open.reduce(1) { max($0, $1.path?.names.count ?? 0) }
        var maps: [(path: [String], fields: Record.Fields)] = [([], record.fields)]
        while let (path, fields) = maps.popLast() {
            for (name, value) in fields {
                let names = path + [name]
                noteName(names, ofType: record.id.type)
                if value.kind == .location {
                    for part in ["latitude", "longitude"] { noteName(names + [part], ofType: record.id.type) }
                }
                guard names.count < depth else { continue }
                let inner = if case .list(let values) = value { values } else { [value] }
                for case .map(let inner) in inner { maps.append((names, inner)) }
            }
        }
    }

    private mutating func noteName(_ names: [String], ofType type: String) {
        let plain = names.joined(separator: ".")
        guard knownCount < Self.mostKnown, known[type]?[plain] == nil else { return }
        known[type, default: [:]][plain] = FieldPath(names).filterText
        knownCount += 1
    }
}
