/// Reads and writes Swift values in a database of records.
///
/// ```swift
/// let store = RecordStore(InMemoryRecordDatabase())
/// try await store.insert(school)
/// var school = try await store.fetch(School.self, named: "hilltop")
/// school.name = "Hill Top"
/// try await store.save(&school)
/// ```
///
/// Reading returns ``Stored`` values, with the versions of the records that they were read from. Saving and deleting
/// require these versions, unless the name of the function says otherwise.
///
/// A store is small and can be copied. It holds its database and the ``RecordCoding`` of its values.
public struct RecordStore: Sendable {
    /// The database.
    public var database: any RecordDatabase { (calls as? RetriedRecordDatabase)?.base ?? calls }

    /// The database that the store calls: it repeats calls if the policy says so.
    private(set) var calls: any RecordDatabase

    /// How often and how long calls are repeated.
    public let retries: RetryPolicy

    let decoder: RecordDecoder

    /// The values of a scope for missing properties of new values.
    var fillings = ScopeFillings()

    /// Receives the records that are left out since they cannot be decoded; nil to fail.
    private(set) var reportMalformedRecord: (@Sendable (Record.ID, any Error) async -> Void)?

    /// Makes a store.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - coding: How values become records and records become values.
    ///   - retries: How often and how long calls are repeated that other writers overtake, and that the database refuses
    ///     for now. Nil for what the database recommends: ``RecordDatabaseLimits/retries``.
    public init(
        _ database: any RecordDatabase, coding: RecordCoding = RecordCoding(), retries: RetryPolicy? = nil
    ) {
        decoder = RecordDecoder(coding)
        self.retries = retries ?? database.retryPolicy
        let isDefault = retries == nil && database.limits.retries == nil
        calls = isDefault ? database : RetriedRecordDatabase(database, self.retries)
    }

    /// The same store over another database.
    func over(_ database: any RecordDatabase) -> RecordStore {
        var store = self
        store.calls = database
        return store
    }

    /// A store whose queries, and fetches by a list of names or links, leave out records that cannot be decoded.
    ///
    /// Without it, one such record makes each page, list, sequence and live query that finds it fail. A single value is not
    /// left out: its fetch fails, and a live value shows the error. A missing record of a list is an error in any case.
    ///
    /// ```swift
    /// let lenient = store.skippingMalformedRecords { id, error in print("\(id) cannot be read: \(error)") }
    /// let reporting = store.skippingMalformedRecords { @MainActor id, error in model.failures[id] = error }
    /// ```
    ///
    /// - Parameter report: Receives each of these records with its error, each time that it is left out. Reading goes on
    ///   after it has returned.
    /// - Returns: The store.
    public func skippingMalformedRecords(
        _ report: @escaping @Sendable (_ id: Record.ID, _ error: any Error) async -> Void
    ) -> RecordStore {
        var store = self
        store.reportMalformedRecord = report
        return store
    }

    /// How values become records and records become values.
    public var coding: RecordCoding { decoder.coding }

    var encoder: RecordEncoder { RecordEncoder(coding) }
}

extension RecordStore {
    /// Reads and writes values without changes of other writers in between; starts again if another writer was faster.
    ///
    /// ```swift
    /// try await store.transaction { store in
    ///     var account = try await store.fetch(Account.self, named: "ann")
    ///     account.balance -= 5
    ///     try await store.save(account)
    /// }
    /// ```
    ///
    /// Nothing is locked. The writes of the closure are committed in one batch when it returns, if no record that it
    /// has read has changed, and no record that it found missing exists now. Otherwise nothing is written, and the
    /// closure is called again after a pause. Transactions that read records by their IDs are serializable. The records
    /// that a query has found count as read; it does not notice records that others add.
    ///
    /// If the closure throws, nothing is written. Its error is thrown if the records that it had read are unchanged;
    /// otherwise outdated records may have caused the error, and the closure is called again.
    ///
    /// The closure must write with the store that it gets. What it writes with another store is stored at once, even if
    /// nothing else is. If the transaction has read that record, it conflicts with itself: after three such attempts the
    /// conflict is thrown, and the error says so.
    ///
    /// The store of a transaction that has ended refuses every call. Its change tags are its own: fetch values that were
    /// fetched or saved in it again after its end.
    ///
    /// - Parameters:
    ///   - maximumAttempts: The maximum number of attempts, at least one; nil for that of ``retries``. The pauses between them are random and grow. The
    ///     attempts of calls within the transaction count, as do those of its commit in a scope.
    ///   - isolation: The caller's isolation; the closure is called there.
    ///   - body: Reads and writes with the store that it gets. It may be called several times, so it should change
    ///     nothing else.
    /// - Returns: The result of the closure.
    /// - Throws: The errors of the closure; `RecordDatabaseError.Code.conflict`,
    ///   `RecordDatabaseError.Code.unknownRecord` or `RecordDatabaseError.Code.versionMismatch` when
    ///   no attempt is left; `RecordDatabaseError.Code.batchTooLarge` if more records were read and written
    ///   than the database takes at a time; `CancellationError` if the task is cancelled between two attempts; and the
    ///   errors of the database.
    @discardableResult
    public func transaction<Result>(
        maximumAttempts: Int? = nil, isolation: isolated (any Actor)? = #isolation,
        _ body: (RecordStore) async throws -> Result
    ) async throws -> Result {
        var policy = retries
        if let maximumAttempts { policy.attempts = maximumAttempts }
        return try await RetryBudget.shared(policy, isolation: isolation) {
            try await calls.transaction(maximumAttempts: policy.attempts, isolation: isolation) {
                try await body(over($0))
            }
        }
    }
}

extension RecordStore: CustomStringConvertible {
    /// The database.
    public var description: String { "RecordStore of \(database)" }
}

extension RecordStore: ChildlessReflectable {}
