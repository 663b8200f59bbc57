/// The options of a type's records besides their type and name.
///
/// ```swift
/// struct Person: RecordCodable, Identifiable {
///     var id: String
///     var name: String
///     var isActive: Bool
///     var position: String
///     var thumbnail: Data?
///     var visits: Int
///     static let schema = RecordSchema(
///         ignoring: ["thumbnail", "visits"], locations: ["position"],
///         defaults: ["isActive": true, "visits": 0], formerNames: ["name": ["title"]], version: 2)
/// }
/// ```
///
/// All names are those in `CodingKeys`. A name that is not a coding key of the type is an error the first time that the
/// type is encoded or decoded.
public struct RecordSchema: Sendable {
    let ignoring: Set<String>
    let ignoredValues: [String: any Encodable & Sendable]
    let locations: Set<String>
    let embeddedLocations: LocationPaths
    let cascading: Set<String>
    let unique: Set<String>
    let normalizing: [String: @Sendable (String) -> String]
    let indexes: [[String]]
    let defaults: [String: any Encodable & Sendable]
    let formerNames: [String: [String]]
    let formerRecordTypes: [String]
    let version: Int64?
    let fault: (part: String, reason: String)?

    /// Makes a schema.
    ///
    /// - Parameters:
    ///   - ignoring: The properties that are neither stored nor read. After decoding they have their value in
    ///     `defaults`. A property without one decodes as if its field were missing, so it must be optional or read by an
    ///     `init(from:)` that does not require it.
    ///   - locations: The properties whose `latitude;longitude` strings, alone or in lists, are stored as locations.
    ///     They read back as the same strings: a string that differs from the description of its ``Location`` is stored
    ///     as a string. `"stop.position"` is the property `position` of the values embedded in the property `stop`, alone
    ///     or in lists. A record that is nested has a schema of its own, and no path leads into dictionaries.
    ///   - cascading: The properties that refer to an owner: this record is deleted together with the records that they
    ///     refer to. All references in them, links or nested values, alone or in lists and embedded values, are stored
    ///     with the action ``Record/Reference/Action/deleteSelf``.
    ///   - unique: The properties of which no two records of the type have the same value; nil is not a value. Each must be
    ///     stored as a single value. The saves of a ``RecordStore`` check it, those of records do not; see <doc:UniqueValues>.
    ///   - normalizing: The functions that make one spelling of a string out of several, for properties that are strings,
    ///     alone or in lists: the stored string is the result. The operands of filters and changes that name such a
    ///     property get the same function. It must be pure, and leave its own results as they are. A record that was
    ///     stored before has its string until it is saved again. See *Spellings* in <doc:Modelling>.
    ///   - indexes: The properties by which databases with indexes should find values, each index a list of properties:
    ///     see ``FieldIndex/declared(by:coding:)``.
    ///   - defaults: The values of properties that records may lack, since they were added to the type later. A field
    ///     that is null is not missing. The value is stored when the record is written.
    ///   - formerNames: The former names of properties, by their current names. If the field of a property is missing,
    ///     the first existing field of these is read. The property is written to its own field alone, and saving a
    ///     fetched value removes the former field. A former name is that of the property, to which the ``KeyStrategy``
    ///     applies, or that of the stored field.
    ///   - formerRecordTypes: The former record types of the type. ``RecordStore/migrate(_:batchSize:isDryRun:progress:)`` gives such
    ///     records the current type. They cannot be read before: stop the writers, migrate, start them.
    ///   - version: The version of the type's fields, from 1 on. Each written record stores it in the field `$version`.
    ///     A record with a greater version is not read, since a newer program wrote it. Raise the version when earlier
    ///     programs must no longer read the records.
    public init(
        ignoring: Set<String> = [], locations: Set<String> = [], cascading: Set<String> = [], unique: Set<String> = [],
        normalizing: [String: @Sendable (String) -> String] = [:], indexes: [[String]] = [],
        defaults: [String: any Encodable & Sendable] = [:], formerNames: [String: [String]] = [:],
        formerRecordTypes: [String] = [], version: Int? = nil
    ) {
        (self.ignoring, self.locations, self.cascading, self.unique) = (ignoring, locations, cascading, unique)
        embeddedLocations = LocationPaths(locations)
        (self.indexes, self.normalizing) = (indexes, normalizing)
        ignoredValues = defaults.filter { ignoring.contains($0.key) }
        self.defaults = defaults.filter { !ignoring.contains($0.key) }
        self.formerNames = formerNames
        (self.formerRecordTypes, self.version) = (formerRecordTypes, version.map(Int64.init))
        fault =
            Self.fault(ignoring, unique, indexes, formerNames, version)
            ?? Self.fault(of: normalizing, self.defaults, ignoring.union(locations))
    }

    private static func fault(
        _ ignoring: Set<String>, _ unique: Set<String>, _ indexes: [[String]], _ formerNames: [String: [String]],
        _ version: Int?
    ) -> (part: String, reason: String)? {
        if let version, version < 1 { return ("version", "\(version) is not a positive integer") }
        if let name = unique.intersection(ignoring).min() {
            return ("unique", "'\(name)' is ignored, so it is not stored")
        }
        if indexes.contains(where: \.isEmpty) { return ("indexes", "an index has no property") }
        guard let (name, first, second) = sharedName(in: formerNames) else { return nil }
        return ("formerNames", "'\(name)' is a former name of '\(first)' and of '\(second)'")
    }

    private static func fault(
        of normalizing: [String: @Sendable (String) -> String], _ defaults: [String: any Encodable & Sendable],
        _ others: Set<String>
    ) -> (part: String, reason: String)? {
        if let name = others.intersection(normalizing.keys).min() {
            return ("normalizing", "'\(name)' is not stored as a string: it is ignored, or a location")
        }
        for (name, oneSpelling) in normalizing.sorted(by: { $0.key < $1.key }) {
            guard let value = defaults[name] as? String else { continue }
            let normalized = oneSpelling(value)
            guard normalized.utf8.elementsEqual(value.utf8) else {
                return ("normalizing", "the default value of '\(name)' is '\(value)', not '\(normalized)'")
            }
        }
        return nil
    }

    private static func sharedName(
        in formerNames: [String: [String]]
    ) -> (name: String, first: String, second: String)? {
        var owners: [String: String] = [:]
        for (key, names) in formerNames.sorted(by: { $0.key < $1.key }) {
            for name in names {
                if let owner = owners.updateValue(key, forKey: name) { return (name, owner, key) }
            }
        }
        return nil
    }

    var hasHistory: Bool { !defaults.isEmpty || !formerNames.isEmpty || version != nil }

    /// The names that must be coding keys, each with the parameter that contains it.
    var propertyNames: [(part: String, name: String)] {
        [
            ("ignoring", ignoring), ("locations", locations), ("cascading", cascading),
            ("unique", unique), ("normalizing", Set(normalizing.keys)), ("indexes", Set(indexes.joined())),
            ("defaults", Set(defaults.keys)),
            ("formerNames", Set(formerNames.keys)),
        ].flatMap { part, names in names.map { (part, $0) } }
    }
}
