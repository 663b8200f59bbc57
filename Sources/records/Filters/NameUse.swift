import NestedRecords

/// A type or a field that the user named.
struct NameUse: Sendable {
    /// The type itself, or the types of which one has the field; none for records of any type.
    let types: [String]

    /// The field; nil for the type itself.
    let path: FieldPath?

    /// The text with the name.
    private let text: FilterText

    /// The position in the text; nil for all of it.
    private let offset: Int?

    init(types: [String], path: FieldPath? = nil, in text: FilterText, at offset: Int? = nil) {
        (self.types, self.path, self.text, self.offset) = (types, path, text, offset)
    }

    init(types: [String], path: FieldPath? = nil, in option: String) {
        self.init(types: types, path: path, in: FilterText("", owner: "option '--\(option)'"))
    }

    /// Whether records of a type can have the name.
    func concerns(_ type: String) -> Bool { types.isEmpty || types.contains(type) }

    /// The place of the name, for errors.
    var place: String { offset.map(text.place(of:)) ?? text.owner }
}
