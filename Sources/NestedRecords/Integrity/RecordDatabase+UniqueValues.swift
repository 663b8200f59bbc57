extension RecordDatabase {
    /// Checks the values of unique properties and their claims.
    ///
    /// The properties are those with at least one claim in the database. ``RecordStore/migrate(_:batchSize:isDryRun:progress:)``
    /// makes the claims of a property that was declared to be unique later.
    ///
    /// Records that change during the check may be misreported; they are not mended.
    ///
    /// - Parameter mends: Whether to make missing claims, and to delete those that are no longer in force.
    /// - Returns: The problems; those of the kinds ``UniqueValueProblem/Kind/unclaimed`` and
    ///   ``UniqueValueProblem/Kind/unused`` are mended if that was asked for. Duplicates remain.
    /// - Throws: Errors of the database, and `CancellationError`.
    /// - Complexity: One pass over the claims and one over the records of each type with claims; the memory is in
    ///   proportion to their number.
    @discardableResult
    public func uniqueValueProblems(mending mends: Bool = false) async throws -> [UniqueValueProblem] {
        try await uniqueValueProblems(of: nil, mending: mends)
    }

    /// - Parameter unique: The fields to check besides those with claims.
    func uniqueValueProblems(of unique: UniqueFields?, mending mends: Bool) async throws -> [UniqueValueProblem] {
        var check = UniqueValueCheck(unique)
        for try await record in records(ofType: UniqueClaim.recordType) { check.add(claim: record) }
        for type in check.types {
            for try await record in records(ofType: type) {
                try Task.checkCancellation()
                check.add(record)
            }
        }
        let findings = check.findings
        if mends {
            for part in findings.compactMap(\.mending).batches(of: Swift.max(1, Swift.min(batchLimit, 1_000) / 2)) {
                try await commitEach(part)
            }
        }
        return findings.map(\.problem)
    }

    /// Commits batches together, and one by one if another writer has changed one of their records.
    private func commitEach(_ batches: ArraySlice<RecordBatch>) async throws {
        var all = RecordBatch()
        for batch in batches {
            all.saves += batch.saves
            all.deletions += batch.deletions
            // A record may have several unique values.
            all.conditions += batch.conditions.filter { !all.conditions.contains($0) }
        }
        do {
            try await commit(all)
        } catch let error as RecordDatabaseError where error.isOvertaken {
            if batches.count > 1 { for batch in batches { try await commitEach([batch]) } }
        }
    }
}

private struct UniqueValueCheck {
    struct Finding {
        let problem: UniqueValueProblem
        var mending: RecordBatch?
    }

    private struct Holder {
        let id: Record.ID
        let version: RecordBatch.Version
    }

    private var claims: [Record.ID: Record] = [:]
    private var holders: [Record.ID: (claim: UniqueClaim, holders: [Holder])] = [:]
    private var fields: [String: Set<String>]

    init(_ unique: UniqueFields?) { fields = unique?.fieldsByType.mapValues(Set.init) ?? [:] }

    var types: [String] { fields.keys.sorted() }

    mutating func add(claim record: Record) {
        guard let claim = UniqueClaim(record) else { return }
        claims[record.id] = record
        fields[claim.owner.type, default: []].insert(claim.field)
    }

    mutating func add(_ record: Record) {
        for field in fields[record.id.type] ?? [] {
            guard let value = record[field], value != .null else { continue }
            let claim = UniqueClaim(record.id, field: field, value: value)
            holders[claim.recordID, default: (claim, [])].holders.append(
                Holder(id: record.id, version: RecordBatch.Version(of: record)))
        }
    }

    var findings: [Finding] {
        var found: [Finding] = []
        for (id, (claim, holders)) in holders {
            let owner = claims[id].flatMap { UniqueClaim($0) }?.owner
            let isClaimed = holders.contains { $0.id == owner }
            if !isClaimed {
                var mending = RecordBatch(saving: [claim.record])
                mending.saves[0].metadata = claims[id]?.metadata
                mending.conditions = holders.prefix(1).map { RecordBatch.VersionedID($0.id, version: $0.version) }
                found.append(finding(.unclaimed, claim, [claim.owner], mending))
            }
            if holders.count > 1 { found.append(finding(.duplicate, claim, holders.map(\.id).sorted())) }
        }
        for (id, record) in claims where holders[id] == nil {
            guard let claim = UniqueClaim(record) else { continue }
            var mending = RecordBatch()
            mending.deletions = [RecordBatch.VersionedID(removing: record)]
            found.append(finding(.unused, claim, [claim.owner], mending))
        }
        return found.sorted { ($0.problem.records[0], $0.problem.field) < ($1.problem.records[0], $1.problem.field) }
    }

    private func finding(
        _ kind: UniqueValueProblem.Kind, _ claim: UniqueClaim, _ records: [Record.ID], _ mending: RecordBatch? = nil
    ) -> Finding {
        let problem = UniqueValueProblem(
            kind: kind, recordType: claim.owner.type, field: claim.field, records: records)
        return Finding(problem: problem, mending: mending)
    }
}
