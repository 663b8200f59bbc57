@_spi(Engines) import NestedRecords

/// The search for records that refer to those of `RecordBatch.allowedReferrers`, before the batch is written.
///
/// It reads a snapshot of the file, and not while the file is locked for other writers. Batches that are written since the
/// beginning of the search are noted, so that the writer knows all references.
final class ReferrerSearch: Sendable {
    private let snapshot: Lock<BinaryReferrerCheck>
    private let later: Lock<ReferrerCheck>

    private init(_ batch: RecordBatch) {
        (snapshot, later) = (Lock(BinaryReferrerCheck(batch)), Lock(ReferrerCheck(batch)))
    }

    /// Calls the closure with the finished search, which notes what is written until the closure returns.
    static func around<Success>(
        _ batch: RecordBatch, in reader: Reader, _ body: (ReferrerSearch) async throws -> Success
    ) async throws -> Success {
        let search = ReferrerSearch(batch)
        // Before the snapshot: what is written between the two is in both.
        reader.file.searches.withLock { $0.append(search) }
        defer { reader.file.searches.withLock { $0.removeAll { $0 === search } } }
        try await reader.visit(ofType: nil, with: search.snapshot)
        return try await body(search)
    }

    /// Notes a batch that was written.
    func note(_ batch: RecordBatch) { later.withLock { $0.note(batch) } }

    /// The references to the records of the batch, as of the last block that was written.
    var current: ReferrerCheck {
        var check = snapshot.withLock { $0.check }
        check.note(later.withLock { $0 })
        return check
    }
}
