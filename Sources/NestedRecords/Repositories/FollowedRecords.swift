/// The records that values were decoded from, kept as they were at one moment of a database.
///
/// As a database it gives these records, and fetches others from the one that it follows. What changes there comes in
/// with ``update()`` alone.
final class FollowedRecords<Database: ObservableRecordDatabase>: RecordDatabase {
    private struct State {
        /// The records at the moment of the token, or fetched since; nil for those that are not there.
        var records: [Record.ID: Record?] = [:]

        /// The records that were asked for since ``beginReading()``.
        var read: Set<Record.ID> = []
        var fetchCount = 0
        var token: ChangeToken
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
        let unknown = state.withLock { state in
            state.read.formUnion(ids)
            return ids.filter { state.records[$0] == nil }
        }
        if !unknown.isEmpty {
            let found = try await database.records(for: unknown)
            state.withLock { state in
                state.fetchCount += 1
                for id in unknown { state.records[id] = .some(nil) }
                for record in found { state.records[record.id] = record }
            }
        }
        return state.withLock { state in ids.compactMap { state.records[$0] ?? nil } }
    }

    func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] { try await database.commit(batch) }

    func records(ofType type: String?) -> RecordSequence { database.records(ofType: type) }

    // MARK: The feed

    /// Begins to note what is read.
    func beginReading() {
        state.withLock { state in
            state.read = []
            state.fetchCount = 0
        }
    }

    /// Forgets what was not read, and returns the versions of what was; nil for records that are not there.
    func endReading() -> [Record.ID: String?] {
        state.withLock { state in
            state.records = state.records.filter { state.read.contains($0.key) }
            return state.records.mapValues { $0?.metadata?.changeTag }
        }
    }

    /// Whether something was fetched, so that it may be of a later moment than the rest.
    var hasFetched: Bool { state.withLock { $0.fetchCount > 0 } }

    /// Notes a record that was found by a query.
    func note(_ records: [Record]) {
        state.withLock { state in
            for record in records {
                state.read.insert(record.id)
                state.records[record.id] = record
            }
        }
    }

    /// Waits until something may have changed in the database.
    func wait() async throws { try await database.waitForChanges(after: state.withLock { $0.token }) }

    /// Brings the records to the present moment.
    ///
    /// - Parameter types: Record types of which every change counts.
    /// - Returns: Whether a record that is kept here has changed, and whether one of the types has.
    func update(types: Set<String> = []) async throws -> (records: Bool, types: Bool) {
        var hasChanged = (records: false, types: false)
        while true {
            let page = try await database.changes(since: state.withLock { $0.token }, limit: Self.pageSize)
            state.withLock { state in
                for record in page.saved {
                    if types.contains(record.id.type) { hasChanged.types = true }
                    guard let known = state.records[record.id] else { continue }
                    if known?.metadata == nil || known?.metadata?.changeTag != record.metadata?.changeTag {
                        state.records[record.id] = record
                        hasChanged.records = true
                    }
                }
                for id in page.deleted {
                    if types.contains(id.type) { hasChanged.types = true }
                    if let known = state.records[id], known != nil {
                        state.records[id] = .some(nil)
                        hasChanged.records = true
                    }
                }
                state.token = page.token
            }
            if page.isComplete { return hasChanged }
            try Task.checkCancellation()
        }
    }
}
