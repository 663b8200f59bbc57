/// What a record-representable type says of its records, asked once.
final class RecordTypeInfo {
    let type: String

    /// The type's part of the hash of an ID.
    let typeHash: UInt64

    /// What is wrong with the type, where records cannot have it.
    let typeFault: String?

    /// Whether the type of each record has to be looked at, since it is wrong or another one each time.
    let isSuspicious: Bool

    var ignored: Set<String> { ignoredList.names }
    let hasIgnored: Bool
    var locations: Set<String> { locationList.names }
    var cascading: Set<String> { cascadingList.names }

    private let ignoredList: PropertyList
    private let locationList: PropertyList
    private let cascadingList: PropertyList

    /// What is wrong with the lists of properties.
    let listFault: RecordError?

    /// The names in the lists of which it is not known yet whether they are coding keys.
    let names: PropertyNames

    /// The values of ignored properties, nil until a decoder needs them.
    @exclusivity(unchecked) private(set) var defaults: DefaultValues?

    /// Whether each value states its record's type.
    let isDynamic: Bool

    /// Whether values have an identity besides their ID.
    let isClass: Bool

    /// The type of the keys that were last used on a record, when decoding has told the planner.
    @exclusivity(unchecked) var seenKeys: ObjectIdentifier?

    init<Model: RecordRepresentable>(_: Model.Type) {
        type = Model.recordType
        typeHash = RecordIndex.hash(ofType: type)
        typeFault = Record.ID.validationError(forType: type)
        ignoredList = PropertyList(Model.ignoredProperties)
        locationList = PropertyList(Model.locationProperties)
        cascadingList = PropertyList(Model.cascadingProperties)
        hasIgnored = !ignoredList.names.isEmpty
        let lists = [
            ("ignoredProperties", ignoredList), ("locationProperties", locationList),
            ("cascadingProperties", cascadingList),
        ]
        listFault = Self.fault(in: lists, of: Model.self)
        names = PropertyNames(of: Model.self, lists.flatMap { list, content in content.names.map { (list, $0) } })
        isDynamic = Model.self is any DynamicRecordRepresentable.Type
        isSuspicious = isDynamic || typeFault != nil
        isClass = Model.self is AnyClass
    }

    /// Whether the type still says the same; some read it from somewhere.
    func hold<Model: RecordRepresentable>(for _: Model.Type) -> Bool {
        type.hasSameBytes(as: Model.recordType) && ignoredList.holds(for: Model.ignoredProperties)
            && locationList.holds(for: Model.locationProperties)
            && cascadingList.holds(for: Model.cascadingProperties)
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

    /// Makes the values of ignored properties ready for decoding.
    func prepareDefaults(_ encode: (any Encodable) throws -> Record.Value) throws {
        if defaults == nil, !ignoredList.values.isEmpty {
            defaults = try DefaultValues(ignoredList.values, of: names.model, encode: encode)
        }
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

    /// The names of the fields in records of this type.
    func fieldNames(in records: some Sequence<Record>) -> some Sequence<String> {
        records.lazy.filter { self.isDynamic || $0.id.type == self.type }.flatMap { $0.fields.names }
    }

    /// Whether the values of a key are not stored as they are.
    func adjusts(_ key: some CodingKey) -> Bool {
        locations.contains(key.stringValue) || cascading.contains(key.stringValue)
    }

    /// The field in which records keep what a type writes as a single value or as a list.
    static let singleValueField = "value"
}
