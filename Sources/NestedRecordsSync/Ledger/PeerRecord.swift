import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The last push of a replica, in the remote database.
///
/// Each push saves it in its batch, under its version. So a push is applied once, a late copy fails, and a replica finds
/// out what became of its push.
struct PeerRecord: Sendable {
    let id: Record.ID
    var number: Int64

    /// A random mark: two copies of one replica do not take a push of the other for their own.
    var attempt: String

    /// False for a push that was given up, and that fails should it arrive later.
    var hasLanded: Bool
    var date: Date
    var metadata: Record.Metadata?

    init(id: Record.ID, number: Int64, attempt: String, hasLanded: Bool, date: Date, replacing former: PeerRecord?) {
        (self.id, self.number, self.attempt) = (id, number, attempt)
        (self.hasLanded, self.date, metadata) = (hasLanded, date, former?.metadata)
    }

    init(_ record: Record) throws {
        id = record.id
        number = try record.number("number")
        attempt = try record.requiredString("attempt")
        hasLanded = try record.flag("hasLanded")
        date = try record.date("date")
        metadata = record.metadata
    }

    func record() throws -> Record {
        try Record(
            id: id,
            fields: [
                "number": .int(number), "attempt": .string(attempt), "hasLanded": .bool(hasLanded), "date": .date(date),
            ], metadata: metadata)
    }
}
