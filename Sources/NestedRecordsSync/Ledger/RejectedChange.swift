public import NestedRecords

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A local change that the remote database refused.
///
/// The local database keeps the change. It is sent again when the record changes on either side, after pauses that grow, and
/// after ``RecordSync/retry(_:)``; ``RecordSync/discard(_:)`` gives it up. Only a refused deletion of a record to which others
/// refer is undone: ``isRestored``.
public struct RejectedChange: Sendable, Identifiable {
    /// The record of the list.
    public let id: Record.ID

    /// The changed record.
    public let recordID: Record.ID

    /// The error of the remote database, in words.
    public internal(set) var reason: String

    /// How often the change was sent.
    public internal(set) var attempts: Int

    /// The time after which it is sent again.
    public internal(set) var nextAttempt: Date

    /// Whether it is a deletion that references of other records prevented: the record has returned.
    ///
    /// ``RecordSync/retry(_:)`` deletes it once more.
    public internal(set) var isRestored = false

    /// The version of the local record; empty for a deletion.
    var tag: String
    var metadata: Record.Metadata?

    init(id: Record.ID, recordID: Record.ID) {
        (self.id, self.recordID, reason, attempts, nextAttempt, tag) = (id, recordID, "", 0, .distantPast, "")
    }

    init(_ record: Record) throws {
        id = record.id
        recordID = try Record.ID(record.requiredString("record"))
        reason = try record.requiredString("reason")
        attempts = Int(try record.number("attempts"))
        nextAttempt = try record.date("nextAttempt")
        tag = try record.requiredString("tag")
        isRestored = try record.flag("isRestored")
        metadata = record.metadata
    }

    func record() throws -> Record {
        try Record(
            id: id,
            fields: [
                "record": .string(recordID.description), "reason": .string(reason), "attempts": .int(Int64(attempts)),
                "nextAttempt": .date(nextAttempt), "tag": .string(tag), "isRestored": .bool(isRestored),
            ], metadata: metadata)
    }

    /// What removes it from the list.
    var deletion: RecordBatch.VersionedID {
        RecordBatch.VersionedID(id, version: metadata.map { .changeTag($0.changeTag) } ?? .missing)
    }
}
