/// What a coder of a type has found out about it, for the calls that it serves one after the other.
final class RecordTypeUse {
    let info: RecordTypeInfo

    /// The check of the names in the type's schema, nil once they are known to be right.
    private var names: PropertyNames?

    /// The values of ignored properties, once a decoder has needed them.
    private(set) var defaults: DefaultValues?

    init<Model: RecordRepresentable>(of model: Model.Type) {
        info = RecordTypeInfo.info(of: model)
        names = info.areNamesChecked ? nil : PropertyNames(of: model, info)
    }

    /// The former forms of fields, once a decoder has needed them; nil where the type says nothing of them.
    private(set) var formerFields: FormerFields?

    /// Notes a type of keys that is used on the record's own properties.
    @inline(__always)
    func note<Key: CodingKey>(_ keys: Key.Type, _ naming: FieldNaming) {
        if let names { names.note(keys, naming) }
    }

    /// Refuses names in the type's schema that are no coding keys, as far as enough is known.
    func checkNames(_ records: some Sequence<Record>, keys: [ObjectIdentifier: [String: String]] = [:]) throws {
        guard let names else { return }
        try names.check(records, keys: keys)
        if info.areNamesChecked { self.names = nil }
    }

    /// The type of keys that a decoder has noted last, and told the fetch planner of.
    var seenKeys: ObjectIdentifier?

    /// Whether nothing is to be done before keys are used on a record: any record may have fields of former forms.
    @inline(__always)
    func isPrepared<Key: CodingKey>(for _: Key.Type) -> Bool {
        seenKeys == ObjectIdentifier(Key.self) && formerFields == nil
    }

    /// Makes the values of ignored properties and of missing fields ready for decoding.
    func prepareDefaults(of model: Any.Type, _ encode: (any Encodable) throws -> Record.Value) throws {
        if defaults == nil, !info.schema.ignoring.values.isEmpty {
            defaults = try DefaultValues(info.schema.ignoring.values, in: "ignoring", of: model, encode: encode)
        }
        if info.hasHistory, formerFields == nil {
            let defaults = try DefaultValues(info.schema.defaults, in: "defaults", of: model, encode: encode)
            formerFields = FormerFields(info.schema.formerNames, defaults)
        }
    }
}
