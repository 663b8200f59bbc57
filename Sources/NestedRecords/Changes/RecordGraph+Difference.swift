extension RecordGraph {
    /// Compares the records of this graph with those of an older one.
    ///
    /// - Parameter old: The older graph.
    /// - Returns: The records that were added, removed and changed.
    /// - Complexity: O(*n*) for *n* fields and list elements of both.
    public func difference(from old: RecordGraph) -> RecordGraphDifference {
        var added: [Record] = []
        var changes: [(old: Record, new: Record, fields: [RecordGraphDifference.FieldChange])] = []
        for record in self {
            guard let before = old[record.id] else {
                added.append(record)
                continue
            }
            let fields = record.fields.changes(from: before.fields)
            if !fields.isEmpty { changes.append((before, record, fields)) }
        }
        // Only then can records be missing.
        let isComplete = old.count == count - added.count
        let removed = isComplete ? [] : old.filter { self[$0.id] == nil }
        return RecordGraphDifference(added: added, removed: removed, changes: changes)
    }
}

extension Record.Fields {
    func changes(from old: Self) -> [RecordGraphDifference.FieldChange] {
        var changes: [RecordGraphDifference.FieldChange] = []
        var matches = 0
        for (position, field) in enumerated() {
            let before = old.position(ofExactly: field.name, near: position).map { old.values[$0] }
            if before != nil { matches += 1 }
            if before?.isIdentical(to: field.value) != true {
                changes.append(.init(name: field.name, old: before, new: field.value))
            }
        }
        if matches < old.count {
            for (position, field) in old.enumerated()
            where self.position(ofExactly: field.name, near: position) == nil {
                changes.append(.init(name: field.name, old: field.value, new: nil))
            }
        }
        return changes
    }
}
