import NestedRecords

/// What is at the paths of some records: the fields, their kinds and values, and the references on the way.
///
/// The data decides what a path such as `reads.title` means: `reads` may be a map, a list of maps, or a reference. A name
/// that no record has is probably a typing error; an input without records accepts all names.
struct FieldCatalog: Sendable {
    /// The maximum number of field names that are kept for suggestions.
    private static let mostKnown = 2_000

    /// The records; nil if they are noted one by one.
    let database: (any RecordDatabase)?

    /// The name of the records in errors.
    let input: String

    /// The maximum number of values of all records that are passed together to ``values(at:in:)``.
    ///
    /// Two steps can lead from each record to each other one: 10,000 records have 100,000,000 values then.
    var mostTogether = 10_000_000

    /// The names to look for, and those for which records must be read.
    private let names: [Name]
    private var open: [Name]

    private var types: Set<String> = []

    /// The existing field names by record type, and their spelling in a filter.
    private var known: [String: [String: String]] = [:]
    private(set) var knownCount = 0

    /// The routes of each path, by type.
    private(set) var routes: [String: [FieldPath: Set<Route>]] = [:]

    /// The found values of fields, by type.
    var examples: [String: [FieldPath: Record.Value]] = [:]

    init(_ names: [Name] = [], in database: (any RecordDatabase)? = nil, named input: String = "") {
        (self.names, open, self.database, self.input) = (names, names, database, input)
    }

    /// Whether all names were found, and no later record matters.
    var isComplete: Bool { open.isEmpty }

    /// Looks for the names in a record.
    mutating func note(_ record: Record) {
        if open.isEmpty { return }
        let type = record.id.type
        types.insert(type)
        var isSought = false
        open.removeAll { name in
            guard name.concerns(type) else { return false }
            guard let path = name.path else { return true }
            let found = path.ends(in: record).map(\.route)
            if !found.isEmpty { routes[type, default: [:]][path, default: []].formUnion(found) }
            let isFound = routes[type]?[path] != nil
            if !isFound { isSought = true }
            // Other records may have lists or references where this one has maps.
            return isFound && path.names.count == 1
        }
        if isSought { noteNames(of: record) }
    }

    /// Looks for names in a database.
    ///
    /// - Throws: `UsageError` for an unknown name, and errors of reading.
    @discardableResult
    static func checked(
        _ names: [Name], in database: any RecordDatabase, named input: String
    ) async throws -> FieldCatalog {
        var catalog = FieldCatalog(names, in: database, named: input)
        try await catalog.check()
        return catalog
    }

    /// Reads the records of the database until all names are found, of types with paths of several names all records.
    ///
    /// - Throws: `UsageError` for an unknown name, and errors of reading.
    mutating func check() async throws {
        try await read(open)
        if let database, open.contains(where: { $0.path == nil }) {
            types.formUnion(try await RecordInput.counts(of: database).map(\.type))
        }
        try await follow()
        try finish()
    }

    /// Finds the routes of paths through references in the database, after those of the records before the references.
    ///
    /// - Throws: `UsageError` for a path through too many references, and errors of reading.
    mutating func follow() async throws {
        // One by one: the field may be in several types.
        var next = try names.flatMap(followed).flatMap(\.ofEachType)
        while !next.isEmpty {
            try await read(next)
            next = try next.flatMap(followed).flatMap(\.ofEachType)
        }
    }

    /// Reads the records that names concern.
    private mutating func read(_ names: [Name]) async throws {
        open = names
        guard let database else { return }
        for type in names.flatMap({ $0.types.isEmpty ? [nil] : $0.types.map { $0 } }).uniqued() {
            for try await record in database.records(ofType: type) {
                try Task.checkCancellation()
                note(record)
                if !open.contains(where: { type.map($0.concerns) ?? $0.types.isEmpty }) { break }
            }
        }
    }

