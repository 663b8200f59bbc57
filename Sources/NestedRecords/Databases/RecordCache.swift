#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The records of a ``CachedRecordDatabase``, apart from it, so that the task that follows the feed does not keep it.
final class RecordCache: Sendable {
    private struct Entry {
        /// The fetch that has added the entry.
        let fetch: UInt64

        /// Nil while the record is fetched.
        var record: Record?

        func hasOtherVersion(than other: Record?) -> Bool {
            record != nil && record?.metadata?.changeTag != other?.metadata?.changeTag
        }
    }

    /// Two generations: a used record moves to the newer one, and the older one is dropped when that is full.
    private struct State {
        var recent: [Record.ID: Entry] = [:]
        var old: [Record.ID: Entry] = [:]
        let maximumOfGeneration: Int

        /// The number of commits that are changing a record.
        var changing: [Record.ID: Int] = [:]

        var lastFetch: UInt64 = 0
        var statistics = Statistics()

        func entry(_ id: Record.ID) -> Entry? { recent[id] ?? old[id] }

        mutating func use(_ id: Record.ID, _ entry: Entry) {
            if recent[id] == nil, recent.count >= maximumOfGeneration { (old, recent) = (recent, [:]) }
            old[id] = nil
            recent[id] = entry
        }

        mutating func remove(_ id: Record.ID) -> Record? {
            (recent.removeValue(forKey: id) ?? old.removeValue(forKey: id))?.record
        }

        mutating func clear(isFollowing: Bool) {
            (recent, old, statistics.isFollowing) = ([:], [:], isFollowing)
        }
    }

    struct Statistics {
        var count = 0
        var isFollowing = false
        var hitCount = 0
        var missCount = 0
        var changedCount = 0
        var longestStaleness = Duration.zero
    }

    private let state: Lock<State>

    init(maximumCount: Int) { state = Lock(State(maximumOfGeneration: max(1, maximumCount / 2))) }

    var statistics: Statistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.count = state.recent.count + state.old.count
            return statistics
        }
    }

    /// The records with these IDs; nil if one is not cached.
    func records(for ids: [Record.ID]) -> [Record]? {
        state.withLock { state in
            var (found, older): ([Record], [Entry]) = ([], [])
            found.reserveCapacity(ids.count)
            for id in ids {
                let newer = state.recent[id]
                guard let entry = newer ?? state.old[id], let record = entry.record else {
                    state.statistics.missCount += ids.count
                    return nil
                }
                found.append(record)
                if newer == nil { older.append(entry) }
            }
            state.statistics.hitCount += ids.count
            for entry in older { if let record = entry.record { state.use(record.id, entry) } }
            return found
        }
    }

    /// Adds entries for records that are fetched from now on; a removal before ``endFetching(_:_:_:)`` cancels them.
    func beginFetching(_ ids: [Record.ID]) -> UInt64 {
        state.withLock { state in
            state.lastFetch += 1
            guard state.statistics.isFollowing, ids.count <= state.maximumOfGeneration else { return state.lastFetch }
            for id in ids where !id.isReserved && state.entry(id) == nil && state.changing[id] == nil {
                state.use(id, Entry(fetch: state.lastFetch))
            }
            return state.lastFetch
        }
    }

    /// Keeps the records whose entries of this fetch were not removed; nil for a failed fetch.
    func endFetching(_ ids: [Record.ID], _ number: UInt64, _ records: [Record]?) {
        state.withLock { state in
            var fetched: [Record.ID: Record] = [:]
            for record in records ?? [] { fetched[record.id] = record }
            for id in ids {
                guard let entry = state.entry(id) else { continue }
                if entry.fetch == number, let record = fetched[id] {
                    state.use(id, Entry(fetch: number, record: record))
                } else if entry.fetch == number || records != nil && entry.hasOtherVersion(than: fetched[id]) {
                    // Of two versions, it is not known which is older.
                    _ = state.remove(id)
                }
            }
        }
    }

    func beginChanging(_ ids: [Record.ID]) {
        state.withLock { state in
            for id in ids {
                state.changing[id, default: 0] += 1
                _ = state.remove(id)
            }
        }
    }

    func endChanging(_ ids: [Record.ID]) {
        state.withLock { state in
            for id in ids {
                let count = state.changing[id] ?? 1
                state.changing[id] = count > 1 ? count - 1 : nil
            }
        }
    }

    func remove(_ ids: [Record.ID]) {
        state.withLock { state in
            for id in ids { _ = state.remove(id) }
        }
    }

    // MARK: The feed

    /// Removes changed records until the task is cancelled or the database is closed.
    func follow(_ feed: any RecordFeed, pause: RetryPause) async {
        var attempt = 1
        while !Task.isCancelled {
            do {
                var token = try await feed.changeToken()
                state.withLock { $0.clear(isFollowing: true) }
                while true {
                    try await feed.waitForChanges(after: token)
                    let changes = try await feed.changes(since: token, limit: 1_000)
                    token = changes.token
                    remove(changes)
                    attempt = 1
                }
            } catch {
                state.withLock { $0.clear(isFollowing: false) }
                if case RecordDatabaseError.Code.closed = error { return }
                attempt += 1
                try? await pause.wait(beforeAttempt: attempt)
            }
        }
    }

    private func remove(_ changes: RecordChanges) {
        let now = Date()
        state.withLock { state in
            for record in changes.saved {
                // The cached version is that of the change, if the record was fetched after it.
                guard let entry = state.entry(record.id), entry.record == nil || entry.hasOtherVersion(than: record),
                    state.remove(record.id) != nil
                else { continue }
                state.statistics.changedCount += 1
                guard let date = record.metadata?.modificationDate else { continue }
                let staleness = Duration.seconds(now.timeIntervalSince(date))
                state.statistics.longestStaleness = max(state.statistics.longestStaleness, staleness)
            }
            // The contents of containers that a reader has left are not listed.
            if !changes.left.isEmpty { state.clear(isFollowing: true) }
            for id in changes.removed where state.remove(id) != nil { state.statistics.changedCount += 1 }
        }
    }
}
