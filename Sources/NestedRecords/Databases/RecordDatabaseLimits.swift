/// How much a database accepts at a time; no limits by default.
///
/// The library splits larger requests, also by bytes, and refuses a record that is too large before it sends anything.
public struct RecordDatabaseLimits: Sendable {
    /// The maximum number of records that one call may fetch, or save, delete and require together.
    public var batchCount = Int.max

    /// The maximum size of the records that one call may save, in the unit of ``recordSize``.
    public var batchBytes = Int.max

    /// The maximum size of one record, in the unit of ``recordSize``.
    public var recordBytes = Int.max

    /// The maximum number of records in one answer to a query; a larger page is read in parts.
    public var pageCount = Int.max

    /// The maximum number of records that a query without an index may examine; one that would examine more is refused
    /// with `scanRefused`.
    public var examinedCount = Int.max

    /// The maximum depth of lists and maps in a field.
    public var nesting = Record.Value.maximumNesting

    /// Whether pages, counts, summaries and referrers may examine all records where the database has no index.
    ///
    /// A database that charges for each record it reads says no, and refuses such a call.
    public var allowsScans = true

    /// How a store repeats the calls that the database refuses for now; nil, the default, for not at all.
    ///
    /// A ``RecordStore`` may be made with another policy.
    public var retries: RetryPolicy?

    /// Returns the size of a record as the database counts it; by default the bytes of its names
    /// and values.
    public var recordSize: @Sendable (Record) -> Int = { $0.valueSize }

    /// Returns why the database cannot store a record with an ID; nil, the default, for each ID that it can store.
    public var nameFault: @Sendable (Record.ID) -> String? = { _ in nil }

    /// Makes limits that are never reached.
    ///
    /// - Parameter batchCount: The maximum number of records in one call.
    public init(batchCount: Int = .max) { self.batchCount = batchCount }
}

extension RecordDatabase {
    /// The maximum number of records that one batch may have; one where a batch is not atomic.
    package var batchLimit: Int {
        capabilities.contains(.atomicBatches) ? limits.batchCount : Swift.min(1, limits.batchCount)
    }

    /// Throws unless a query that finds no index may examine all records.
    ///
    /// - Parameters:
    ///   - call: What is asked for, for the error.
    ///   - hint: What to do instead; nil for nothing.
    /// - Throws: ``RecordDatabaseError`` with the code `scanRefused`.
    @_spi(Engines) public func checkMayScan(for call: String, hint: String? = nil) throws {
        if limits.allowsScans { return }
        throw RecordDatabaseError(.scanRefused, reason: call, hint: hint)
    }
}

extension RecordDatabaseLimits {
    /// Throws if a record can never be stored.
    func check(_ record: Record) throws {
        if let fault = nameFault(record.id) {
            throw RecordError(.invalidID, reason: fault, recordID: record.id)
        }
        try record.checkNesting(maximum: nesting)
        if recordBytes < .max, recordSize(record) > recordBytes { throw tooLarge(record) }
    }

    /// The error about a record, which names the field that takes the most room.
    private func tooLarge(_ record: Record) -> RecordDatabaseError {
        let sizes = record.fields.map { field -> (name: String, size: Int) in
            let part = Record(
                id: record.id, checkedFields: Record.Fields(names: [field.name], values: [field.value]))
            return (field.name, recordSize(part))
        }
        let largest = sizes.max { $0.size < $1.size }
        return RecordDatabaseError(
            .recordTooLarge, reason: "it has \(recordSize(record)) bytes, and a record has at most \(recordBytes)",
            context: RecordContext(record: record.id, field: largest?.name))
    }
}
