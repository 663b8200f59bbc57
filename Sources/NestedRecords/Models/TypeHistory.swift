/// What a type says of the records that earlier forms of it have stored.
struct TypeHistory {
    /// The values of fields that a record lacks.
    let defaults: PropertyList

    /// The names that the properties had before, by the properties' names.
    let formerNames: [String: [String]]

    /// The version of the type's fields; nil where it states none.
    let version: Int64?

    /// The list that cannot be understood, and why.
    let fault: (list: String, reason: String)?

    /// Nil where the type states nothing of this kind.
    init?<Model: RecordRepresentable>(of _: Model.Type) {
        let isNone =
            Model.FieldDefaultList.self == NoProperties.self && Model.FormerFieldNameList.self == NoProperties.self
            && Model.RecordVersion.self == NoProperties.self
        if isNone { return nil }
        var fault: (list: String, reason: String)?
        func fail(_ list: String, _ reason: String) { fault = fault ?? (list, reason) }
        defaults = PropertyList(Model.fieldDefaults)
        if let reason = defaults.fault { fail("fieldDefaults", reason) }
        if let name = defaults.names.subtracting(defaults.values.keys).min() {
            fail("fieldDefaults", "'\(name)' has no value")
        }
        if let name = defaults.names.intersection(PropertyList(Model.ignoredProperties).names).min() {
            fail("fieldDefaults", "'\(name)' is ignored: state its value in 'ignoredProperties'")
        }

        let formerNames = formerNamesByProperty(in: Model.formerFieldNames)
        if formerNames == nil { fail("formerFieldNames", "it is not a dictionary with lists of names") }
        self.formerNames = formerNames ?? [:]
        var owners: [String: String] = [:]
        for (property, names) in self.formerNames.sorted(by: { $0.key < $1.key }) {
            for name in names {
                if let owner = owners[name] {
                    fail("formerFieldNames", "'\(name)' is a former name of '\(owner)' and of '\(property)'")
                }
                owners[name] = property
            }
        }

        if Model.RecordVersion.self == NoProperties.self {
            version = nil
        } else {
            version = (Model.recordVersion as? any BinaryInteger).flatMap { Int64(exactly: $0) }
            if version ?? 0 < 1 { fail("recordVersion", "it is not a positive integer") }
        }
        self.fault = fault
    }

    /// The names in the lists that must be coding keys, each with its list.
    var propertyNames: [(list: String, name: String)] {
        defaults.names.map { ("fieldDefaults", $0) } + formerNames.keys.map { ("formerFieldNames", $0) }
    }

    /// The names that the field of a property may have had.
    ///
    /// A former name is that of a property, or that of a field as it is stored.
    static func formerFields(_ names: [String], _ strategy: KeyStrategy) -> [String] {
        strategy.renames ? names.map(strategy.fieldName) + names : names
    }
}

extension TypeHistory {
    private static let noted = Lock<[String: [String: [String]]]>([:])

    /// The former names of the properties of all types with a history that were used so far, by record type.
    ///
    /// Records are changed and saved without their Swift types.
    static var formerNamesByType: [String: [String: [String]]] { noted.withLock { $0 } }

    /// Adds the former names to those of a record type.
    func note(_ recordType: String) {
        Self.noted.withLock { noted in
            noted[recordType, default: [:]].merge(formerNames) { known, names in
                known + names.filter { !known.contains($0) }
            }
        }
    }
}

/// The names in an array, a set or a string; nil if it is something else.
private func nameList(in list: some Any) -> [String]? {
    if list is NoProperties { return [] }
    if let name = name(of: list) { return [name] }
    return (list as? any Collection).flatMap { strings(in: $0) }
}

private func strings(in list: some Collection) -> [String]? {
    let names = list.compactMap { name(of: $0) }
    guard names.count == list.count else { return nil }
    return list is Set<String> ? names.sorted() : names
}

/// A string or the string of a coding key; nil if it is something else.
private func name(of element: some Any) -> String? {
    element as? String ?? (element as? any CodingKey)?.stringValue
}

/// The former names by property; nil if the list is no dictionary of names.
private func formerNamesByProperty(in list: some Any) -> [String: [String]]? {
    if list is NoProperties { return [:] }
    return (list as? any ListingFormerNames)?.formerNames
}

/// A dictionary from which former names can be taken.
private protocol ListingFormerNames {
    /// Nil if the keys or values are not names.
    var formerNames: [String: [String]]? { get }
}

extension Dictionary: ListingFormerNames {
    fileprivate var formerNames: [String: [String]]? {
        var result: [String: [String]] = [:]
        for (key, value) in self {
            guard let property = name(of: key), let names = nameList(in: value) else { return nil }
            result[property] = names
        }
        return result
    }
}
