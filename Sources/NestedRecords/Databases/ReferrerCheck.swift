/// Checks the condition ``RecordBatch/allowedReferrers`` of a batch against the records that may refer to its records.
///
/// The latest version of a record that is noted counts.
package struct ReferrerCheck: Sendable {
    private let allowed: [Record.ID: Set<Record.ID>]

    /// The references of each noted record that are not allowed.
    private var found: [Record.ID: [DanglingReference]] = [:]

    package init(_ batch: RecordBatch) { allowed = batch.allowedReferrers }

    /// The records to which references are sought.
    package var targets: [Record.ID] { Array(allowed.keys) }

    package mutating func note(_ record: Record) {
        var references: [DanglingReference] = []
        var walk = ReferenceWalk(record.fields)
        while let reference = walk.next() {
            guard reference.id != record.id, let allowed = allowed[reference.id], !allowed.contains(record.id) else {
                continue
            }
            references.append(DanglingReference(target: reference.id, context: RecordContext(record.id, walk)))
        }
        found[record.id] = references
    }

    package mutating func note(deletionOf id: Record.ID) { found[id] = [] }

    package mutating func note(_ batch: RecordBatch) {
        for record in batch.saves { note(record) }
        for deletion in batch.deletions { note(deletionOf: deletion.id) }
    }

    /// Notes what another check has noted later.
    package mutating func note(_ later: ReferrerCheck) { found.merge(later.found) { $1 } }

    /// Throws `RecordDatabaseError.Code.stillReferenced` unless the condition holds once the batch is applied.
    ///
    /// - Parameter exists: Whether the database holds a record before the batch.
    package func check(_ batch: RecordBatch, exists: (Record.ID) throws -> Bool) throws {
        var check = self
        check.note(batch)
        var references = check.found.values.flatMap(\.self)
        if references.isEmpty { return }
        let missing = try Set(Set(references.map(\.target)).filter { try !exists($0) })
        references.removeAll { missing.contains($0.target) }
        if references.isEmpty { return }
        let sorted = references.sorted { ($0.target, $0.holder) < ($1.target, $1.holder) }
        throw RecordDatabaseError(.stillReferenced, .references(sorted))
    }
}

extension DanglingReference {
    /// The record that holds the reference; the target if it is not known.
    fileprivate var holder: Record.ID { context.record ?? target }
}

extension RecordBatch {
    /// Checks the condition ``allowedReferrers``, for databases with
    /// ``RecordCapabilities/referrerConditions``.
    ///
    /// The check belongs to the commit: no other batch may be applied between it and the changes of this one.
    ///
    /// - Parameters:
    ///   - records: The records of the database before the batch: all, or those that an index finds, which refer to the
    ///     keys of ``allowedReferrers``.
    ///   - stored: Returns the version of a record in the database; nil if the record does not exist.
    /// - Throws: ``RecordDatabaseError`` with the code `stillReferenced` and the references; errors of the closure.
    /// - Complexity: O(*n*) for *n* fields and list elements of the records and of ``saves``.
    @_spi(Engines) public func checkReferrers(
        among records: some Sequence<Record>, over stored: (Record.ID) throws -> Record?
    ) throws {
        if allowedReferrers.isEmpty { return }
        var check = ReferrerCheck(self)
        for record in records { check.note(record) }
        try check.check(self) { try stored($0) != nil }
    }
}
