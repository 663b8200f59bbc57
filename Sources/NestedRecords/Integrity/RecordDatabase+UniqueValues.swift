extension RecordDatabase {
    /// Checks the values of unique properties and their claims.
    ///
    /// The properties are those with at least one claim in the database. ``RecordStore/migrate(_:batchSize:isDryRun:progress:)``
    /// makes the claims of a property that was declared to be unique later.
    ///
    /// Records that change during the check may be misreported. They are not mended: a claim is made or deleted on the
    /// condition that its record, and the owner of an existing claim, have not changed since they were read.
    ///
    /// Values of a form that cannot be unique, such as lists, are left out. Only saves without a ``RecordStore`` store
    /// them in such a field.
    ///
    /// - Parameter mends: Whether to make missing claims, and to delete those that are no longer in force.
    /// - Returns: The problems. If mending was asked for, those of the kinds ``UniqueValueProblem/Kind/unclaimed`` and
    ///   ``UniqueValueProblem/Kind/unused`` that were mended, and the duplicates, which remain.
    /// - Throws: Errors of the database, and `CancellationError`.
    /// - Complexity: One pass over the claims and one over the records of each type with claims; the memory is in
    ///   proportion to their number. Mending reads the owners of the claims to replace or delete once more.
    @discardableResult
    public func uniqueValueProblems(mending mends: Bool = false) async throws -> [UniqueValueProblem] {
        try await uniqueValueProblems(of: nil, mending: mends)
    }

    /// - Parameter unique: The fields to check besides those with claims.
    func uniqueValueProblems(of unique: UniqueFields?, mending mends: Bool) async throws -> [UniqueValueProblem] {
        if mends {
            try require(
                [.conditions, .missingConditions, .versionedDeletions], for: "the mending of unique values")
        }
        var check = UniqueValueCheck(unique)
        for try await record in records(ofType: UniqueClaim.recordType) { check.add(claim: record) }
        for type in check.types {
            for try await record in records(ofType: type) {
                try Task.checkCancellation()
                check.add(record)
            }
        }
        let findings = check.findings
        guard mends else { return findings.map(\.problem) }
        var problems = findings.filter { $0.mending == nil }.map(\.problem)
        // A mending has a claim and at most two conditions.
        let size = Swift.max(1, Swift.min(batchLimit, 1_000) / 3)
        for part in findings.filter({ $0.mending != nil }).batches(of: size) {
            problems += try await commitEach(try await withUnchangedOwners(part)[...]).map(\.problem)
        }
        return problems.sorted { ($0.records[0], $0.field) < ($1.records[0], $1.field) }
    }

    /// Adds the condition that the owner of the claim to replace or delete does not have the value; leaves out the
    /// findings whose owner has it.
    ///
    /// An owner that takes its value back saves only itself, since the claim is its own.
    private func withUnchangedOwners(
        _ findings: ArraySlice<UniqueValueCheck.Finding>
    ) async throws -> [UniqueValueCheck.Finding] {
        let owners = try await recordsByID(for: Array(Set(findings.compactMap { $0.former?.owner })).sorted())
        return findings.compactMap { finding in
            guard let former = finding.former else { return finding }
            let owner = owners[former.owner]
            if former.isInForce(with: owner) { return nil }
            var finding = finding
            let version = owner.map { RecordBatch.Version(of: $0) } ?? .missing
            finding.mending?.conditions.append(RecordBatch.VersionedID(former.owner, version: version))
            return finding
        }
    }

    /// Commits the mendings together, and one by one if another writer has changed one of their records.
    ///
    /// - Returns: The findings that were mended.
    private func commitEach(
        _ findings: ArraySlice<UniqueValueCheck.Finding>
    ) async throws -> [UniqueValueCheck.Finding] {
        if findings.isEmpty { return [] }
        var all = RecordBatch()
        var versions: [Record.ID: RecordBatch.Version] = [:]
        var isConsistent = true
        for batch in findings.compactMap(\.mending) {
            all.saves += batch.saves
            all.deletions += batch.deletions
            // A record may have several unique values, and may have changed since it was first read.
            for condition in batch.conditions {
                let known = versions.updateValue(condition.version, forKey: condition.id)
                if known == nil { all.conditions.append(condition) }
                if let known, known != condition.version { isConsistent = false }
            }
        }
        do {
            if isConsistent {
                try await commit(all)
                return Array(findings)
            }
        } catch let error as RecordDatabaseError where error.isOvertaken {}
        if findings.count == 1 { return [] }
        var mended: [UniqueValueCheck.Finding] = []
        for position in findings.indices { mended += try await commitEach(findings[position...position]) }
        return mended
    }
}

private struct UniqueValueCheck {
    struct Finding {
        let problem: UniqueValueProblem
        var mending: RecordBatch?

        /// The claim that the mending replaces or deletes.
        var former: UniqueClaim?
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
        claims[record.id] = record
        guard let claim = UniqueClaim(record) else { return }
        fields[claim.owner.type, default: []].insert(claim.field)
    }

    mutating func add(_ record: Record) {
        for field in fields[record.id.type] ?? [] {
            guard let value = record[field], value.claimedBytes != nil else { continue }
            let claim = UniqueClaim(record.id, field: field, value: value)
            holders[claim.recordID, default: (claim, [])].holders.append(
                Holder(id: record.id, version: RecordBatch.Version(of: record)))
        }
    }

    var findings: [Finding] {
        var found: [Finding] = []
        for (id, (claim, holders)) in holders {
            let former = claims[id].flatMap { UniqueClaim($0) }
            let isClaimed = former.map { former in
                former.isForSameValue(as: claim) && holders.contains { $0.id == former.owner }
            }
            if isClaimed != true {
                var mending = RecordBatch(saving: [claim.record])
                mending.saves[0].metadata = claims[id]?.metadata
                mending.conditions = holders.prefix(1).map { RecordBatch.VersionedID($0.id, version: $0.version) }
                found.append(finding(.unclaimed, claim, [claim.owner], mending, former))
            }
            if holders.count > 1 { found.append(finding(.duplicate, claim, holders.map(\.id).sorted())) }
        }
        for (id, record) in claims where holders[id] == nil {
            guard let claim = UniqueClaim(record) else { continue }
            var mending = RecordBatch()
            mending.deletions = [RecordBatch.VersionedID(removing: record)]
            found.append(finding(.unused, claim, [claim.owner], mending, claim))
        }
        return found.sorted { ($0.problem.records[0], $0.problem.field) < ($1.problem.records[0], $1.problem.field) }
    }

    private func finding(
        _ kind: UniqueValueProblem.Kind, _ claim: UniqueClaim, _ records: [Record.ID], _ mending: RecordBatch? = nil,
        _ former: UniqueClaim? = nil
    ) -> Finding {
        let problem = UniqueValueProblem(
            kind: kind, recordType: claim.owner.type, field: claim.field, records: records)
        return Finding(problem: problem, mending: mending, former: former)
    }
}
