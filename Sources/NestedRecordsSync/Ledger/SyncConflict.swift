public import NestedRecords

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A change that lost to a change on the other side.
///
/// It is kept in the local database until ``RecordSync/resolve(_:with:)``.
public struct SyncConflict: Sendable, Identifiable {
    /// What was contested.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Fields that changed to different values on both sides.
        case fields

        /// The record as a whole: both sides made it, or the versions of its type differ.
        case record

        /// The local side deleted the record, and the remote side changed it.
        case localDeletion

        /// The remote side deleted the record, and the local side changed it, or refers to it in a change that was not sent.
        case remoteDeletion
    }

    /// The record of the log.
    public let id: Record.ID

    /// The record with the conflict.
    public let recordID: Record.ID

    /// What was contested.
    public let kind: Kind

    /// The names of the contested fields.
    public let fields: [String]

    /// The fields of the last state that both sides had; nil without one.
    public let base: Record.Fields?

    /// The fields of the local record; nil if it was deleted.
    public let local: Record.Fields?

    /// The fields of the remote record; nil if it was deleted.
    public let remote: Record.Fields?

    /// When the conflict was found.
    public let date: Date

    let metadata: Record.Metadata?

    init(
        id: Record.ID, recordID: Record.ID, loss: RecordPlan.Loss, base: Record.Fields?, local: Record.Fields?,
        remote: Record.Fields?, date: Date
    ) {
        (self.id, self.recordID, kind, fields) = (id, recordID, loss.kind, loss.fields)
        (self.base, self.local, self.remote, self.date, metadata) = (base, local, remote, date, nil)
    }

    init(_ record: Record) throws {
        id = record.id
        recordID = try Record.ID(record.requiredString("record"))
        guard let kind = Kind(rawValue: try record.requiredString("kind")) else { throw record.damaged("kind") }
        self.kind = kind
        fields = try record.strings("fields")
        base = try record.contents("base")
        local = try record.contents("local")
        remote = try record.contents("remote")
        date = try record.date("date")
        metadata = record.metadata
    }

    func record() throws -> Record {
        var record = try Record(
            id: id,
            fields: [
                "record": .string(recordID.description), "kind": .string(kind.rawValue),
                "fields": .list(fields.map { .string($0) }), "date": .date(date),
            ])
        try record.setContents("base", to: base, of: recordID)
        try record.setContents("local", to: local, of: recordID)
        try record.setContents("remote", to: remote, of: recordID)
        return record
    }
}
