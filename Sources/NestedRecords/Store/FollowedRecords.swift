/// A cache of the records that values were decoded from, as of one moment of a database.
///
/// As a database it returns the cached records, and fetches others from the database that it follows. Changes of that
/// database come in only with ``update()``.
final class FollowedRecords: RecordDatabase {
    private struct Kept {
        /// The record at the moment of the token, or when it was fetched later; nil if it does not exist.
        var record: Record?

        var reading: Int
    }

    private enum Shown {
        case nothing
        case version(String?)
    }

    private struct State {
        var records: [Record.ID: Kept] = [:]
        var reading = 0
        var readCount = 0
        var hasFetched = false

        /// The error with which the database answered in this reading, and the records that it was asked for.
        var failure: (error: any Error, ids: Set<Record.ID>)?

        /// The shown versions of the records that have changed or were fetched since a value was shown.
        var news: [Record.ID: Shown] = [:]
        var token: ChangeToken

        /// Stores a record, or its absence.
        ///
        /// - Returns: Whether this replaced another version.
        mutating func set(_ id: Record.ID, to record: Record?, at index: Dictionary<Record.ID, Kept>.Index) -> Bool {
            let known = records.values[index].record
            if known == nil, record == nil { return false }
            let tag = known?.metadata?.changeTag
            if let tag, tag == record?.metadata?.changeTag { return false }
            if news[id] == nil { news[id] = .version(tag) }
            records.values[index].record = record
            return true
        }

        func hasFailed(for id: Record.ID) -> Bool { failure?.ids.contains(id) == true }

        mutating func noteReading(at index: Dictionary<Record.ID, Kept>.Index) {
            guard records.values[index].reading != reading else { return }
            records.values[index].reading = reading
            readCount += 1
        }

        mutating func noteRead(_ id: Record.ID, _ record: Record?) {
            if let index = records.index(forKey: id) {
                _ = set(id, to: record, at: index)
                return noteReading(at: index)
            }
            records[id] = Kept(record: record, reading: reading)
            readCount += 1
            if news[id] == nil { news[id] = .nothing }
        }

        mutating func forget() {
            for (id, kept) in records where news[id] == nil { news[id] = .version(kept.record?.metadata?.changeTag) }
            records = [:]
        }
    }

    struct Update {
        fileprivate(set) var hasChangedRecords = false
        private(set) var hasChangedTypes = false

        /// The records of these types that were saved and still exist; nil if unknown.
        private(set) var savedRecords: [Record.ID: Record]? = [:]

        fileprivate static var unknown: Update {
            var update = Update()
            (update.hasChangedRecords, update.hasChangedTypes, update.savedRecords) = (true, true, nil)
            return update
        }

        fileprivate mutating func note(_ id: Record.ID, _ record: Record?) {
            hasChangedTypes = true
            savedRecords?[id] = record
        }
    }

    private let feed: any RecordFeed

    /// The database of the feed: a cache in front of it would have older records.
    private let database: any RecordDatabase
    private let state: Lock<State>

    /// - Throws: ``RecordDatabaseError`` with the code `noFeed` if the database has no feed.
    init(of store: RecordStore) async throws {
        guard let feed = store.calls.followedFeed else { throw RecordDatabaseError(.noFeed) }
        (self.feed, database) = (feed, feed.database)
        state = Lock(State(token: try await feed.changeToken()))
    }

    private static var pageSize: Int { 1_000 }

    // MARK: As a database

    var limits: RecordDatabaseLimits { database.limits }
    var assets: (any AssetStorage)? { database.assets }
    var capabilities: RecordCapabilities { database.capabilities.subtracting(.outcomes) }

    func records(for ids: [Record.ID]) async throws -> [Record] {
        var (found, unknown) = state.withLock { state in
            var (found, unknown): ([Record], [Record.ID]) = ([], [])
            found.reserveCapacity(ids.count)
            for id in ids {
                guard let index = state.records.index(forKey: id) else {
                    unknown.append(id)
                    continue
                }
                state.noteReading(at: index)
                if let record = state.records.values[index].record { found.append(record) }
            }
            return (found, unknown)
        }
        if unknown.isEmpty { return found }
        let fetched: [Record.ID: Record]
        do {
            fetched = try await database.recordsByID(for: unknown)
        } catch {
            state.withLock { state in
                state.hasFetched = true
                state.failure = (error, Set(unknown))
            }
            throw error
        }
        state.withLock { state in
            state.hasFetched = true
            for id in unknown { state.noteRead(id, fetched[id]) }
        }
        found += fetched.values
        return found
    }

