extension AnyKeyPath {
    /// The name of the stored property that the key path leads to; nil for a computed property, and after several steps.
    var propertyName: String? { nameOfPlace ?? printedName }

    /// The name of a property of a structure, by its place in the structure's values; nil for all other properties.
    var nameOfPlace: String? {
        func offset<Root>(in _: Root.Type) -> Int? {
            (self as? PartialKeyPath<Root>).flatMap { MemoryLayout<Root>.offset(of: $0) }
        }
        let (root, type) = (type(of: self).rootType, type(of: self).valueType)
        guard let offset = offset(in: root) else { return nil }
        // Properties without bytes may be at the place of another property.
        let found = StoredProperty.all(of: root).filter { $0.offset == offset && $0.type == type }
        return found.count == 1 ? found[0].name : nil
    }

    /// The name as the key path is printed, for classes, and where Swift does not say where properties are.
    ///
    /// Key paths print the names of stored properties without wrappers.
    var printedName: String? {
        let root = type(of: self).rootType
        let beginnings = [_typeName(root, qualified: false), "\(root)", String(reflecting: root)]
        let text = debugDescription
        guard let name = beginnings.lazy.compactMap({ text.bytes(after: "\\\($0).") }).first, !name.isEmpty,
            name.unicodeScalars.allSatisfy(\.properties.isXIDContinue)
        else { return nil }
        return name
    }
}
