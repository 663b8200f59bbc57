extension AnyKeyPath {
    /// The name of the stored property that the key path leads to, without another step; nil for a computed one.
    ///
    /// - Parameter owner: The type of which it is a property, the root of the key path.
    func propertyName(in owner: Any.Type) -> String? { nameOfPlace(in: owner) ?? printedName(in: owner) }

    /// The name of a property of a structure, by its place in the structure's values; nil for all other properties.
    func nameOfPlace(in owner: Any.Type) -> String? {
        func offset<Root>(in _: Root.Type) -> Int? {
            (self as? PartialKeyPath<Root>).flatMap { MemoryLayout<Root>.offset(of: $0) }
        }
        guard let offset = offset(in: owner) else { return nil }
        let type = type(of: self).valueType
        // Properties without bytes may be at the place of another one.
        let found = StoredProperty.all(of: owner).filter { $0.offset == offset && $0.type == type }
        return found.count == 1 ? found[0].name : nil
    }

    /// The name as the key path is printed, for classes, and where Swift does not say where properties are.
    ///
    /// Key paths print the names of stored properties without wrappers.
    func printedName(in owner: Any.Type) -> String? {
        let beginnings = [_typeName(owner, qualified: false), "\(owner)", String(reflecting: owner)]
        guard let name = beginnings.lazy.compactMap({ self.debugDescription.bytes(after: "\\\($0).") }).first,
            !name.isEmpty, name.unicodeScalars.allSatisfy(\.properties.isXIDContinue)
        else { return nil }
        return name
    }
}
