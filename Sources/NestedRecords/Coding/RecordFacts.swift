/// What a record-representable type says of its records, asked once.
final class RecordFacts {
    let type: String
    let ignored: Set<String>
    let locations: Set<String>

    /// Whether each value states its record's type.
    let isDynamic: Bool

    /// Whether values have an identity besides their ID.
    let isClass: Bool

    /// The type of the keys that were last used on a record, when decoding has told the learner.
    @exclusivity(unchecked) var seenKeys: ObjectIdentifier?

    init<Model: RecordRepresentable>(_: Model.Type) {
        type = Model.recordType
        ignored = Model.ignoredProperties
        locations = Model.locationProperties
        isDynamic = Model.self is any DynamicRecordRepresentable.Type
        isClass = Model.self is AnyClass
    }

    /// The type of a value's record.
    @inline(__always)
    func recordType(of value: some RecordRepresentable) -> String {
        guard isDynamic, let value = value as? any DynamicRecordRepresentable else { return type }
        return value.recordType
    }

    /// The field in which records keep what a type writes as a single value or as a list.
    static let singleValueField = "value"
}
