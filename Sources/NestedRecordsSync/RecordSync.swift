public import NestedRecords

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Keeps the records of two databases the same, in both directions.
///
/// ```swift
/// let sync = try RecordSync(local, with: remote, named: "cloud")
/// try await sync.synchronize()
/// ```
///
/// All reads and writes of an app use the local database. A synchronization carries over what has changed on either side since
/// the last one, and merges what has changed on both. It may be interrupted anywhere, and any number of processes may
/// synchronize the same local database at the same time.
///
/// The local database also holds the ledger: the last state of each record that both sides had. Both databases need a feed,
/// atomic batches, deletions that require a version, lists of versions in the order of the names, and queries that
/// include all saves. A remote database that is only pulled needs less: ``SyncOptions/Direction/pull``.
///
/// Several local databases may be synchronized with one remote database, and a remote database may be the local one of another
/// synchronization, as long as there is only one way between any two of them. The article <doc:OfflineFirst> says what is
/// promised.
public final class RecordSync: Sendable {
    let context: SyncContext
    private let memory = Lock(Memory())
    private let bell = Doorbell()

    private struct Memory {
        /// The link with positions that are not stored: a round in which nothing has changed writes nothing.
        var link: LinkRecord?
        var lastRound: Date?
        var failure: (any Error)?
        var failureCount = 0
        var nextAttempt: Date?
    }

    /// Prepares a synchronization; neither database is called.
    ///
    /// - Parameters:
    ///   - local: The database of the app, which keeps the ledger.
    ///   - remote: The database to synchronize with.
    ///   - name: The name of the synchronization in the local database: letters, digits and `_`, at most 64.
    ///   - options: What is synchronized, and how.
    /// - Throws: `RecordDatabaseError` with the code `unsupported` for a capability that a database lacks, `noFeed`
    ///   without a feed, and `invalidOptions` for another name, for options that exclude each other, and for batches of fewer
    ///   than five local or two remote records, with two more for each unique field of a type.
    public convenience init(
        _ local: any RecordDatabase, with remote: any RecordDatabase, named name: String,
        options: SyncOptions = SyncOptions()
    ) throws {
        try self.init(local, with: remote, named: name, options: options, SyncEnvironment())
    }

    init(
        _ local: any RecordDatabase, with remote: any RecordDatabase, named name: String, options: SyncOptions,
        _ environment: SyncEnvironment
    ) throws {
        context = try SyncContext(local, remote, named: name, options, environment)
    }

    // MARK: Synchronizing

    /// Carries over all changes, and merges those of both sides.
    ///
    /// It may be cancelled and repeated anywhere. A record that only one side has is added to the other, also the first time;
    /// records that differ then are contested as a whole.
    ///
    /// - Parameter deadline: The time after which it ends as soon as it can; nil, the default, for none.
    /// - Returns: What was done.
    /// - Throws: `RecordDatabaseError.Code.restored` and `otherAccount`, in which case nothing was changed since;
    ///   `notEmpty` before a first synchronization that the options refuse; `invalidOptions` for a record type that is too
    ///   long for the ledger; errors of the databases, after which the next call goes on; `CancellationError`.
    /// - Complexity: The calls are in proportion to the changes. Only the first call, and one after the deletions in the feed
    ///   were purged, compare all records. The memory is that of ``SyncOptions/pageSize`` records, and in such a comparison
    ///   that of the versions of a 32nd of all records.
    @discardableResult
    public func synchronize(until deadline: Date? = nil) async throws -> SyncOutcome {
        do {
            let outcome = try await rounds(until: deadline)
            memory.withLock { memory in
                (memory.lastRound, memory.failure, memory.nextAttempt) = (context.environment.now(), nil, nil)
                memory.failureCount = 0
            }
            return outcome
        } catch {
            memory.withLock { $0.failure = error }
            throw error
        }
    }

