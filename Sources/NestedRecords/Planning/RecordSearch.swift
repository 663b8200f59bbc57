struct RecordSearch {
    private(set) var models: [any RecordDecodable.Type] = []

    /// The targets of links, whose records are not part of the values.
    private(set) var linkedTypes: [any RecordRepresentable.Type] = []

    private var answers: [ObjectIdentifier: Bool] = [:]

    /// A generic type may contain itself with new type arguments at every level.
    private static let mostTypes = 100

    /// Whether values of a type may contain records: also true if the properties do not show it.
    mutating func mayHoldRecords(_ type: Any.Type) -> Bool {
        if let model = type as? any RecordDecodable.Type {
            models.append(model)
            return true
        }
        if let union = type as? any RecordUnion.Type {
            models += union.recordTypes
            return true
        }
        if let container = type as? any ValueContainer.Type {
            if let linked = container.linkedType { linkedTypes.append(linked) }
            return container.contentTypes.map { mayHoldRecords($0) }.contains(true)
        }
        if type is any FieldScalar.Type { return false }
        // The metadata of other types, such as existential types, cannot be examined without a value.
        guard type is any Decodable.Type else { return true }
        if let known = answers[ObjectIdentifier(type)] { return known }
        if answers.count >= Self.mostTypes { return true }
        answers[ObjectIdentifier(type)] = true
        let properties = StoredProperty.all(of: type)
        // An enumeration has no stored properties: the values of its cases are not visible.
        let answer = properties.isEmpty || properties.map { mayHoldRecords($0.type) }.contains(true)
        answers[ObjectIdentifier(type)] = answer
        return answer
    }
}

/// A type that this library codes itself instead of through its stored properties.
private protocol ValueContainer {
    static var contentTypes: [Any.Type] { get }
    static var linkedType: (any RecordRepresentable.Type)? { get }
}

extension ValueContainer {
    fileprivate static var linkedType: (any RecordRepresentable.Type)? { nil }
}

extension Optional: ValueContainer {
    fileprivate static var contentTypes: [Any.Type] { [Wrapped.self] }
}

extension Array: ValueContainer {
    fileprivate static var contentTypes: [Any.Type] { [Element.self] }
}

extension Set: ValueContainer {
    fileprivate static var contentTypes: [Any.Type] { [Element.self] }
}

extension Dictionary: ValueContainer {
    fileprivate static var contentTypes: [Any.Type] { [Key.self, Value.self] }
}

extension ExplicitNull: ValueContainer {
    fileprivate static var contentTypes: [Any.Type] { [Wrapped.self] }
}

extension RecordLink: ValueContainer {
    fileprivate static var contentTypes: [Any.Type] { [] }
    fileprivate static var linkedType: (any RecordRepresentable.Type)? { Target.self }
}

extension RecordName: ValueContainer {
    fileprivate static var contentTypes: [Any.Type] { [] }
}

extension Record: ValueContainer {
    fileprivate static var contentTypes: [Any.Type] { [] }
}

extension Record.Metadata: ValueContainer {
    fileprivate static var contentTypes: [Any.Type] { [] }
}
