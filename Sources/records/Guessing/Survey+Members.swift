import NestedRecords

/// What the members of objects are: properties of a schema, terms of linked data, or rows of a table.
extension Survey {
    /// Whether the members at a place are properties of a schema: each schema has its own.
    func arePropertiesOfASchema(_ place: Int) -> Bool {
        guard case .key(let key) = places[place].step else { return false }
        if ["properties", "patternProperties"].contains(key) { return true }
        guard ["dependencies", "dependentSchemas"].contains(key), let parent = places[place].parent else {
            return false
        }
        return tree.key("properties").map { places[parent].keys[$0] != nil } ?? false
    }

    /// Whether a place is in the context of linked data, which is a member of the root.
    func isInContext(_ place: Int) -> Bool {
        var next = place
        while let parent = places[next].parent, parent > 0 { next = parent }
        return places[next].step.text.utf8.starts(with: "@context".utf8)
    }

    /// Whether a place is one object with many scalars of one kind, which is a table whatever its keys are.
    func isTable(_ place: Int) -> Bool {
        guard places[place].objects.count == 1, places[place].keys.count > 50, let object = places[place].objects.first
        else { return false }
        let kinds = Set(tree.children(of: Int(object)).map(tree.kind))
        return kinds.count == 1 && !kinds.contains(.object) && !kinds.contains(.list)
    }
}
