/// A database whose commits wait in a bounded queue, so that many tasks do not overload it.
///
/// ```swift
/// let database = QueuedRecordDatabase(base, maximumRunning: 8, maximumWaiting: 200)
/// ```
///
/// - At most `maximumRunning` commits run at the same time. Others wait, first come, first served, except that batches
///   which save or delete the same record are applied in the order in which they arrive. Conditions do not count.
/// - If `maximumWaiting` commits wait, the next one throws ``RecordDatabaseError`` with the code `overloaded`, which is
///   transient: a service answers 503, or tries again later. Without that limit, every caller waits for its turn.
/// - A task that is cancelled while its commit waits throws `CancellationError`; nothing was written, and later batches
///   take its place. A running commit is left to the base.
///
/// Batches are not combined: each is applied, or refused, alone. Other calls go to the base at once.
public struct QueuedRecordDatabase: ForwardingRecordDatabase {
    /// The database that commits.
    public let base: any RecordDatabase
    private let queue: CommitQueue

    /// Makes a database with an empty queue, which its copies share.
    ///
    /// - Parameters:
    ///   - base: The database that commits.
    ///   - maximumRunning: The maximum number of commits at the same time, at least 1.
    ///   - maximumWaiting: The maximum number of waiting commits; no limit by default.
    public init(_ base: any RecordDatabase, maximumRunning: Int, maximumWaiting: Int = .max) {
        self.base = base
        queue = CommitQueue(maximumRunning: max(1, maximumRunning), maximumWaiting: max(0, maximumWaiting))
    }

    /// The number of commits that the base is applying.
    public var runningCount: Int { queue.counts.running }

    /// The number of commits that wait.
    public var waitingCount: Int { queue.counts.waiting }

    /// Waits for its turn, and commits to the base.
    ///
    /// - Throws: ``RecordDatabaseError`` with the code `overloaded` if the queue is full, `CancellationError` if the task
    ///   is cancelled while it waits, and errors of the base.
    /// - Complexity: O(*n*) for *n* saves and deletions, besides the base; a cancelled one O(*m*) for *m* waiting
    ///   commits.
    @discardableResult
    public func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        let commit = try queue.add(Set(batch.saves.map(\.id) + batch.deletions.map(\.id)))
        defer { queue.remove(commit) }
        try await commit.turn.valueUnlessCancelled()
        return try await base.commit(batch)
    }
}

extension QueuedRecordDatabase: LiveDatabase {
    var liveFeed: (any RecordFeed)? { base.followedFeed }
}

/// The running and waiting commits of a ``QueuedRecordDatabase``.
private final class CommitQueue: Sendable {
    struct Commit: Sendable {
        let number: UInt64
        let ids: Set<Record.ID>
        let turn = Promise<Void>()
    }

    private struct State {
        var lastNumber: UInt64 = 0
        var running: Set<UInt64> = []

        /// Each waiting commit, with the number of its records that have an earlier one.
        var waiting: [UInt64: (commit: Commit, blockerCount: Int)] = [:]

        /// The waiting commits without earlier ones of their records, in the order of their turns.
        var ready: ArraySlice<UInt64> = []

        /// The running and waiting commits of each record, in their order.
        var commits: [Record.ID: ArraySlice<UInt64>] = [:]

        mutating func add(_ commit: Commit) {
            var blockerCount = 0
            for id in commit.ids {
                if commits[id] != nil { blockerCount += 1 }
                commits[id, default: []].append(commit.number)
            }
            waiting[commit.number] = (commit, blockerCount)
            if blockerCount == 0 { ready.append(commit.number) }
        }

        mutating func remove(_ commit: Commit) {
            running.remove(commit.number)
            let cancelled = waiting.removeValue(forKey: commit.number)
            if cancelled?.blockerCount == 0 { ready.removeAll { $0 == commit.number } }
            for id in commit.ids {
                guard commits[id]?.first == commit.number else {
                    commits[id]?.removeAll { $0 == commit.number }
                    continue
                }
                _ = commits[id]?.popFirst()
                guard let next = commits[id]?.first else {
                    commits[id] = nil
                    continue
                }
                waiting[next]?.blockerCount -= 1
                if waiting[next]?.blockerCount == 0 { ready.append(next) }
            }
        }

        /// Gives commits their turn, as long as there is room.
        mutating func start(maximumRunning: Int) {
            while running.count < maximumRunning, let number = ready.popFirst() {
                running.insert(number)
                waiting.removeValue(forKey: number)?.commit.turn.resume(with: .success(()))
            }
        }
    }

    private let state = Lock(State())
    private let maximumRunning: Int
    private let maximumWaiting: Int

    init(maximumRunning: Int, maximumWaiting: Int) {
        (self.maximumRunning, self.maximumWaiting) = (maximumRunning, maximumWaiting)
    }

    var counts: (running: Int, waiting: Int) { state.withLock { ($0.running.count, $0.waiting.count) } }

    /// Adds a commit, whose turn may have come when this returns.
    ///
    /// - Throws: ``RecordDatabaseError`` with the code `overloaded` if it had to wait and the queue is full.
    func add(_ ids: Set<Record.ID>) throws -> Commit {
        try state.withLock { state in
            let isFree = state.running.count < maximumRunning && !ids.contains { state.commits[$0] != nil }
            guard isFree || state.waiting.count < maximumWaiting else {
                throw RecordDatabaseError(
                    .overloaded, reason: "\(state.running.count) are running, \(state.waiting.count) are waiting")
            }
            state.lastNumber += 1
            let commit = Commit(number: state.lastNumber, ids: ids)
            state.add(commit)
            state.start(maximumRunning: maximumRunning)
            return commit
        }
    }

    /// Removes a commit that has ended, or was cancelled while it waited, and starts those that can run now.
    func remove(_ commit: Commit) {
        state.withLock { state in
            state.remove(commit)
            state.start(maximumRunning: maximumRunning)
        }
    }
}
