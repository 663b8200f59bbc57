import Foundation
@_spi(Engines) import NestedRecords

/// The tags of the records that a batch saves, and of those that it marks as deleted.
///
/// They are the same in each attempt, so that a stored one says that the batch was applied.
struct BatchMarks {
    let saves: [String]
    let deletion: String

    init(_ batch: RecordBatch) {
        saves = batch.saves.map { _ in Self.make() }
        deletion = Self.make()
    }

    private static func make() -> String {
        String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt32.random(in: .min ... .max), radix: 36)
    }

    /// The metadata of a batch that an earlier attempt has applied; nil if it may be sent again.
    ///
    /// It can be sent again since each of its saves and deletions is over one version of a record, so that a late copy fails.
    /// An insertion is the exception if another writer has deleted the record in between: the record exists again then.
    func outcome(
        of batch: RecordBatch, in stored: [Record.ID: StoredRecord], _ sent: [Record.ID: Record.Metadata]
    ) -> [Record.ID: Record.Metadata]? {
        var (metadata, isApplied) = (sent, false)
        for (record, tag) in zip(batch.saves, saves) {
            guard let found = stored[record.id]?.live?.metadata, found.changeTag == tag else { continue }
            (metadata[record.id], isApplied) = (found, true)
        }
        isApplied = isApplied || stored.values.contains { $0.content?.record.metadata?.changeTag == deletion }
        return isApplied ? metadata : nil
    }
}

/// The requests of a batch, over the records that it was read against.
struct BatchPlan {
    var saves: [PortSave] = []

    /// Whether one of them is over a record that is marked as deleted.
    let savesOverTombstone: Bool

    private(set) var deletions: [PortDeletion] = []

    /// The records that are marked as deleted, to remove afterwards.
    private(set) var tombstones: [Record.ID] = []

    /// The metadata of the saved records.
    private(set) var metadata: [Record.ID: Record.Metadata] = [:]

    /// The names of the records that are saved: with plain names, two records may have one.
    private var names: Set<String> = []
    private let stored: [Record.ID: StoredRecord]
    private let mapping: RecordMapping

    /// - Parameters:
    ///   - batch: The batch.
    ///   - stored: The records of the batch; without new ones, which must be missing.
    ///   - marks: The tags of the batch.
    ///   - mapping: How records are in CloudKit.
    ///   - port: What the port can do.
    /// - Throws: The conflict of the batch with the stored records; the errors of ``RecordMapping``.
    init(
        _ batch: RecordBatch, over stored: [Record.ID: StoredRecord], _ marks: BatchMarks, _ mapping: RecordMapping,
        _ port: any CloudKitPort
    ) throws {
        (self.stored, self.mapping) = (stored, mapping)
        savesOverTombstone = stored.values.contains { $0.content?.isDeleted == true }
        var tags = marks.saves[...]
        let date = Date()
        let versions = try batch.newVersions(
            date: date, changeTag: { tags.popFirst() ?? "" }, over: { stored[$0]?.live })
        for record in versions {
            let taken = stored[record.id].flatMap { $0.content == nil ? $0.base.fields.recordType : nil }
            let name = mapping.naming.recordName(of: record.id)
            if taken != nil || !names.insert(name).inserted {
                let other = taken.map { "a record of the type '\($0)'" } ?? "another record of the batch"
                throw RecordDatabaseError(.conflict, reason: "it is that of \(other)", recordID: record.id)
            }
            let fields = try mapping.encode(record, over: stored[record.id]?.base.fields.values ?? [:])
            saves.append(save(fields, record, over: stored[record.id]))
            metadata[record.id] = record.metadata
        }
        let mark = Record.Metadata(changeTag: marks.deletion, creationDate: date, modificationDate: date)
        for deletion in batch.deletions {
            let name = mapping.naming.recordName(of: deletion.id)
            if !port.isZone, !port.deletesVersions {
                // CloudKit deletes by name, whatever the type.
                let isOfOther = stored[deletion.id].map { $0.content == nil } ?? false
                if isOfOther || mapping.naming.fault(of: deletion.id) != nil { continue }
                deletions.append(PortDeletion(recordName: name))
            } else if let base = stored[deletion.id]?.liveBase {
                if port.deletesVersions {
                    deletions.append(PortDeletion(recordName: name, base: base))
                } else {
                    try addTombstone(deletion.id, mark)
                }
            } else if deletion.version != .any, port.isZone {
                try addTombstone(deletion.id, mark)
            }
        }
        // Records stay as they are, also with assets that the database does not keep.
        var anyMapping = mapping
        anyMapping.storesAssets = true
        // The guard is the condition of all contents of assets.
        for condition in batch.conditions
        where condition.version != .any && !(condition.id.isAssetContent && condition.version == .exists) {
            guard let base = stored[condition.id], let record = base.live else {
                try addTombstone(condition.id, mark)
                continue
            }
            // Only the rest changes: the record keeps its version.
            let fields = try anyMapping.encode(record, over: base.base.fields.values)
            saves.append(save(fields, record, over: base))
        }
    }

    /// The size of the request.
    var size: Int { saves.reduce(0) { $0 + $1.set.reduce(0) { $0 + $1.key.utf8.count + $1.value.size } } }

    /// The mark of a record that is deleted, or that must not exist: CloudKit has conditions for saves alone.
    private mutating func addTombstone(_ id: Record.ID, _ mark: Record.Metadata) throws {
        // A record that CloudKit cannot name is missing for certain, and so is one whose name another type has.
        if mapping.naming.fault(of: id) != nil { return }
        if let taken = stored[id], taken.content == nil { return }
        // Another save of the name requires the same.
        if !names.insert(mapping.naming.recordName(of: id)).inserted { return }
        let base = stored[id]?.base
        let rest = RestField(deleting: try Record(id: id, fields: [:], metadata: mark))
        let others = (base?.fields.values.keys).map { $0.filter { $0 != RestField.name }.sorted() } ?? []
        saves.append(
            PortSave(
                base: base, recordType: CloudKitNaming.recordType(of: id.type),
                recordName: mapping.naming.recordName(of: id), set: [RestField.name: .bytes(try rest.data())],
                removed: others))
        tombstones.append(id)
    }

    /// The save of a record, without the fields that stay as they are: other programs may know more of them.
    private func save(_ fields: CloudKitFields, _ record: Record, over stored: StoredRecord?) -> PortSave {
        let former = stored?.base.fields.values ?? [:]
        func stays(_ name: String) -> Bool {
            guard let old = stored?.live?[name], let new = record[name] else { return false }
            return old.isIdentical(to: new)
        }
        let set = fields.values.filter { name, value in
            guard let old = former[name], stays(name) else { return true }
            return !old.isStoredForm(of: value) || (value.isOwned && !old.isOwned)
        }
        let removed = former.keys.filter { fields.values[$0] == nil && !stays($0) }
        return PortSave(
            base: stored?.base, recordType: fields.recordType, recordName: fields.recordName, set: set,
            removed: removed.sorted())
    }
}

extension CloudKitValue {
    /// Whether it has an owned reference.
    fileprivate var isOwned: Bool {
        switch self {
        case .reference(let reference): reference.isOwned
        case .list(let values): values.contains(where: \.isOwned)
        default: false
        }
    }
}
