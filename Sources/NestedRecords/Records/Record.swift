/// One flat object: an identity, fields, and the metadata of a database.
///
/// A nested value becomes several records that point to each other with ``Record/Reference``s.
/// Two records are equal when their IDs, fields (in any order) and metadata are.
public struct Record: Sendable, Hashable, Identifiable {
    /// The type and name that references point to.
    public let id: ID

    /// The values of this record by name, in the order in which they were written.
    public var fields: Fields

    /// The metadata from the database that holds the record; nil for a record that was never saved.
    public var metadata: Metadata? {
        get { metadataBox.metadata }
        set { metadataBox = isPartial ? .partial(newValue) : newValue.map(MetadataBox.some) ?? .none }
    }

    /// Whether the record has only some of its fields: see ``RecordQuery/fields``.
    ///
    /// Databases refuse to save such a record, and it is not decoded as a value: the missing fields would be lost. It is not
    /// equal to a whole record. The mark is not a part of the forms of a record, such as its JSON.
    public var isPartial: Bool {
        if case .partial = metadataBox { true } else { false }
    }

    private var metadataBox: MetadataBox

    /// Makes a record.
    ///
    /// - Parameters:
    ///   - id: The record's identity.
    ///   - fields: Its values by name.
    ///   - metadata: The metadata from a database, for databases and for records from other sources.
    /// - Throws: `RecordError.Code.invalidKey` if a field's name is empty.
    public init(id: ID, fields: Fields = [:], metadata: Metadata? = nil) throws {
        self.init(id: id, checkedFields: fields, metadata: metadata)
        try checkFieldNames()
    }

    package init(id: ID, checkedFields: Fields, metadata: Metadata? = nil) {
        self.id = id
        self.fields = checkedFields
        self.metadataBox = metadata.map(MetadataBox.some) ?? .none
    }

    func checkFieldNames() throws {
        if isPartial { throw partialError }
        guard fields.position(of: "") != nil else { return }
        throw RecordError.invalidKey("", reason: "a field's name must not be empty", context: RecordContext(record: id))
    }

    /// Throws if lists and maps are nested more deeply than a database stores, or than can be released on a small stack.
    func checkNesting(maximum: Int = Value.maximumNesting) throws {
        let maximum = min(maximum, Value.maximumNesting)
        for position in fields.indices where fields.values[position].isNested(deeperThan: maximum) {
            throw RecordError.depthLimitExceeded(
                maximum, context: RecordContext(record: id, field: fields.names[position]))
        }
    }

    /// Throws if one of the records has a field without a name, or only some of its fields.
    ///
    /// A loop in another module would copy each record, which takes 2 % of the instructions of a save.
    package static func checkFieldNames(of records: [Record]) throws {
        for record in records { try record.checkFieldNames() }
    }

    /// The value of the field with this name, nil if there is none.
    ///
    /// Setting nil removes the field; ``Record/Value/null`` is a value of its own.
    public subscript(name: String) -> Value? {
        get { fields[name] }
        set { fields[name] = newValue }
    }
}

extension Record {
    // Few records of a large graph have metadata: the indirect case costs the others 8 bytes instead of 48.
    private indirect enum MetadataBox: Sendable, Hashable {
        case none
        case some(Metadata)

        /// Of a record without some of its fields.
        case partial(Metadata?)

        var metadata: Metadata? {
            switch self {
            case .none: nil
            case .some(let metadata): metadata
            case .partial(let metadata): metadata
            }
        }
    }
}

extension Record {
    /// The record with some of its fields; the record itself for nil.
    package func partial(_ names: Set<String>?) -> Record {
        guard let names else { return self }
        var fields = fields
        fields.removeAll { !names.contains($0.name) }
        var record = Record(id: id, checkedFields: fields)
        record.metadataBox = .partial(metadata)
        return record
    }

    /// The error of a use that needs all fields.
    var partialError: RecordError {
        RecordError(.partialRecord, reason: "it was read with some of its fields", recordID: id)
    }
}

extension Record {
    /// The field with the version of the type that wrote the record.
    ///
    /// No key gives a field this name.
    package static let versionField = "$version"

    /// The only field of a record whose type encodes a list or a single value other than a map.
    ///
    /// No key gives a field this name.
    static let singleValueField = "$value"

    static func isReserved(_ name: String) -> Bool {
        name.isEmpty || name == singleValueField || name == versionField
    }
}
