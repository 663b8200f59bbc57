extension RecordCoding {
    /// The field in which a property is stored.
    ///
    /// - Throws: ``RecordError`` with the code `unknownField` for a property that is not stored in one field of its name.
    package func fieldName<Model: RecordDecodable>(of property: any PartialKeyPath<Model> & Sendable) throws -> String {
        let path = try PropertyPath([.property(property)], of: Model.self, self).field.path
        guard let name = path.names.first, path.names.count == 1 else {
            throw RecordError(.unknownField, reason: "'\(path)' of \(Model.self) is not a field of its own")
        }
        return name
    }

    /// Whether the values of a type are numbers; nil if that depends on the values.
    package func isNumber(_ type: Any.Type) -> Bool? { FieldKind(of: type).map { $0 == .number } }
}
