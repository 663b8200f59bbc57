import NestedRecords

extension FieldCatalog {
    /// A type or a field that the user named.
    struct Name: Sendable {
        /// The type itself, or the types of which one has the field; none for records of any type.
        private(set) var types: [String]

        /// The field; nil for the type itself.
        private(set) var path: FieldPath?

        /// Whether the path must lead to one value of each record, as an order needs.
        private(set) var needsOneValue = false

        /// The number of references before the records that have the field.
        private(set) var depth = 0

        /// The text with the name, and the position in it; nil for all of it.
        private let text: FilterText
        private let offset: Int?

        /// Whether the text is a list of names, whose places need no column.
        private let isList: Bool

        init(
            _ types: [String], _ path: FieldPath? = nil, in text: FilterText, at offset: Int? = nil,
            isList: Bool = false
        ) {
            (self.types, self.path, self.text, self.offset, self.isList) = (types, path, text, offset, isList)
        }

        /// A name that is all of an argument, or of the value of an option.
        init(_ types: [String], _ path: FieldPath? = nil, of owner: String, needsOneValue: Bool = false) {
            self.init(types, path, in: FilterText("", owner: owner))
            self.needsOneValue = needsOneValue
        }

        /// The name as the types of the steps against references, and the fields between them.
        var parts: [Name] {
            guard let path, path.leadsBack else { return [self] }
            return path.parts.flatMap { type, names in
                let types = type.map { [$0] } ?? types
                return (type == nil ? [] : [with(types, nil)]) + (names.isEmpty ? [] : [with(types, names)])
            }
        }

        /// The name of the rest of the path in records that references lead to.
        func following(to types: [String], _ names: [String]) -> Name {
            var name = with(types, names)
            (name.depth, name.needsOneValue) = (depth + 1, false)
            return name
        }

        /// The name in each type.
        var ofEachType: [Name] { types.map { with([$0], path?.names) } }

        private func with(_ types: [String], _ names: [String]?) -> Name {
            var name = self
            (name.types, name.path) = (types, names.map { FieldPath($0) })
            return name
        }

        /// Whether records of a type can have the name.
        func concerns(_ type: String) -> Bool { types.isEmpty || types.contains(type) }

        /// The place of the name, for errors.
        var place: String { isList ? text.owner : offset.map(text.place) ?? text.owner }

        /// An error about the name.
        func error(_ reason: String) -> UsageError {
            UsageError("\(place): \(reason)", mark: isList && text.isOneWord ? nil : offset.map(text.mark))
        }
    }
}