    func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] { try await database.commit(batch) }

    func storedRecords(ofType type: String?) -> RecordSequence { database.storedRecords(ofType: type) }

    // MARK: The feed

    func beginReading() {
        state.withLock { state in
            state.reading += 1
            state.readCount = 0
            state.hasFetched = false
            state.failure = nil
        }
    }

    /// Throws the error of a reading if it is not that of the records: no change of them would end it.
    func checkIsOfRecords(_ error: any Error) throws {
        if error is CancellationError { throw error }
        if let failure = state.withLock({ $0.failure?.error }), ErrorKind(of: failure) != .damaged { throw failure }
    }

    /// Drops the records that were not read.
    ///
    /// - Returns: Whether the reading used other versions than the last shown value.
    func endReading() -> Bool {
        state.withLock { state in
            var isNew = false
            if state.readCount < state.records.count {
                for (id, kept) in state.records where kept.reading != state.reading {
                    state.records[id] = nil
                    if case .nothing? = state.news.removeValue(forKey: id) { continue }
                    isNew = true
                }
            }
            return isNew
                || state.news.contains { id, shown in
                    guard case .version(let tag) = shown else { return true }
                    return state.records[id]?.record?.metadata?.changeTag != tag
                }
        }
    }

    func noteShown() { state.withLock { $0.news = [:] } }

    /// The moment of the cached records.
    var token: ChangeToken { state.withLock { $0.token } }

    /// Whether the cached version of a record, or a record of the types, is of a change since an earlier moment.
    ///
    /// The feed may be ahead of the cache: a record that has another version there does not count.
    ///
    /// - Throws: `RecordDatabaseError.Code.changeTokenExpired` for a token of another database; errors of the database.
    func haveChanged(since known: ChangeToken, types: Set<String> = []) async throws -> Bool {
        var known = known
        while true {
            let page: RecordChanges
            do {
                page = try await feed.changes(since: known, limit: Self.pageSize)
            } catch let error as RecordDatabaseError where error.expiry == .purged {
                return true
            }
            let isIncluded = state.withLock { state in
                page.saved.contains { record in
                    let cached = state.records[record.id]?.record?.metadata?.changeTag
                    return types.contains(record.id.type) || state.hasFailed(for: record.id)
                        || cached != nil && cached == record.metadata?.changeTag
                }
                    || !page.left.isEmpty
                    || page.removed.contains { id in
                        types.contains(id.type) || state.records[id].map { $0.record == nil } == true
                    }
            }
            if isIncluded { return true }
            if page.isComplete { return false }
            known = page.token
            try Task.checkCancellation()
        }
    }

    /// Whether the reading has fetched records, which may be of a later moment than the others.
    var hasFetched: Bool { state.withLock { $0.hasFetched } }

    func note(_ records: [Record]) {
        state.withLock { state in
            for record in records { state.noteRead(record.id, record) }
        }
    }

    /// The cached records with these IDs; nil if one of them is missing.
    func kept(_ ids: [Record.ID]) -> [Record]? {
        state.withLock { state in
            var found: [Record] = []
            for id in ids {
                guard let record = state.records[id]?.record else { return nil }
                found.append(record)
            }
            return found
        }
    }

    /// Waits until a cached record or a record of the types has changed, and updates the cache to that moment.
    func waitForChange(types: Set<String> = [], pause: inout IdlePause) async throws {
        while true {
            do {
                try await feed.waitForChanges(after: state.withLock { $0.token })
            } catch let error as RecordDatabaseError where error.expiry == .purged {
                // The update gets the same error, and drops the cache.
            }
            let change = try await update(types: types)
            if change.hasChangedRecords || change.hasChangedTypes { return }
            try await pause.wait()
        }
    }

    /// Updates the cache to the current moment.
    ///
    /// If deletions since the token are purged, the cache is dropped, and values are read again from the database.
    ///
    /// - Parameter types: Record types of which every change counts.
    /// - Returns: The changes of the cached records and of these types.
    func update(types: Set<String> = []) async throws -> Update {
        var (update, hasLeft) = (Update(), false)
        while true {
            let page: RecordChanges
            do {
                page = try await feed.changes(since: state.withLock { $0.token }, limit: Self.pageSize)
            } catch let error as RecordDatabaseError where error.expiry == .purged {
                let token = try await feed.changeToken()
                state.withLock { state in
                    state.token = token
                    state.forget()
                }
                return .unknown
            }
            state.withLock { state in
                for record in page.saved {
                    if types.contains(record.id.type) { update.note(record.id, record) }
                    if state.hasFailed(for: record.id) { update.hasChangedRecords = true }
                    guard let index = state.records.index(forKey: record.id) else { continue }
                    if state.set(record.id, to: record, at: index) { update.hasChangedRecords = true }
                }
                // The contents of containers that a reader has left are not listed.
                if !page.left.isEmpty {
                    hasLeft = true
                    state.forget()
                }
                for id in page.removed {
                    if types.contains(id.type) { update.note(id, nil) }
                    if state.hasFailed(for: id) { update.hasChangedRecords = true }
                    guard let index = state.records.index(forKey: id) else { continue }
                    if state.set(id, to: nil, at: index) { update.hasChangedRecords = true }
                }
                state.token = page.token
            }
            if page.isComplete { return hasLeft ? .unknown : update }
            try Task.checkCancellation()
        }
    }
}
