final class RecordTypeUse {
    let info: RecordTypeInfo

    /// The check of the names in the type's schema; nil once they are confirmed.
    private var names: PropertyNames?

    private(set) var defaults: DefaultValues?

    init<Model: RecordRepresentable>(of model: Model.Type) {
        info = RecordTypeInfo.info(of: model)
        names = info.areNamesChecked ? nil : PropertyNames(of: model, info)
    }

    private(set) var formerFields: FormerFields?

    @inline(__always)
    func note<Key: CodingKey>(_ keys: Key.Type, _ naming: FieldNaming) {
        if let names { names.note(keys, naming) }
    }

    func checkNames(_ records: some Sequence<Record>, keys: [ObjectIdentifier: [String: String]] = [:]) throws {
        guard let names else { return }
        try names.check(records, keys: keys)
        if info.areNamesChecked { self.names = nil }
    }

    /// The type of keys that a decoder has noted last and reported to the fetch planner.
    var seenKeys: ObjectIdentifier?

    /// Whether keys can be used on a record without preparation: any record may have fields of former forms.
    @inline(__always)
    func isPrepared<Key: CodingKey>(for _: Key.Type) -> Bool {
        seenKeys == ObjectIdentifier(Key.self) && formerFields == nil
    }

    func prepareDefaults(of model: Any.Type, _ encode: (any Encodable) throws -> Record.Value) throws {
        if defaults == nil, !info.schema.ignoredValues.isEmpty {
            defaults = try DefaultValues(info.schema.ignoredValues, in: "defaults", of: model, encode: encode)
        }
        if info.hasHistory, formerFields == nil {
            let defaults = try DefaultValues(info.schema.defaults, in: "defaults", of: model, encode: encode)
            formerFields = FormerFields(info.schema.formerNames, defaults)
        }
    }
}
