/// The changes to records that follow from the change of a value.
///
/// The value was encoded before and after the change. Differences between the stored records and the first encoding are
/// data that the value does not know, and are kept; where this is not certain, the update is refused.
struct RecordUpdate: Sendable {
    /// The records to save, with the versions that were read, targets before the records that point to them.
    let records: [Record]

    /// The records that the value no longer contains, sources before targets.
    let deletions: [RecordBatch.VersionedID]

    init(
        of read: RecordGraph, from before: RecordGraph, to after: RecordGraph, former: [Record.ID: Record] = [:]
    ) throws {
        let difference = after.difference(from: before)
        var changed: [Record.ID: Record] = [:]
        for var record in difference.added {
            if let known = read[record.id] {
                if let former = former[record.id] {
                    record = try known.applying(record.fields.changes(from: former.fields))
                } else if known.fields.changes(from: record.fields).allSatisfy({ $0.old != nil }) {
                    // Other values read it. If it lacks a field, the type may not know that field: then it is a new record
                    // like any other.
                    record.metadata = record.metadata ?? known.metadata
                }
            }
            changed[record.id] = record
        }
        for change in difference.changed {
            changed[change.new.id] = try read[change.new.id]?.applying(change.fields) ?? change.new
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
    fileprivate func applying(_ changes: [RecordGraphDifference.FieldChange]) throws -> Record {
        var record = self
        do {
            record.fields = try fields.applying(changes, at: [])
        } catch {
            throw RecordError.incompletelyRead(id, error)
        }
        return record
    }
}
