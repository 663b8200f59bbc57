import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The state of a synchronization, in the local database.
///
/// Each batch of the ledger saves it under its version, so that of two processes one fails and starts again.
struct LinkRecord: Sendable {
    /// The position in a comparison of all records with the remote database.
    struct Listing: Sendable, Equatable {
        /// The token from before the comparison, so that no change falls between; nil without a feed.
        var token: ChangeToken?

        /// The type and the name of the last record that was compared.
        var type = ""
        var name: String?
    }

    let id: Record.ID

    /// The name of this replica in the remote database.
    var replica: String

    /// The positions in both feeds; nil to compare all records.
    var pulled: ChangeToken?
    var pushed: ChangeToken?

    var listing: Listing?

    /// Positions in the remote feed that bases have reached, while the position from which changes are read next is earlier: by
    /// a comparison or another read of records, by a page before the last, which lacks the records that have changed again
    /// after it, and by a page whose first records are applied.
    ///
    /// A remote database that was restored to a state between is recognized by them alone.
    var listed: ChangeToken?
    var arriving: ChangeToken?

    /// Whether all records are to be compared, although there is a token.
    var mustList = false

    /// What becomes of records that differ without a base, until all were compared.
    var start = Start.merge

    /// The numbers of the last push, and of the last one whose outcome is known.
    var pushNumber: Int64 = 0
    var settledNumber: Int64 = 0

    /// The number of the last push that the position in the remote feed has passed.
    ///
    /// While it is less than the settled number, a restored remote database cannot be recognized by the token.
    var pulledNumber: Int64 = 0

    /// The mark and the records of the push whose outcome is not known.
    var attempt = ""
    var inFlight: [Record.ID] = []

    /// The synchronized types; empty for all.
    var types: [String] = []
    var isDetaching = false
    var hasRejected = false
    var date = Date.distantPast

    /// The version in the database; nil for a new one.
    var metadata: Record.Metadata?

    init(id: Record.ID, replica: String) { (self.id, self.replica) = (id, replica) }

    init(_ record: Record) throws {
        id = record.id
        replica = try record.requiredString("replica")
        pulled = try Self.token("pulled", in: record)
        pushed = try Self.token("pushed", in: record)
        listed = try Self.token("listed", in: record)
        arriving = try Self.token("arriving", in: record)
        if let type = try record.string("listingType") {
            listing = Listing(
                token: try Self.token("listingToken", in: record), type: type, name: try record.string("listingName"))
        }
        if let text = try record.string("start") {
            guard let start = Start(rawValue: text) else { throw record.damaged("start") }
            self.start = start
        }
        mustList = try record.flag("mustList")
        pushNumber = try record.number("pushNumber")
        settledNumber = try record.number("settledNumber")
        pulledNumber = try record.number("pulledNumber")
        attempt = try record.requiredString("attempt")
        inFlight = try record.strings("inFlight").map { try Record.ID($0) }
        types = try record.strings("types")
        isDetaching = try record.flag("isDetaching")
        hasRejected = try record.flag("hasRejected")
        date = try record.date("date")
        metadata = record.metadata
    }

    private static func token(_ name: String, in record: Record) throws -> ChangeToken? {
        guard let text = try record.string(name) else { return nil }
        guard let token = ChangeToken(text) else { throw record.damaged(name) }
        return token
    }

    func record() throws -> Record {
        var record = try Record(
            id: id,
            fields: [
                "replica": .string(replica), "mustList": .bool(mustList), "pushNumber": .int(pushNumber),
                "settledNumber": .int(settledNumber), "pulledNumber": .int(pulledNumber), "attempt": .string(attempt),
                "inFlight": .list(inFlight.map { .string($0.description) }),
                "types": .list(types.map { .string($0) }), "isDetaching": .bool(isDetaching),
                "hasRejected": .bool(hasRejected), "date": .date(date),
            ], metadata: metadata)
        record["pulled"] = pulled.map { .string($0.description) }
        record["pushed"] = pushed.map { .string($0.description) }
        record["listed"] = listed.map { .string($0.description) }
        record["arriving"] = arriving.map { .string($0.description) }
        record["listingToken"] = listing?.token.map { .string($0.description) }
        record["start"] = start == .merge ? nil : .string(start.rawValue)
        record["listingType"] = listing.map { .string($0.type) }
        record["listingName"] = listing?.name.map { .string($0) }
        return record
    }
}
