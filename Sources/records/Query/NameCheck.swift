import NestedRecords

/// Checks that the types and fields in the options occur in an input.
///
/// An unknown name is probably a typing error. An input without records accepts all names.
struct NameCheck {
    /// The maximum number of field names that are kept for suggestions.
    private static let mostKnown = 2_000

    private let input: String

    /// The names that were not found yet.
    private var open: [NameUse]

    private var types: Set<String> = []

    /// The existing field names by record type, and their spelling in a filter.
    private var known: [String: [String: String]] = [:]
    private(set) var knownCount = 0

    init(_ names: [NameUse], input: String) { (open, self.input) = (names, input) }

    /// Whether all names were found.
    var isComplete: Bool { open.isEmpty }

    /// Checks the names against a record.
    mutating func note(_ record: Record) {
        if open.isEmpty { return }
        types.insert(record.id.type)
        open.removeAll { use in
            use.concerns(record.id.type) && use.path.map { $0.value(in: record) != nil } ?? true
        }
        let isSought = open.contains { $0.path != nil && $0.concerns(record.id.type) }
        if isSought { noteNames(of: record) }
    }

    /// Reads the records of a database until all names are found.
    ///
    /// - Parameter allTypes: Returns the types of all records; called if a type is missing.
    /// - Throws: `UsageError` for an unknown name, and errors of reading.
    mutating func look(
        into database: any RecordDatabase, allTypes: () async throws -> [String]
    ) async throws {
        let named = open.flatMap { $0.types.isEmpty ? [nil] : $0.types.map { $0 } }
        for type in named.uniqued() {
            for try await record in database.records(ofType: type) {
                note(record)
                if !open.contains(where: { type.map($0.concerns) ?? $0.types.isEmpty }) { break }
            }
        }
        if open.contains(where: { $0.path == nil }) { types.formUnion(try await allTypes()) }
        try finish()
    }

    /// Ends the check after all records.
    ///
    /// - Throws: `UsageError` for the first unknown name.
    func finish() throws {
        guard let use = open.first, !types.isEmpty else { return }
        guard let path = use.path else {
            let type = use.types.first ?? ""
            let nearest = Spelling.nearest(to: type, in: types.sorted())
            let hint = nearest.map { "; did you mean '\($0)'?" } ?? "; \(types.sorted().listed)"
            throw UsageError("\(use.place): there is no type '\(type.shortened)' in \(input)\(hint)")
        }
        let names = known.reduce(into: [String: String]()) { all, names in
            if use.concerns(names.key) { all.merge(names.value) { first, _ in first } }
        }
        let plain = path.names.joined(separator: ".")
        // The user may have omitted the quotes of a name with a full stop.
        let nearest = names[plain] ?? Spelling.nearest(to: plain, in: names.keys.sorted()).flatMap { names[$0] }
        let kinds = use.types.count == 1 ? "type" : "types"
        let owner = use.types.isEmpty ? "no record" : "no record of the \(kinds) \(use.types.joined(separator: ", "))"
        throw UsageError(
            "\(use.place): \(owner) in \(input) has a field '\(path.filterText.shortened)'\(Self.suggestion(nearest))")
    }

    private static func suggestion(_ word: String?) -> String { word.map { "; did you mean '\($0)'?" } ?? "" }

    private mutating func noteNames(of record: Record) {
        let depth = open.reduce(1) { max($0, $1.path?.names.count ?? 0) }
        var maps: [(path: [String], fields: Record.Fields)] = [([], record.fields)]
        while let (path, fields) = maps.popLast() {
            for (name, value) in fields {
                let names = path + [name]
                noteName(names, ofType: record.id.type)
                switch value {
                case .map(let inner) where names.count < depth: maps.append((names, inner))
                case .location:
                    for part in ["latitude", "longitude"] { noteName(names + [part], ofType: record.id.type) }
                default: break
                }
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
