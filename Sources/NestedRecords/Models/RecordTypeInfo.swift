/// What a record-representable type says of its records.
final class RecordTypeInfo {
    let type: String

    /// The type's part of the hash of an ID.
    let typeHash: UInt64

    /// What is wrong with the type, where records cannot have it.
    let typeFault: String?

    /// What is wrong with the lists of properties.
    let listFault: RecordError?

    /// Whether the type of each record has to be looked at, since it is wrong or another one each time.
    let isSuspicious: Bool

    var ignored: Set<String> { ignoredList.names }
    let hasIgnored: Bool

    /// Whether there is a name in any of the lists.
    let hasLists: Bool

    /// Whether the type declares any of the lists, which may have other names each time.
    private let declaresLists: Bool
    var locations: Set<String> { locationList.names }
    var cascading: Set<String> { cascadingList.names }

    /// The values of the ignored properties that have one.
    var ignoredValues: [String: any Encodable] { ignoredList.values }

    private let ignoredList: PropertyList
    private let locationList: PropertyList
    private let cascadingList: PropertyList

    /// The names in the lists of which it is not known whether they are coding keys, each with its list.
    let uncheckedNames: [(list: String, name: String)]

    /// What the type says of former forms of its records; nil where it says nothing.
    let history: TypeHistory?
    let hasHistory: Bool

    /// The record types that the type had before.
    var formerTypes: [String] { history?.formerTypes ?? [] }

    /// Whether each value states its record's type.
    let isDynamic: Bool

    /// Whether values have an identity besides their ID.
    let isClass: Bool

    /// Whether the type states no record type, so that its own name is taken.
    let hasOwnNameAsType: Bool

    /// Whether all that the type says can be used by other threads.
    let isShared: Bool

    private init<Model: RecordRepresentable>(_: Model.Type, areNamesChecked: Bool) {
        type = Model.recordType
        typeHash = RecordIndex.hash(ofType: type)
        typeFault = Record.ID.validationError(forType: type).map { reason in
            OwnTypeNames.isTaken(of: Model.self)
                ? "\(reason); state a record type with 'static let recordType' in \(String(reflecting: Model.self))"
                : reason
        }
        ignoredList = PropertyList(Model.ignoredProperties)
        locationList = PropertyList(Model.locationProperties)
        cascadingList = PropertyList(Model.cascadingProperties)
        hasIgnored = !ignoredList.names.isEmpty
        hasLists = hasIgnored || !locationList.names.isEmpty || !cascadingList.names.isEmpty
        declaresLists = ignoredList.isDeclared || locationList.isDeclared || cascadingList.isDeclared
        history = TypeHistory(of: Model.self)
        hasHistory = history != nil
        let lists = [
            ("ignoredProperties", ignoredList), ("locationProperties", locationList),
            ("cascadingProperties", cascadingList),
        ]
        listFault =
            Self.fault(in: lists, of: Model.self)
            ?? (history?.fault).map { .invalidPropertyList($0.list, type: "\(Model.self)", reason: $0.reason) }
        uncheckedNames =
            areNamesChecked
            ? []
            : lists.flatMap { list, content in content.names.map { (list, $0) } } + (history?.propertyNames ?? [])
        isDynamic = Model.self is any DynamicRecordRepresentable.Type
        isSuspicious = isDynamic || typeFault != nil || listFault != nil
        isClass = Model.self is AnyClass
        hasOwnNameAsType = OwnTypeNames.isTaken(of: Model.self)
        isShared =
            [ignoredList, locationList, cascadingList].allSatisfy(\.isSendable) && history?.isSendable ?? true
        if let history { KnownHistories.note(history, of: Model.self, recordType: type) }
    }

    private static func fault(in lists: [(name: String, content: PropertyList)], of model: Any.Type) -> RecordError? {
        for (name, content) in lists {
            if let reason = content.fault {
                return .invalidPropertyList(name, type: "\(model)", reason: reason)
            }
            if name != "ignoredProperties", !content.values.isEmpty {
                return .invalidPropertyList(name, type: "\(model)", reason: "only ignored properties have values")
            }
        }
        return nil
    }

    /// The type of a value's record.
    @inline(__always)
    func recordType(of value: some RecordRepresentable) -> String {
        isDynamic ? dynamicType(of: value) : type
    }

    @inline(never)
    private func dynamicType(of value: any RecordRepresentable) -> String {
        (value as? any DynamicRecordRepresentable)?.recordType ?? type
    }

    /// What is wrong with a type of records that a value states.
    func fault(of type: String) -> String? { isDynamic ? Record.ID.validationError(forType: type) : typeFault }

    /// The other IDs that a record of this type may have: those with its former types, and with its present one.
    func aliases(of id: Record.ID) -> [Record.ID] {
        guard !formerTypes.isEmpty, !isDynamic else { return [] }
        let types = [type] + formerTypes
        guard types.contains(id.type) else { return [] }
        return types.filter { $0 != id.type }.map { Record.ID(checkedType: $0, name: id.name) }
    }

    /// Whether the values of a key are not stored as they are.
    func adjusts(_ key: some CodingKey) -> Bool {
        locations.contains(key.stringValue) || cascading.contains(key.stringValue)
    }

    /// The name that this field had before, which a key may give to another one.
    static let formerSingleValueField = "value"
}

// MARK: Cache

extension RecordTypeInfo {
    /// What was found out about types, for all threads: it never changes, and the lists in it are of Sendable types, as
    /// others are not kept.
    private static let cache = TypeCache<Handover<RecordTypeInfo>>()

    /// What a type says of its records.
    ///
    /// It is asked in each call: some types read it from somewhere.
    static func info<Model: RecordRepresentable>(of model: Model.Type) -> RecordTypeInfo {
        // The metatype of a class may be that of a subclass.
        let subclass: any RecordRepresentable.Type = model
        if subclass != Model.self { return info(of: subclass) }
        if let info = cache[model]?.take(), info.holds(for: model) { return info }
        let info = RecordTypeInfo(model, areNamesChecked: false)
        info.keep(for: model)
        return info
    }

    /// Notes for other calls that all names in the lists are coding keys of the type.
    func noteCheckedNames<Model: RecordRepresentable>(of model: Model.Type) {
        let info = RecordTypeInfo(model, areNamesChecked: true)
        // The lists may have changed since the names were checked.
        if holds(for: model) { info.keep(for: model) }
    }

    private func keep(for model: Any.Type) {
        if isShared { Self.cache.set(Handover(self), for: model) }
    }

    /// Whether the type still says the same; what it says of former forms of its records is read once.
    func holds<Model: RecordRepresentable>(for _: Model.Type) -> Bool {
        guard type.hasSameBytes(as: Model.recordType) else { return false }
        return !declaresLists
            || ignoredList.holds(for: Model.ignoredProperties) && locationList.holds(for: Model.locationProperties)
                && cascadingList.holds(for: Model.cascadingProperties)
    }
}
