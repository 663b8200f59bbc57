import NestedRecords

/// A type or a field that the user named.
struct NameUse: Sendable {
    /// The type; nil for a field of records of any type.
    let type: String?

    /// The field; nil for the type itself.
    let path: FieldPath?

    /// The text with the name.
    private let text: FilterText

    /// The position in the text; nil for all of it.
    private let offset: Int?

    init(type: String?, path: FieldPath? = nil, in text: FilterText, at offset: Int? = nil) {
        (self.type, self.path, self.text, self.offset) = (type, path, text, offset)
    }

    init(type: String?, path: FieldPath? = nil, in option: String) {
        self.init(type: type, path: path, in: FilterText("", owner: "option '--\(option)'"))
    }

    /// The place of the name, for errors.
    var place: String { offset.map(text.place(of:)) ?? text.owner }
}
