/// What the Swift types that were used so far say of former forms of their records, by record type.
///
/// Records are changed and saved without their Swift types: this says which former fields and types they have.
enum KnownHistories {
    private struct Entry: Sendable {
        let model: ObjectIdentifier
        let formerNames: [String: [String]]
        let formerTypes: [String]
    }

    private static let known = Lock<[String: [Entry]]>([:])

    static func note(_ history: TypeHistory, of model: Any.Type, recordType: String) {
        let entry = Entry(
            model: ObjectIdentifier(model), formerNames: history.formerNames, formerTypes: history.formerTypes)
        known.withLock { known in
            known[recordType, default: []].removeAll { $0.model == entry.model }
            known[recordType, default: []].append(entry)
        }
    }

    /// Whether no type has a history.
    static var isEmpty: Bool { known.withLock { $0.isEmpty } }

    /// The types that records of a type had before.
    static func formerTypes(of recordType: String) -> [String] {
        known.withLock { $0[recordType] ?? [] }.flatMap(\.formerTypes)
    }

    /// Gives the other IDs that a record may have, of the record types that its type had before; nil where no type has
    /// such a history.
    static var formerIDs: (@Sendable (Record.ID) -> [Record.ID])? {
        let types = known.withLock { $0 }.mapValues { $0.flatMap(\.formerTypes) }.filter { !$0.value.isEmpty }
        if types.isEmpty { return nil }
        return { id in (types[id.type] ?? []).map { Record.ID(checkedType: $0, name: id.name) } }
    }

    /// The properties of records of a type that had other names before, with those names.
    static func formerNames(of recordType: String) -> [(property: String, names: [String])] {
        known.withLock { $0[recordType] ?? [] }
            .flatMap { entry in entry.formerNames.map { ($0.key, $0.value) } }.sorted { $0.0 < $1.0 }
    }
}
