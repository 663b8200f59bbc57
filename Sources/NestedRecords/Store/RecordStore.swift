/// A database of records, as the values that they hold.
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
    public let database: any RecordDatabase

    let decoder: RecordDecoder

    /// Makes a store.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - coding: How values become records and records become values.
    public init(_ database: any RecordDatabase, coding: RecordCoding = RecordCoding()) {
        self.init(database, RecordDecoder(coding))
    }

    init(_ database: any RecordDatabase, _ decoder: RecordDecoder) {
        (self.database, self.decoder) = (database, decoder)
    }

    /// How values become records and records become values.
    public var coding: RecordCoding { decoder.coding }

    var encoder: RecordEncoder { RecordEncoder(coding) }
}

extension RecordStore {
    /// Reads and writes values without changes of other writers in between; starts again if another writer was faster.
    ///
    /// The writes of the closure are saved in one batch when it returns. If the closure throws, nothing is saved. The
    /// store of a transaction that has ended refuses every call.
    ///
    /// - Parameters:
    ///   - isolation: The caller's isolation; the closure is called there.
    ///   - body: Reads and writes with the store that it gets. It may be called several times, so it should change
    ///     nothing else.
    /// - Returns: The result of the closure.
    /// - Throws: The errors of the closure, and the errors of
    ///   ``RecordDatabase/transaction(maximumAttempts:isolation:_:)``.
    @discardableResult
    public func transaction<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (RecordStore) async throws -> Result
    ) async throws -> Result {
        try await database.transaction(isolation: isolation) { try await body(RecordStore($0, decoder)) }
    }
}

extension RecordStore: CustomStringConvertible {
    /// The database.
    public var description: String { "RecordStore of \(database)" }
}

extension RecordStore: ChildlessReflectable {}
