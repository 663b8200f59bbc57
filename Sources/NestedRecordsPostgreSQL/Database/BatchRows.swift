#if PostgreSQL
import Foundation
@_spi(Engines) import NestedRecords

/// The rows that a batch writes or checks, in the order of their IDs.
///
/// Every writer locks rows in this order, which prevents deadlocks.
struct BatchRows {
    struct Row {
        let id: Record.ID

        /// The new change tag; empty for a row that is only checked.
        let tag: String

        /// The required state of the row: nil for any, empty for no record, `*` for any record, else `=` and the tag.
        let expected: String?
        let created: Date
        let modified: Date
        var body: [UInt8]?
        var keys: String?
        var references: String?

        /// The fields as JSON, for SQL.
        var fields: [UInt8]?

        /// The audience values after the batch; nil if no audience of the type is declared.
        var audience: [AudienceKey]?
    }

    private(set) var rows: [Row] = []

    /// Whether there may temporarily be rows that are not records.
    ///
    /// Such a row keeps others from inserting a record that must not exist, until the end of the transaction.
    private(set) var hasPlaceholders = false
    private(set) var hasOthers = false

    /// Whether a record depends on the date of its last save, which must not be before that of the version that it
    /// replaces.
    var dependsOnModification = false

    private(set) var dependsOnCreation = false

    /// The numbers of the locks on the targets of the references in the records.
    private(set) var locks: Set<Int64> = []

    /// The records to which no other record may refer, with those that may.
    private(set) var allowedReferrers: [Record.ID: Set<Record.ID>] = [:]
    private var writer = RecordWriter()
    private let catalog: Catalog
    private let writesFields: Bool

    init(_ catalog: Catalog, writesFields: Bool) { (self.catalog, self.writesFields) = (catalog, writesFields) }

    mutating func add(_ record: Record, _ metadata: Record.Metadata, expected: RecordBatch.Version) throws {
        if catalog.hasIndex(by: .creationDate, ofType: record.id.type) { dependsOnCreation = true }
        if catalog.hasIndex(by: .modificationDate, ofType: record.id.type) { dependsOnModification = true }
        var bytes = GrowingBytes(capacity: 512)
        // The metadata is in columns: the server keeps the date of the first save.
        try writer.append(record, metadata: nil, to: &bytes)
        // IDs are compared byte by byte, as on the server, and strings are not.
        let targets = Set(IteratorSequence(ReferenceWalk(record.fields)).lazy.map(\.id)).sorted().map(\.description)
        for target in targets { locks.insert(ReferenceLocks.number(of: target)) }
        rows.append(
            Row(
                id: record.id, tag: metadata.changeTag, expected: expected.stored, created: metadata.creationDate,
                modified: metadata.modificationDate, body: bytes.withBytes { Array($0) },
                keys: catalog.keys(of: record),
                references: targets.isEmpty ? nil : targets.map(Optional.some).arrayText,
                fields: writesFields ? record.fields.readableJSON : nil,
                audience: try catalog.audience(ofType: record.id.type)?.keys(of: record)))
    }

    mutating func add(_ deletion: RecordBatch.VersionedID, tag: String, date: Date) throws {
        hasOthers = true
        hasPlaceholders = true
        rows.append(
            Row(
                id: deletion.id, tag: tag, expected: deletion.version.stored, created: date, modified: date,
                audience: try catalog.audience(ofType: deletion.id.type) == nil ? nil : []))
    }

    mutating func add(_ condition: RecordBatch.VersionedID, date: Date) {
        // A record that may have any version needs no check.
        if condition.version == .any { return }
        hasOthers = true
        if condition.version == .missing { hasPlaceholders = true }
        rows.append(
            Row(id: condition.id, tag: "", expected: condition.version.stored, created: date, modified: date))
    }

    /// Requires that no record refers to another record, except some.
    mutating func add(_ allowed: Set<Record.ID>, mayReferTo id: Record.ID) {
        allowedReferrers[id] = allowed
        locks.insert(ReferenceLocks.number(of: id.description))
    }

    mutating func sort() { rows.sort { $0.id < $1.id } }
}

extension RecordBatch.Version {
    fileprivate var stored: String? {
        switch self {
        case .any: nil
        case .missing: ""
        case .exists: "*"
        // A tag that the server cannot store belongs to no record.
        case .changeTag(let tag): tag.utf8.contains(0) ? "=" : "=" + tag
        }
    }
}
#endif