    /// Rounds until one has carried over everything.
    private func rounds(until deadline: Date?) async throws -> SyncOutcome {
        var total = SyncOutcome()
        var overtakenCount = 0
        var roundCount = 0
        var hasBegunAgain = false
        while true {
            do {
                let outcome = try await round(until: deadline)
                total.add(outcome)
                total.isComplete = outcome.isComplete
                roundCount += 1
                let isOver = deadline.map { context.environment.now() >= $0 } ?? false
                if outcome.isComplete || isOver || roundCount == Self.mostRounds { return total }
            } catch is Overtaken {
                overtakenCount += 1
                if overtakenCount > Self.mostRestarts {
                    throw RecordDatabaseError(.busy, reason: "other processes are synchronizing it")
                }
                let share = Int64(context.environment.random() % 8)
                try await context.environment.sleep(.milliseconds(share << min(overtakenCount, 8)))
            } catch RecordDatabaseError.Code.restored where !hasBegunAgain && context.options.restored != .stop {
                hasBegunAgain = true
                guard let start = Start(context.options.restored) else { continue }
                try await edit { try await $0.detach(start) }
            }
        }
    }

    private static let mostRounds = 8
    private static let mostRestarts = 100

    private func round(until deadline: Date?) async throws -> SyncOutcome {
        var round = try await begin(until: deadline)
        let result: Result<Void, any Error>
        do { result = .success(try await round.run()) } catch { result = .failure(error) }
        memory.withLock { [link = round.link] in $0.link = link }
        try result.get()
        return round.outcome
    }

    func begin(until deadline: Date? = nil) async throws -> SyncRound {
        try await SyncRound(context, known: memory.withLock { $0.link }, deadline: deadline)
    }

    /// Synchronizes whenever either side changes, until the task is cancelled.
    ///
    /// After an error it waits, longer after each: random times up to five minutes, at least as long as the database asks
    /// for. A local change and ``wake()`` end the pause.
    ///
    /// Without a feed of the remote database it compares all records after each of these, and once a minute.
    ///
    /// - Throws: `CancellationError`; `RecordDatabaseError.Code.restored`, `otherAccount` and `notEmpty`.
    public func run() async throws {
        while true {
            let ringCount = bell.ringCount
            do {
                let isComplete = try await synchronize().isComplete
                try await waitForNews(after: ringCount, isComplete: isComplete)
            } catch let error where error is CancellationError || error.needsDecision {
                throw error
            } catch {
                try Task.checkCancellation()
                try await pause(after: error, ringCount)
            }
        }
    }

    /// Ends a pause of ``run()``: something has said that the remote database has changed, as a push message does.
    public func wake() { bell.ring() }

