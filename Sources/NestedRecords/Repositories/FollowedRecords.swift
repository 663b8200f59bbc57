/// The records that values were decoded from, kept as they were at one moment of a database.
///
/// As a database it gives these records, and fetches others from the one that it follows. What changes there comes in
/// with ``update()`` alone.
final class FollowedRecords<Database: ObservableRecordDatabase>: RecordDatabase {
    /// A record that is kept.
    private struct Kept {
        /// As it is at the moment of the token, or was when it was fetched since; nil if it is not there.
        var record: Record?

        /// The last reading that asked for it.
        var reading: Int
    }

    /// What the last value that was shown had of a record.
    private enum Shown {
        case nothing
        case version(String?)
    }

    private struct State {
        var records: [Record.ID: Kept] = [:]

        /// The number of the reading, and how many records it has asked for.
        var reading = 0
        var readCount = 0
        var hasFetched = false

        /// Of the records that have changed or were fetched since a value was shown, what it had of them.
        var news: [Record.ID: Shown] = [:]
        var token: ChangeToken

        /// Takes in a record, or that there is none.
        ///
        /// - Returns: Whether another version was kept.
        mutating func set(_ id: Record.ID, to record: Record?, at index: Dictionary<Record.ID, Kept>.Index) -> Bool {
            let known = records.values[index].record
            if known == nil, record == nil { return false }
            let tag = known?.metadata?.changeTag
            if let tag, tag == record?.metadata?.changeTag { return false }
            if news[id] == nil { news[id] = .version(tag) }
            records.values[index].record = record
            return true
        }

        /// Notes that the reading has asked for a record.
        mutating func noteReading(at index: Dictionary<Record.ID, Kept>.Index) {
            guard records.values[index].reading != reading else { return }
            records.values[index].reading = reading
            readCount += 1
        }

        /// Notes a record that the reading has asked for, or that there is none.
        mutating func noteRead(_ id: Record.ID, _ record: Record?) {
            if let index = records.index(forKey: id) {
                _ = set(id, to: record, at: index)
                return noteReading(at: index)
            }
            records[id] = Kept(record: record, reading: reading)
            readCount += 1
            if news[id] == nil { news[id] = .nothing }
        }

        /// Keeps no record any more, so that all are fetched anew.
        mutating func forget() {
            for (id, kept) in records where news[id] == nil { news[id] = .version(kept.record?.metadata?.changeTag) }
            records = [:]
        }
    }

    /// What has changed between two moments.
    struct Update {
        /// Whether a record that is kept has changed.
        fileprivate(set) var hasChangedRecords = false

        /// Whether a record of the types that were asked for has changed.
        private(set) var hasChangedTypes = false

        /// The records of these types that were saved and are still there; nil if it is not known which.
        private(set) var savedRecords: [Record.ID: Record]? = [:]

        /// Anything may have changed.
        fileprivate static var unknown: Update {
            var update = Update()
            (update.hasChangedRecords, update.hasChangedTypes, update.savedRecords) = (true, true, nil)
            return update
        }

        /// Notes a changed record of the types, or that there is none any more.
        fileprivate mutating func note(_ id: Record.ID, _ record: Record?) {
            hasChangedTypes = true
            savedRecords?[id] = record
        }
    }

    private let database: Database
    private let state: Lock<State>

    init(of database: Database) async throws {
        self.database = database
        state = Lock(State(token: try await database.changeToken()))
    }

    /// The greatest number of records in one page of the feed.
    private static var pageSize: Int { 1_000 }

    // MARK: As a database

    var batchLimit: Int { database.batchLimit }

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
        let fetched = try await database.recordsByID(for: unknown)
        state.withLock { state in
            state.hasFetched = true
            for id in unknown { state.noteRead(id, fetched[id]) }
        }
        found += fetched.values
        return found
    }

    func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] { try await database.commit(batch) }

    func records(ofType type: String?) -> RecordSequence { database.records(ofType: type) }

    // MARK: The feed

    /// Begins to note what is read.
    func beginReading() {
        state.withLock { state in
            state.reading += 1
            state.readCount = 0
            state.hasFetched = false
        }
    }

    /// Forgets what was not read.
    ///
    /// - Returns: Whether it was not read from the same versions as the last value that was shown.
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

    /// Notes that the value that was read is shown.
    func noteShown() { state.withLock { $0.news = [:] } }

    /// Whether something was fetched, so that it may be of a later moment than the rest.
    var hasFetched: Bool { state.withLock { $0.hasFetched } }

    /// Notes records that were found by a query.
    func note(_ records: [Record]) {
        state.withLock { state in
            for record in records { state.noteRead(record.id, record) }
        }
    }

    /// The records with these IDs as they are kept; nil if one of them is not there.
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

    /// Waits until a record that is kept here has changed, or one of the types has, and brings the records to that moment.
    ///
    /// - Parameters:
    ///   - types: Record types of which every change counts.
    ///   - pause: The pause after changes that do not count.
    func waitForChange(types: Set<String> = [], pause: inout IdlePause) async throws {
        while true {
            do {
                try await database.waitForChanges(after: state.withLock { $0.token })
            } catch let error as RecordDatabaseError where error.expiry == .purged {
                // The update finds out too, and forgets what is kept.
            }
            let change = try await update(types: types)
            if change.hasChangedRecords || change.hasChangedTypes { return }
            try await pause.wait()
        }
    }

    /// Brings the records to the present moment.
    ///
    /// If not all is known that has changed meanwhile, none is kept: what was deleted is not needed to read a value anew.
    ///
    /// - Parameter types: Record types of which every change counts.
    /// - Returns: What has changed of the records that are kept here, and of these types.
    func update(types: Set<String> = []) async throws -> Update {
        var update = Update()
        while true {
            let page: RecordChanges
            do {
                page = try await database.changes(since: state.withLock { $0.token }, limit: Self.pageSize)
            } catch let error as RecordDatabaseError where error.expiry == .purged {
                let token = try await database.changeToken()
                state.withLock { state in
                    state.token = token
                    state.forget()
                }
                return .unknown
            }
            state.withLock { state in
                for record in page.saved {
                    if types.contains(record.id.type) { update.note(record.id, record) }
                    guard let index = state.records.index(forKey: record.id) else { continue }
                    if state.set(record.id, to: record, at: index) { update.hasChangedRecords = true }
                }
                for id in page.deleted {
                    if types.contains(id.type) { update.note(id, nil) }
                    guard let index = state.records.index(forKey: id) else { continue }
                    if state.set(id, to: nil, at: index) { update.hasChangedRecords = true }
                }
                state.token = page.token
            }
            if page.isComplete { return update }
            try Task.checkCancellation()
        }
    }
}
