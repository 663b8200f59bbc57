/// What a change of a value means for the records that it was read from.
///
/// The value was encoded before and after the change: what only differs between the records as they were read and the
/// first of both is not the value's to change.
struct RecordUpdate: Sendable {
    /// The records to save, with the versions that were read, targets before the records that point to them.
    let records: [Record]

    /// The records that are not in the value any more, those that point before their targets.
    let deletions: [RecordBatch.Deletion]

    /// - Parameters:
    ///   - read: The records as they were read.
    ///   - before: The value as it was read, encoded.
    ///   - after: The value with its changes, encoded.
    ///   - former: What records were encoded as that were part of the value before it was read last.
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
                    // It was read by other values. If it lacked a field, that may be one that the type does not know:
                    // then it is a new record like any other.
                    record.metadata = record.metadata ?? known.metadata
                }
            }
            changed[record.id] = record
        }
        for change in difference.changed {
            changed[change.id] = read[change.id]?.applying(change.fields) ?? change.new
        }
        // A value may be decoded with records that no database has seen: they are sent when something points to them.
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
        deletions = difference.removed.reversed().map { RecordBatch.Deletion(removing: read[$0.id] ?? $0) }
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
    /// - Parameter room: How many maps in each other are looked at, so that no stack overflows.
    fileprivate func applying(_ changes: [RecordGraphDifference.FieldChange], room: Int) -> Record.Fields {
        var fields = self
        // A name in another Unicode spelling is one field removed and one added.
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
    /// What the change of one value to another makes of this one.
    ///
    /// Members of maps that only this one has are kept: they were stored by a type that has more properties. An
    /// element of a list cannot be told to be the same one, so a list is the new one.
    fileprivate func applying(from old: Record.Value?, to new: Record.Value, room: Int) -> Record.Value {
        guard room > 0, case .map(let fields) = self, case .map(let old)? = old, case .map(let new) = new else {
            return new
        }
        return .map(fields.applying(new.changes(from: old), room: room - 1))
    }
}