    /// The names of the rest of a path in the records that references lead to.
    ///
    /// - Throws: `UsageError` for a path through too many references.
    private func followed(_ name: Name) throws -> [Name] {
        guard let path = name.path, path.names.count > 1 else { return [] }
        var targets: [[String]: Set<String>] = [:]
        for route in types.filter(name.concerns).flatMap({ routes[$0]?[path] ?? [] }) {
            if let type = route.type { targets[route.rest, default: []].insert(type) }
        }
        if name.depth == Self.mostReferences, !targets.isEmpty {
            throw name.error("a path follows at most \(Self.mostReferences) references")
        }
        return targets.sorted { $0.key.count > $1.key.count }.map { name.following(to: $0.value.sorted(), $0.key) }
    }

    /// Ends the check after all records.
    ///
    /// - Throws: `UsageError` for the first unknown name, and for the path of an order that leads to several values.
    func finish() throws {
        if types.isEmpty { return }
        for name in names {
            guard let path = name.path else {
                if !types.contains(name.types[0]) {
                    throw name.error(types.sorted().unknown(name.types[0], in: input))
                }
                continue
            }
            let found = types.filter(name.concerns).flatMap { routes(of: path, in: $0) }
            if found.isEmpty { throw try unknownField(name, path) }
            if name.needsOneValue, found.contains(where: { !$0.isPlain }) {
                throw name.error(
                    "'\(path.filterText.shortened)' leads through a list or a reference, so a record may "
                        + "have several such values; choose a field that has one")
            }
        }
    }

    private func unknownField(_ name: Name, _ path: FieldPath) throws -> UsageError {
        // The references exist, and the field is missing in their targets.
        if let next = try followed(name).first, let path = next.path { return try unknownField(next, path) }
        let kinds = name.types.count == 1 ? "type" : "types"
        let owner =
            name.types.isEmpty ? "no record" : "no record of the \(kinds) \(name.types.joined(separator: ", "))"
        let hint = nearestField(to: path, of: name).map { "; did you mean '\($0)'?" } ?? missingStep(of: path, name)
        return name.error("\(owner) in \(input) has a field '\(path.filterText.shortened)'\(hint)")
    }

    /// The part of an error that says which field on the way neither is a map nor refers to records.
    private func missingStep(of path: FieldPath, _ name: Name) -> String {
        let names = known.filter { name.concerns($0.key) }.flatMap(\.value.values)
        let ways = (1..<max(path.names.count, 1)).map { FieldPath(Array(path.names.prefix($0))).filterText }
        guard let field = ways.last(where: names.contains),
            !names.contains(where: { $0.utf8.starts(with: (field + ".").utf8) })
        else { return "" }
        return "; '\(field)' is not a map or a reference, and 'records query --refer' makes references of names"
    }

    /// The field of the noted records whose name is most like the path that was not found, as written in a filter.
    func nearestField(to path: FieldPath, of name: Name) -> String? {
        let names = known.reduce(into: [String: String]()) { all, names in
            if name.concerns(names.key) { all.merge(names.value) { first, _ in first } }
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
                let parts = value.kind == .location ? ["latitude", "longitude"] : []
                for names in [names] + parts.map({ names + [$0] }) { note(names, ofType: record.id.type) }
                guard names.count < depth else { continue }
                let inner = if case .list(let values) = value { values } else { [value] }
                for case .map(let inner) in inner { maps.append((names, inner)) }
            }
        }
    }

    private mutating func note(_ names: [String], ofType type: String) {
        let plain = names.joined(separator: ".")
        guard knownCount < Self.mostKnown, known[type]?[plain] == nil else { return }
        known[type, default: [:]][plain] = FieldPath(names).filterText
        knownCount += 1
    }
}

extension [String] {
    /// The reason of an error for a type that is not among these, with the one that may be meant.
    func unknown(_ type: String, in input: String) -> String {
        let hint = Spelling.nearest(to: type, in: self).map { "did you mean '\($0)'?" } ?? listed
        if type.utf8.contains(UInt8(ascii: "/")) {
            return "'\(type.shortened)' is not a type; 'records get' prints records by their IDs"
        }
        return "there is no type '\(type.shortened)' in \(input); \(hint)"
    }
}
