/// The changes of a value since it was read.
///
/// The value is encoded once. Only the records that then differ from what was read are decoded and encoded again as they
/// were read, with what is nested in them: this alone distinguishes what the value has changed from what its types do not
/// know, omit, or write in another form.
struct ValueChange {
    /// The records of the value.
    let after: RecordGraph

    /// The records of the value as it was read, encoded again: all, or those that differ, with what is nested in them.
    let before: RecordGraph

    /// The records that the value has added, changed and removed.
    let difference: RecordGraphDifference

    /// The positions of the records of the value that are as they were read.
    let unchanged: [Int]

    /// The positions of those that were read and differ.
    let differing: [Int]

    private let models: RecordModels
    private let isWhole: Bool

    /// Encodes a value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - id: The record that it was read from.
    ///   - read: The records that were read.
    ///   - decoder: The decoder that has read them.
    ///   - database: The database to which the value is saved; nil for none.
    /// - Throws: The errors of ``RecordEncoder/encode(_:)-(Root)``, and those of decoding what was read.
    init<Value: RecordCodable>(
        of value: Value, from id: Record.ID, in read: ResolvedRecords, _ decoder: RecordDecoder,
        for database: (any RecordDatabase)? = nil
    ) throws {
        let encoder = RecordEncoder(decoder.coding)
        var models = RecordModels()
        after = try encoder.encode(value, for: database, noting: &models)
        self.models = models
        var added: [Record] = []
        var (unchanged, differing) = ([Int](), [Int]())
        unchanged.reserveCapacity(after.count)
        var comparison = FieldComparison()
        // Records are encoded in the order in which they were decoded.
        var next = 0
        // By number: taking a record out of the array would copy ten references.
        for number in after.records.indices {
            guard let position = read.index.position(of: after.records[number].id, in: read.records, near: next) else {
                added.append(after.records[number])
                continue
            }
            next = position + 1
            if comparison.areIdentical(after.records[number].fields, read.records[position].fields) {
                unchanged.append(position)
            } else {
                differing.append(position)
            }
        }
        (self.unchanged, self.differing) = (unchanged, differing)
        if added.count > 1 { added = after.filter { read[$0.id] == nil } }
        let changed = differing.map { read.records[$0].id }
        // A part is as large as the whole if the root has changed.
        let isPart = after.roots == [id] && !changed.contains(id) && !StoredForm.hasFormerNames(in: read)
        let groups = isPart ? models.groups(of: changed) : nil
        // An error of a part is found again in the whole, with the way from the root.
        if let part = groups.flatMap({ try? encoder.encode(decoder.decode($0, from: read).values) }) {
            (before, isWhole) = (part, false)
            var changes: [(old: Record, new: Record, fields: [RecordGraphDifference.FieldChange])] = []
            var removed: [Record] = []
            for old in part {
                guard let new = after[old.id] else {
                    removed.append(old)
                    continue
                }
                let fields = new.fields.changes(from: old.fields)
                if !fields.isEmpty { changes.append((old, new, fields)) }
            }
            added.removeAll { part[$0.id] != nil }
            difference = RecordGraphDifference(added: added, removed: removed, changes: changes)
        } else {
            // The value may be of a subclass.
            let root = models.groups(of: [id]) ?? [(Value.self, [id])]
            (before, isWhole) = (try encoder.encode(decoder.decode(root, from: read).values), true)
            difference = after.difference(from: before)
        }
    }

    /// Whether the value is what will be decoded from its records after a save, and is not to be decoded again.
    ///
    /// The records to save are decoded, with what is nested in them, and encoded once more. If that fails, the value is not
    /// kept, so that the whole is decoded and has the error.
    ///
    /// - Parameters:
    ///   - ids: The records to save.
    ///   - records: All records as they will be.
    ///   - decoder: The decoder.
    func isKept(saving ids: [Record.ID], in records: ResolvedRecords, _ decoder: RecordDecoder) -> Bool {
        guard !isWhole, let groups = models.groups(of: ids),
            let (values, readsMetadata) = try? decoder.decode(groups, from: records), !readsMetadata,
            let again = try? RecordEncoder(decoder.coding).encode(values)
        else { return false }
        var comparison = FieldComparison()
        return again.allSatisfy { record in
            after[record.id].map { comparison.areIdentical($0.fields, record.fields) } ?? false
        }
    }

    /// The records of a value that is kept after a save; nil for all records that it was read from.
    ///
    /// - Parameters:
    ///   - former: Its records before; nil for all that were read.
    ///   - read: The records that were read.
    func ids(replacing former: [Record.ID]?, in read: ResolvedRecords) -> [Record.ID]? {
        if former == nil, difference.removed.isEmpty { return nil }
        var ids = Set(former ?? read.records.map(\.id)).subtracting(difference.removed.map(\.id))
        for record in after { ids.insert(record.id) }
        return Array(ids)
    }
}

extension RecordModels {
    /// Records by their Swift types; nil if the type of one is not certain.
    fileprivate func groups(of ids: [Record.ID]) -> [(model: any RecordCodable.Type, ids: [Record.ID])]? {
        var groups: [(model: any RecordCodable.Type, ids: [Record.ID])] = []
        var positions: [String: Int] = [:]
        for id in ids {
            if let position = positions[id.type] {
                groups[position].ids.append(id)
            } else {
                guard let model = self[id.type] else { return nil }
                positions[id.type] = groups.count
                groups.append((model, [id]))
            }
        }
        return groups
    }
}