    private func waitForNews(after ringCount: UInt64, isComplete: Bool) async throws {
        let link = memory.withLock { $0.link }
        let (pulled, pushed) = (link?.pulled, link?.pushed)
        let isPullOnly = context.options.direction == .pull
        guard isComplete, pulled != nil || context.remoteFeed == nil, pushed != nil || isPullOnly else {
            return try await context.environment.sleep(.seconds(1))
        }
        let (context, bell) = (context, bell)
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            if let pushed { group.addTask { try await context.localFeed.waitForChanges(after: pushed) } }
            if let pulled, let feed = context.remoteFeed {
                group.addTask { try await feed.waitForChanges(after: pulled) }
            } else {
                group.addTask { try await context.environment.sleep(.seconds(60)) }
            }
            group.addTask { try await bell.wait { bell.ringCount != ringCount } }
            // For rejected changes, whose time may have come.
            if link?.hasRejected == true { group.addTask { try await context.environment.sleep(.seconds(60)) } }
            try await group.next()
        }
    }

    private func pause(after error: any Error, _ ringCount: UInt64) async throws {
        let (context, bell) = (context, bell)
        // Only later changes end the pause: those before it have just failed.
        let token = try? await context.localFeed.changeToken()
        let pause = memory.withLock { memory in
            memory.failureCount += 1
            memory.failure = error
            let pause = context.environment.pause(
                afterFailures: memory.failureCount, atLeast: (error as? RecordDatabaseError)?.retryAfter)
            memory.nextAttempt = context.environment.now().addingTimeInterval(pause.inSeconds)
            return pause
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await context.environment.sleep(pause) }
            group.addTask { try await bell.wait { bell.ringCount != ringCount } }
            if let token { group.addTask { try await context.localFeed.waitForChanges(after: token) } }
            try await group.next()
        }
    }

    // MARK: Files

    /// The files beside the records of the local database.
    ///
    /// A content that only the remote database has is copied when it is first read: see ``SyncOptions/Contents/onFirstRead``.
    /// The errors of its calls are then also those of the remote database.
    public var assets: AssetStore {
        AssetStore(
            context.local.assets.map {
                SyncedAssets(base: $0, transfer: ContentTransfer(context: context, isPull: true))
            })
    }

    // MARK: The state

    /// Returns the state, without a call to the remote database.
    ///
    /// - Returns: The status.
    /// - Throws: Errors of the local database.
    /// - Complexity: In proportion to the local changes since the last synchronization, the conflicts and the rejected
    ///   changes.
    public func status() async throws -> SyncStatus {
        let database = context.localFeed.database
        let stored = try await database.record(for: context.names.linkID()).map { try LinkRecord($0) }
        let known = memory.withLock { $0.link }
        let link = stored?.metadata == known?.metadata ? known : stored
        var status = SyncStatus()
        status.isComparing = link?.listing != nil
        if let link { status.pendingCount = try await SyncRound(context, link: link).pendingCount() }
        (status.checksReferences, status.checksUniqueValues) = (context.checksReferences, context.claimsRemotely)
        status.rejectedCount = try await rejected().count
        status.conflictCount = try await conflicts().count
        memory.withLock { memory in
            (status.lastRound, status.failure) = (memory.lastRound, memory.failure)
            status.nextAttempt = memory.nextAttempt
        }
        return status
    }

    /// Returns the conflicts that are not resolved.
    ///
    /// - Returns: The conflicts, the oldest first.
    /// - Throws: Errors of the local database.
    public func conflicts() async throws -> [SyncConflict] {
        var conflicts: [SyncConflict] = []
        for try await record in context.localFeed.database.records(ofType: context.names.conflictType) {
            conflicts.append(try SyncConflict(record))
        }
        return conflicts.sorted { ($0.date, $0.id) < ($1.date, $1.id) }
    }

    /// Removes a conflict from the log, and saves a record in the same batch.
    ///
    /// - Parameters:
    ///   - conflict: The conflict.
    ///   - record: The record as it shall be, made from its version in the local database; nil, the default, to keep the
    ///     record as it is.
    /// - Throws: `RecordDatabaseError.Code.conflict` if the record has changed since it was read, and `versionMismatch` if
    ///   the conflict was resolved before; `valueTaken` for a unique value of another record: nothing is saved then. Errors of
    ///   the local database.
    public func resolve(_ conflict: SyncConflict, with record: Record? = nil) async throws {
        var batch = RecordBatch(saving: record.map { [$0] } ?? [])
        if let record, let unique = context.unique { try batch.add(unique.claims(of: record)) }
        let version = conflict.metadata.map { RecordBatch.Version.changeTag($0.changeTag) } ?? .missing
        batch.deletions = [RecordBatch.VersionedID(conflict.id, version: version)]
        do {
            _ = try await batch.commitClaiming(in: context.local)
        } catch let error as RecordDatabaseError where error.code == .versionMismatch && error.recordID == conflict.id {
            throw RecordDatabaseError(
                .versionMismatch, reason: "its conflict was resolved before", recordID: conflict.recordID)
        }
    }

    /// Returns the local changes that the remote database refused.
    ///
    /// - Returns: The changes, in the order of their records.
    /// - Throws: Errors of the local database.
    public func rejected() async throws -> [RejectedChange] {
        var changes: [RejectedChange] = []
        for try await record in context.localFeed.database.records(ofType: context.names.rejectedType) {
            changes.append(try RejectedChange(record))
        }
        return changes.sorted { $0.recordID < $1.recordID }
    }

    /// Sends a rejected change again in the next synchronization.
    ///
    /// - Parameter change: The change.
    /// - Throws: Errors of the local database.
    public func retry(_ change: RejectedChange) async throws {
        try await edit { round in
            guard var entry = try await round.rejected()[change.recordID] else { return }
            if entry.isRestored { return try await round.deleteAgain(entry) }
            entry.nextAttempt = .distantPast
            try await round.commit(RecordBatch(saving: [try entry.record()]), round.link)
        }
    }

    /// Gives up a rejected change: the local record becomes as that of the remote database, whatever changed since.
    ///
    /// A record of a type that was left out is removed.
    ///
    /// - Parameter change: The change.
    /// - Throws: Errors of the databases.
    public func discard(_ change: RejectedChange) async throws {
        try await edit { round in try await round.discard(change.recordID) }
    }

    /// Changes the ledger between rounds; repeated if a round was faster.
    private func edit<Result>(_ body: (inout SyncRound) async throws -> Result) async throws -> Result {
        for _ in 0..<Self.mostRestarts {
            do {
                var round = try await begin()
                return try await body(&round)
            } catch is Overtaken {}
        }
        throw RecordDatabaseError(.busy, reason: "other processes are synchronizing it")
    }

    // MARK: Checking

    /// Returns the records that differ although no synchronization would change them.
    ///
    /// There are none, unless the ledger is damaged, the remote database has lost changes, or another program has
    /// written to the ledger. ``reconcile()`` mends them.
    ///
    /// - Returns: The IDs, sorted.
    /// - Throws: Errors of the databases.
    /// - Complexity: Compares all records.
    public func verify() async throws -> [Record.ID] { try await edit { try await $0.unexplainedDifferences() } }

    /// Compares all records, and synchronizes.
    ///
    /// - Returns: What was done.
    /// - Throws: The errors of ``synchronize(until:)``.
    @discardableResult
    public func reconcile() async throws -> SyncOutcome {
        try await edit { round in
            var next = round.link
            (next.mustList, next.listing, next.pushed) = (true, nil, nil)
            try await round.commit(RecordBatch(), next)
        }
        return try await synchronize()
    }

    /// Forgets what was synchronized; the records and the conflicts stay.
    ///
    /// The next synchronization is as the first one: a record that only one side has is added to the other, and records that
    /// differ are contested as a whole. Rejected changes are sent again.
    ///
    /// - Throws: Errors of the local database; the next call or the next synchronization then goes on.
    public func detach() async throws {
        let start = Start(context.options.firstSync)
        try await edit { try await $0.detach(start) }
    }
}

/// The state of a synchronization.
public struct SyncStatus: Sendable {
    /// Whether a comparison of all records, as the first one, is not finished.
    public internal(set) var isComparing = false

    /// The number of local changes to be sent, without the rejected ones; nil before the local records were compared, and
    /// with ``SyncOptions/Direction/pull``.
    public internal(set) var pendingCount: Int?

    /// The number of local changes that the remote database refused.
    public internal(set) var rejectedCount = 0

    /// The number of conflicts that are not resolved.
    public internal(set) var conflictCount = 0

    /// Whether the remote database checks the references to records that were deleted locally.
    ///
    /// False if it cannot, and with ``SyncRules/ReferenceRule/dangling``.
    public internal(set) var checksReferences = false

    /// Whether the remote database can keep unique values.
    ///
    /// If it cannot, they are checked in the local database alone.
    public internal(set) var checksUniqueValues = false

    /// When this object last finished a synchronization; nil if it did not.
    public internal(set) var lastRound: Date?

    /// When ``RecordSync/run()`` tries again after an error; nil without one.
    public internal(set) var nextAttempt: Date?

    /// The error of the last synchronization; nil if it was successful.
    public internal(set) var failure: (any Error)?
}
