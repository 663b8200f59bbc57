/// What a change of a value means for the records that it was read from.
///
/// The value was encoded before and after the change: what only differs between the records as they were read and the
/// first of both is not the value's to change.
struct RecordUpdate: Sendable {
    /// The records to save, with the versions that were read, targets before the records that point to them.
    let records: [Record]

    /// The records that are not in the value any more, those that point before their targets.
    let deletions: [RecordBatch.Deletion]

    init(of read: RecordGraph, from before: RecordGraph, to after: RecordGraph) {
        let difference = after.difference(from: before)
        var changed: [Record.ID: Record] = [:]
        for var record in difference.added {
            record.metadata = record.metadata ?? read[record.id]?.metadata
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

extension RecordBatch.Deletion {
    /// The deletion of a record in the version in which it was read; in any version if that is not known.
    init(removing record: Record) {
        self.init(record.id, version: record.metadata == nil ? .any : RecordBatch.Version(of: record))
    }
}

extension Record {
    fileprivate func applying(_ changes: [RecordGraphDifference.FieldChange]) -> Record {
        var record = self
        // A name in another Unicode spelling is one field removed and one added.
        for change in changes where change.new == nil { record[change.name] = nil }
        for change in changes where change.new != nil { record[change.name] = change.new }
        return record
    }
}
