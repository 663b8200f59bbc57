@_spi(Engines) import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One round: it settles the last push, pulls, and pushes.
///
/// It may end anywhere, also with the process; the next round goes on from the ledger.
struct SyncRound {
    let context: SyncContext
    let deadline: Date?
    var link: LinkRecord
    var outcome = SyncOutcome()

    /// Whether the link has changed in memory alone.
    var isDirty = false

    /// The last known record about this replica in the remote database; nil if it was not read yet.
    var peer: PeerRecord??

    /// The refused changes that were sent once more, together with others.
    var regrouped: Set<Record.ID> = []

    /// Whether the remote database has refused even the record about this replica: it takes no change at all.
    var isRefused = false

    /// What this round knows of local changes that were not sent, by which it keeps records that the remote side has deleted.
    var unsent = UnsentRecords()

    /// - Parameter known: The link as the last round left it in memory.
    init(_ context: SyncContext, known: LinkRecord?, deadline: Date?) async throws {
        (self.context, self.deadline) = (context, deadline)
        let id = try context.names.linkID()
        if let record = try await context.localFeed.database.record(for: id) {
            let stored = try LinkRecord(record)
            if let known, known.metadata == stored.metadata {
                (link, isDirty) = (known, true)
            } else {
                link = stored
            }
            if link.isDetaching { try await detach(link.start) }
        } else {
            link = LinkRecord(id: id, replica: context.environment.makeName())
            (link.types, link.start) = (context.types, Start(context.options.firstSync))
            if context.options.firstSync == .refuse { try await checkIsEmpty() }
            try await commit(RecordBatch(), link)
        }
    }

    mutating func run() async throws {
        try await settle()
        if link.types != context.types { try await changeTypes() }
        if try await pull() {
            if link.start == .takeRemote { try await dropLocalChanges() }
            if context.options.direction == .both { try await push() }
        }
        // A reader whose token is never stored would lose it to a purge.
        if isDirty, context.environment.now().timeIntervalSince(link.date) > Self.longestTimeInMemory {
            try await commit(RecordBatch(), link)
        }
    }

    private static let longestTimeInMemory: TimeInterval = 86_400

    /// Whether the time is over; the round then ends as soon as it can.
    mutating func mustStop() throws -> Bool {
        try Task.checkCancellation()
        guard let deadline, context.environment.now() >= deadline else { return false }
        outcome.isComplete = false
        return true
    }

    // MARK: The ledger

    /// Commits a batch in the local database together with the link, under the link's version.
    mutating func commit(_ batch: RecordBatch, _ next: LinkRecord) async throws {
        var (batch, next) = (batch, next)
        next.date = context.environment.now()
        batch.saves.insert(try next.record(), at: 0)
        batch = try await batch.carryingAssets(by: ContentTransfer(context: context, isPull: true))
        do {
            let saved = try await context.local.commit(batch)
            guard let metadata = saved[next.id] else {
                throw RecordError(.invalidResponse, reason: "the metadata of \(next.id) is missing")
            }
            next.metadata = metadata
            (link, isDirty, outcome.hasWritten) = (next, false, true)
        } catch let error where error.isOvertaken {
            let stored = try await context.localFeed.database.record(for: link.id)
            throw stored?.metadata?.changeTag == link.metadata?.changeTag ? Overtaken.records : Overtaken.link
        }
    }

    /// The bases of records; new ones for records without a base.
    func bases(of ids: [Record.ID]) async throws -> [Record.ID: BaseRecord] {
        let found = try await context.localFeed.database.found(ids.map(context.names.baseID))
        var bases: [Record.ID: BaseRecord] = [:]
        for id in ids {
            bases[id] =
                try found[try context.names.baseID(of: id)].map { try BaseRecord($0, of: id) } ?? BaseRecord(of: id)
        }
        return bases
    }

    /// The rejected changes by the ID of their records.
    func rejected() async throws -> [Record.ID: RejectedChange] {
        guard link.hasRejected else { return [:] }
        var found: [Record.ID: RejectedChange] = [:]
        for try await record in context.localFeed.database.records(ofType: context.names.rejectedType) {
            let change = try RejectedChange(record)
            found[change.recordID] = change
        }
        return found
    }

    /// The state of the link once some records are no longer rejected.
    func link(
        _ next: LinkRecord, rejecting rejected: [Record.ID: RejectedChange], without ids: some Sequence<Record.ID>
    )
        -> LinkRecord
    {
        guard link.hasRejected else { return next }
        var next = next
        next.hasRejected = !Set(rejected.keys).subtracting(ids).isEmpty
        return next
    }
}
