/// The changes to records that follow from the change of a value.
///
/// The value was encoded before and after the change. Differences between the stored records and the first encoding are
/// data that the value does not know, and are kept.
struct RecordUpdate: Sendable {
    /// The records to save, with the versions that were read, targets before the records that point to them.
    let records: [Record]

    /// The records that the value no longer contains, sources before targets.
    let deletions: [RecordBatch.VersionedID]

    init(
        of read: RecordGraph, from before: RecordGraph, to after: RecordGraph, former: [Record.ID: Record] = [:]
    ) {
        let difference = after.difference(from: before)
        var changed: [Record.ID: Record] = [:]
        for var record in difference.added {
            if let known = read[record.id] {
                if let former = former[record.id] {
                    record = known.applying(record.fields.changes(from: former.fields))
                } else if known.fields.changes(from: record.fields).allSatisfy({ $0.old != nil }) {
                    // Other values read it. If it lacks a field, the type may not know that field: then it is a new record
                    // like any other.
                    record.metadata = record.metadata ?? known.metadata
                }
            }
            changed[record.id] = record
        }
        for change in difference.changed {
            changed[change.new.id] = read[change.new.id]?.applying(change.fields) ?? change.new
        }
        // A value may be decoded with records that no database has seen: they are saved when a record points to them.
        var open = Array(changed.values)
        while let record = open.popLast() {
            for target in record.references.map(\.id) where changed[target] == nil && read[target] == nil {
                guard let record = after[target] else { continue }
                changed[target] = record
                open.append(record)
            }
        }
        records = after.compactMap { changed[$0.id] }.filter { record in
            read[record.id].map { !record.fields.changes(from: $0.fields).isEmpty } ?? true
        }
        deletions = difference.removed.reversed().map { RecordBatch.VersionedID(removing: read[$0.id] ?? $0) }
    }
}

extension Record {
    fileprivate func applying(_ changes: [RecordGraphDifference.FieldChange]) -> Record {
        var record = self
        record.fields = fields.applying(changes, room: 100)
        return record
    }
}

extension Record.Fields {
    /// - Parameter room: The maximum number of nested maps to examine, so that the stack does not overflow.
    fileprivate func applying(_ changes: [RecordGraphDifference.FieldChange], room: Int) -> Record.Fields {
        var fields = self
        // A name in another Unicode spelling is one removed and one added field.
        let removed = Set(changes.lazy.filter { $0.new == nil }.map(\.name))
        if !removed.isEmpty { fields.removeAll { removed.contains($0.name) } }
        for change in changes {
            guard let new = change.new else { continue }
            fields[change.name] = self[change.name]?.applying(from: change.old, to: new, room: room) ?? new
        }
        return fields
    }
}

extension Record.Value {
    /// Applies the change of one value to another to this one.
    ///
    /// Members of maps that only this value has are kept: a type with more properties has stored them. Elements of
    /// lists have no identity, so the new list replaces the old one.
    fileprivate func applying(from old: Record.Value?, to new: Record.Value, room: Int) -> Record.Value {
        guard room > 0, case .map(let fields) = self, case .map(let old)? = old, case .map(let new) = new else {
            return new
        }
        return .map(fields.applying(new.changes(from: old), room: room - 1))
    }
}
