/// The changes to records that follow from the change of a value.
///
/// The value was encoded before and after the change, before it as far as it differs from the records that were read.
/// Differences between these records and the first encoding are data that the value does not know, and are kept; where this
/// is not certain, the update is refused.
struct RecordUpdate: Sendable {
    /// The records to save, with the versions that were read, targets before the records that point to them.
    let records: [Record]

    /// The records that the value no longer contains, sources before targets.
    let deletions: [RecordBatch.VersionedID]

    init(
        of read: ResolvedRecords, by difference: RecordGraphDifference, to after: RecordGraph,
        former: [Record.ID: Record] = [:]
    ) throws {
        var moves = MovedValues()
        var changed = try Self.changed(by: difference, of: read, former, &moves)
        if !moves.isEmpty {
            moves.beginSecondPass()
            changed = try Self.changed(by: difference, of: read, former, &moves)
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
        let ordered = changed.count < 2 ? Array(changed.values) : after.compactMap { changed[$0.id] }
        records = ordered.filter { record in
            read[record.id].map { !record.fields.changes(from: $0.fields).isEmpty } ?? true
        }
        deletions = difference.removed.reversed().map { RecordBatch.VersionedID(removing: read[$0.id] ?? $0) }
    }

    private static func changed(
        by difference: RecordGraphDifference, of read: ResolvedRecords, _ former: [Record.ID: Record],
        _ moves: inout MovedValues
    ) throws -> [Record.ID: Record] {
        var changed: [Record.ID: Record] = [:]
        for change in difference.changes {
            changed[change.new.id] = try read[change.new.id]?.applying(change.fields, &moves) ?? change.new
        }
        for var record in difference.added {
            if let known = read[record.id] {
                if let former = former[record.id] {
                    record = try known.applying(record.fields.changes(from: former.fields), &moves)
                } else if !Record.Value.map(known.fields).holdsMore(than: .map(record.fields), countsNull: true) {
                    // Other values read it. If it lacks something, the type may not know that: then it is a new record
                    // like any other.
                    record.metadata = record.metadata ?? known.metadata
                }
            } else if moves.isSecondPass {
                let fields = record.fields.changes(from: [:])
                record.fields = [:]
                record = try record.applying(fields, &moves)
            }
            changed[record.id] = record
        }
        return changed
    }
}

extension Record {
    fileprivate func applying(
        _ changes: [RecordGraphDifference.FieldChange], _ moves: inout MovedValues
    ) throws -> Record {
        var record = self
        do {
            record.fields = try fields.applying(changes, at: [], &moves)
        } catch {
            throw RecordError.incompletelyRead(id, error)
        }
        return record
    }
}
