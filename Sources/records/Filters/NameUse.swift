import NestedRecords

/// A type or a field that the user named.
struct NameUse: Sendable {
    /// The type itself, or the types of which one has the field; none for records of any type.
    private(set) var types: [String]

    /// The field; nil for the type itself.
    private(set) var path: FieldPath?

    /// Whether the path must lead to one value of each record, as an order needs.
    private(set) var needsOneValue: Bool

    /// The number of references before the records that have the field.
    private(set) var depth = 0

    /// The text with the name.
    private let text: FilterText

    /// The position in the text; nil for all of it.
    private let offset: Int?

    /// Whether the text is a list of names, whose places need no column.
    private let isList: Bool

    init(types: [String], path: FieldPath? = nil, in text: FilterText, at offset: Int? = nil, isList: Bool = false) {
        (self.types, self.path, self.text, self.offset) = (types, path, text, offset)
        (self.isList, needsOneValue) = (isList, false)
    }

    /// A name that is all of the value of an option.
    init(types: [String], path: FieldPath? = nil, in option: String, needsOneValue: Bool = false) {
        (self.types, self.path, self.needsOneValue) = (types, path, needsOneValue)
        (text, offset, isList) = (FilterText("", owner: "option '--\(option)'"), nil, false)
    }

    /// The use of a path as the types of its steps against references, and the fields between them.
    var parts: [NameUse] {
        guard let path, path.leadsBack else { return [self] }
        return path.parts.flatMap { type, names in
            var (owner, field) = (self, self)
            if let type { (owner.types, owner.path, field.types) = ([type], nil, [type]) }
            field.path = FieldPath(names)
            return (type == nil ? [] : [owner]) + (names.isEmpty ? [] : [field])
        }
    }

    /// The use of the rest of the path in records that references lead to.
    func following(to types: [String], _ names: [String]) -> NameUse {
        var use = self
        (use.types, use.path, use.depth, use.needsOneValue) = (types, FieldPath(names), depth + 1, false)
        return use
    }

    /// The uses of the name in each type.
    var ofEachType: [NameUse] {
        types.map { type in
            var use = self
            use.types = [type]
            return use
        }
    }

    /// Whether records of a type can have the name.
    func concerns(_ type: String) -> Bool { types.isEmpty || types.contains(type) }

    /// An error about the name.
    func error(_ reason: String) -> UsageError {
        UsageError("\(place): \(reason)", mark: isList && text.isOneWord ? nil : offset.map(text.mark))
    }

    /// The place of the name, for errors.
    var place: String { isList ? text.owner : offset.map(text.place(of:)) ?? text.owner }
}
