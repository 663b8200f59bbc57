/// What a type says of its records besides their type and name.
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
///         ignoring: ["thumbnail", ["visits": 0]], locations: ["position"], defaults: ["isActive": true],
///         formerNames: ["name": ["title"]], version: 2)
/// }
/// ```
///
/// All names are those in `CodingKeys`. A name that is none of the type's coding keys is an error the first time that the
/// type is encoded or decoded.
public struct RecordSchema: Sendable {
    /// The names of the properties that are neither stored nor read, with the values that decoding gives them.
    let ignoring: IgnoredProperties
    let locations: Set<String>
    let cascading: Set<String>
    let defaults: [String: any Encodable & Sendable]
    let formerNames: [String: [String]]
    let formerRecordTypes: [String]
    let version: Int64?

    /// What is wrong with the schema, and the parameter that says it.
    let fault: (part: String, reason: String)?

    /// Makes a schema.
    ///
    /// - Parameters:
    ///   - ignoring: The properties that are neither stored nor read: names, and dictionaries with the values that decoding
    ///     gives. A property without a value decodes as if its field were missing, so it must be optional or read by an
    ///     `init(from:)` that does not require it.
    ///   - locations: The properties whose `latitude;longitude` strings, alone or in lists, are stored as locations. They
    ///     read back as the same strings: those that ``Location`` writes in another way are stored as strings, unless
    ///     ``RecordCoding/locationStrategy`` says otherwise.
    ///   - cascading: The properties that lead to an owner: this record is deleted together with the records that they
    ///     refer to. All references in them, links or nested values, alone or in lists and embedded values, are stored
    ///     with the action ``Record/Reference/Action/deleteSelf``.
    ///   - defaults: The values of properties whose fields are missing in a record, since they were added to the type
    ///     later. A field that is null is not missing. The value is stored when the record is written.
    ///   - formerNames: The names that properties had before, by their present names. A property is read from the first of
    ///     these fields that is there, if its own field is missing; it is written to its own field alone, and a save of a
    ///     fetched value removes the former one. A former name is that of the property before, which ``KeyStrategy``
    ///     makes a field's name of, or the name of the field as it is stored.
    ///   - formerRecordTypes: The record types that the type had before. ``RecordDatabase/migrate(_:encoder:options:)``
    ///     gives such records the present type. They are not read before: stop the writers, migrate, start them.
    ///   - version: The version of the type's fields, from 1 on. Each record that is written has it in the field
    ///     `$version`. A record with a greater one is not read: it was written by a program that knows the type better.
    ///     Raise it when earlier programs must not read the records any more.
    public init(
        ignoring: IgnoredProperties = [], locations: Set<String> = [], cascading: Set<String> = [],
        defaults: [String: any Encodable & Sendable] = [:], formerNames: [String: [String]] = [:],
        formerRecordTypes: [String] = [], version: Int? = nil
    ) {
        (self.ignoring, self.locations, self.cascading) = (ignoring, locations, cascading)
        (self.defaults, self.formerNames) = (defaults, formerNames)
        (self.formerRecordTypes, self.version) = (formerRecordTypes, version.map(Int64.init))
        fault =
            version.flatMap { $0 < 1 ? ("version", "\($0) is not a positive integer") : nil }
            ?? Set(defaults.keys).intersection(ignoring.names).min().map {
                ("defaults", "'\($0)' is ignored: state its value in 'ignoring'")
            }
            ?? Self.sharedName(in: formerNames).map { name, first, second in
                ("formerNames", "'\(name)' is a former name of '\(first)' and of '\(second)'")
            }
    }

    /// A former name of two properties.
    private static func sharedName(
        in formerNames: [String: [String]]
    ) -> (name: String, first: String, second: String)? {
        var owners: [String: String] = [:]
        for (property, names) in formerNames.sorted(by: { $0.key < $1.key }) {
            for name in names {
                if let owner = owners.updateValue(property, forKey: name) { return (name, owner, property) }
            }
        }
        return nil
    }

    /// Whether records may have been stored by an earlier form of the type, or by a later one.
    var hasHistory: Bool { !defaults.isEmpty || !formerNames.isEmpty || version != nil }

    /// The names that must be coding keys, each with the parameter that has it.
    var propertyNames: [(part: String, name: String)] {
        [
            ("ignoring", ignoring.names), ("locations", locations), ("cascading", cascading),
            ("defaults", Set(defaults.keys)), ("formerNames", Set(formerNames.keys)),
        ].flatMap { part, names in names.map { (part, $0) } }
    }

    /// Names of properties, some of them with the values that decoding gives.
    ///
    /// It is written as a list of names and dictionaries: `["thumbnail", ["visits": 0]]`.
    public struct IgnoredProperties: Sendable {
        let names: Set<String>
        let values: [String: any Encodable & Sendable]

        /// Makes a list of names.
        ///
        /// - Parameters:
        ///   - names: Properties that decode as if their fields were missing.
        ///   - values: Further properties, with the values that decoding gives.
        public init(_ names: some Sequence<String>, values: [String: any Encodable & Sendable] = [:]) {
            (self.names, self.values) = (Set(names).union(values.keys), values)
        }
    }
}

extension RecordSchema.IgnoredProperties: ExpressibleByStringLiteral {
    /// A property that decodes as if its field were missing.
    public init(stringLiteral name: String) { self.init([name]) }
}

extension RecordSchema.IgnoredProperties: ExpressibleByDictionaryLiteral {
    /// Properties with the values that decoding gives; if a name is repeated, the last value is used.
    public init(dictionaryLiteral elements: (String, any Encodable & Sendable)...) {
        self.init([], values: Dictionary(elements) { _, last in last })
    }
}

extension RecordSchema.IgnoredProperties: ExpressibleByArrayLiteral {
    /// All properties of the elements.
    public init(arrayLiteral elements: Self...) {
        self.init(elements.flatMap(\.names), values: Dictionary(elements.flatMap(\.values)) { _, last in last })
    }
}
