/// What a record-representable type says of its records, asked once.
final class RecordFacts {
    let type: String

    /// The type's part of the hash of an ID.
    let typeHash: UInt64

    /// What is wrong with the type, where records cannot have it.
    let typeFault: String?

    /// Whether the type of each record has to be looked at, since it is wrong or another one each time.
    let isSuspicious: Bool
    let ignored: Set<String>
    let hasIgnored: Bool
    let locations: Set<String>
    let cascading: Set<String>

    /// Whether each value states its record's type.
    let isDynamic: Bool

    /// Whether values have an identity besides their ID.
    let isClass: Bool

    /// The type of the keys that were last used on a record, when decoding has told the learner.
    @exclusivity(unchecked) var seenKeys: ObjectIdentifier?

    init<Model: RecordRepresentable>(_: Model.Type) {
        type = Model.recordType
        typeHash = RecordIndex.hash(ofType: type)
        typeFault = Record.ID.fault(inType: type)
        ignored = Model.ignoredProperties
        hasIgnored = !ignored.isEmpty
        locations = Model.locationProperties
        cascading = Model.cascadingProperties
        isDynamic = Model.self is any DynamicRecordRepresentable.Type
        isSuspicious = isDynamic || typeFault != nil
        isClass = Model.self is AnyClass
    }

    /// Whether the type still says the same; some read it from somewhere.
    func hold<Model: RecordRepresentable>(for _: Model.Type) -> Bool {
        func isSame(_ known: Set<String>, _ now: Set<String>) -> Bool {
            known.isEmpty && now.isEmpty || known == now
        }
        return type.hasSameBytes(as: Model.recordType) && isSame(ignored, Model.ignoredProperties)
            && isSame(locations, Model.locationProperties) && isSame(cascading, Model.cascadingProperties)
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

    /// Whether the values of a key are not stored as they are.
    func adjusts(_ key: some CodingKey) -> Bool {
        locations.contains(key.stringValue) || cascading.contains(key.stringValue)
    }

    /// The field in which records keep what a type writes as a single value or as a list.
    static let singleValueField = "value"
}
