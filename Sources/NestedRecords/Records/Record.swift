/// One flat object: an identity, its fields, and what a database knows about it.
///
/// A nested value becomes several records that point to each other with ``Record/Reference``s.
/// Two records are equal when their IDs, fields (in any order) and metadata are.
public struct Record: Sendable, Hashable, Identifiable {
    /// The type and name that references point to.
    public let id: ID

    /// The values of this record by name, in the order in which they were written.
    public var fields: Fields

    /// What the database that holds the record gave it; nil for a record that was never saved.
    public var metadata: Metadata? {
        get { metadataBox.metadata }
        set { metadataBox = newValue.map(MetadataBox.some) ?? .none }
    }

    private var metadataBox: MetadataBox

    /// Makes a record.
    ///
    /// - Parameters:
    ///   - id: The record's identity.
    ///   - fields: Its values by name.
    ///   - metadata: What a database gave it, for databases and for records read from elsewhere.
    /// - Throws: ``RecordError/invalidKey(_:reason:context:)`` if a field's name is empty.
    public init(id: ID, fields: Fields = [:], metadata: Metadata? = nil) throws {
        self.init(id: id, checkedFields: fields, metadata: metadata)
        try checkFieldNames()
    }

    package init(id: ID, checkedFields: Fields, metadata: Metadata? = nil) {
        self.id = id
        self.fields = checkedFields
        self.metadataBox = metadata.map(MetadataBox.some) ?? .none
    }

    /// Refuses a field without a name.
    func checkFieldNames() throws {
        guard fields.position(of: "") != nil else { return }
        throw RecordError.invalidKey("", reason: "a field's name must not be empty", context: RecordContext(record: id))
    }

    /// Refuses values that are nested more deeply than a small stack takes to release them.
    func checkNesting() throws {
        for position in fields.indices {
            switch fields.values[position] {
            case .list, .map:
                guard fields.values[position].isNestedTooDeeply else { continue }
                throw RecordError.depthLimitExceeded(
                    Value.maximumNesting, context: RecordContext(record: id, field: fields.names[position]))
            default: continue
            }
        }
    }

    /// Refuses records of which one has a field without a name.
    ///
    /// A loop in another module would copy each record, which takes 2 % of the instructions of a save.
    package static func checkFieldNames(of records: [Record]) throws {
        for record in records { try record.checkFieldNames() }
    }

    /// The value of the field with this name, nil where the record has no such field.
    ///
    /// Setting nil removes the field; ``Record/Value/null`` is a value of its own.
    public subscript(name: String) -> Value? {
        get { fields[name] }
        set { fields[name] = newValue }
    }
}

extension Record {
    // Few records of a large graph carry metadata: behind a pointer it costs the others 8 bytes instead of 48.
    private indirect enum MetadataBox: Sendable, Hashable {
        case none
        case some(Metadata)

        var metadata: Metadata? {
            switch self {
            case .none: nil
            case .some(let metadata): metadata
            }
        }
    }
}

extension Record {
    /// The field with the version of the type that wrote a record.
    ///
    /// No key gives a field this name.
    static let versionField = "$version"

    /// The only field of a record whose type writes a list or a single value that is no map.
    ///
    /// No key gives a field this name.
    static let singleValueField = "$value"

    /// Whether no key of a record may give its field this name.
    static func isReserved(_ name: String) -> Bool {
        name.isEmpty || name == singleValueField || name == versionField
    }
}
