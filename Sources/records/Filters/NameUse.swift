import NestedRecords

/// A type or a field that the user named.
struct NameUse: Sendable {
    /// The type itself, or the types of which one has the field; none for records of any type.
    private(set) var types: [String]

    /// The field; nil for the type itself.
    let path: FieldPath?

    /// Whether the path must lead to one value of each record, as an order needs.
    let needsOneValue: Bool

    /// The number of references before the records that have the field.
    private(set) var depth = 0

    /// The text with the name.
    private let text: FilterText

    /// The position in the text; nil for all of it.
    private let offset: Int?

    init(
        types: [String], path: FieldPath? = nil, in text: FilterText, at offset: Int? = nil, needsOneValue: Bool = false
    ) {
        (self.types, self.path, self.text, self.offset) = (types, path, text, offset)
        self.needsOneValue = needsOneValue
    }

    init(types: [String], path: FieldPath? = nil, in option: String, needsOneValue: Bool = false) {
        self.init(
            types: types, path: path, in: FilterText("", owner: "option '--\(option)'"), needsOneValue: needsOneValue)
    }

    /// The use of the rest of the path in records that references lead to.
    func following(to types: [String], _ names: [String]) -> NameUse {
        var use = NameUse(types: types, path: FieldPath(names), in: text, at: offset)
        use.depth = depth + 1
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

    /// The place of the name, for errors.
    var place: String { offset.map(text.place(of:)) ?? text.owner }
}
