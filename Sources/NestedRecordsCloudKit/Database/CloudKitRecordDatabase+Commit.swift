import Foundation
@_spi(Engines) public import NestedRecords

extension CloudKitRecordDatabase {
    /// How often a commit is sent that others overtake, or whose answer is lost.
    private static let mostAttempts = 8

    /// Applies a batch with one request.
    ///
    /// One more reads the records that it changes, except new ones; another removes what is left of deletions in a version.
    /// If an answer is lost, the tags of the stored records say whether the batch was applied.
    ///
    /// - Throws: `RecordDatabaseError` with the code `unknownOutcome` if the batch may still arrive.
    @discardableResult
    public func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        try check(batch)
        let marks = BatchMarks(batch)
        var readsAll = false
        var absent: Set<String> = []
        var lost: RecordDatabaseError?
        var sent: [Record.ID: Record.Metadata] = [:]
        for attempt in 1...Self.mostAttempts {
            do {
                let ids = batch.ids(withInsertions: readsAll, withDeletions: lost != nil)
                let (stored, guardian) = try await repeatingRead {
                    try await reportingFailures {
                        try await self.stored(ids, withGuard: port.isZone && batch.marksDeletions)
                    }
                }
                if lost != nil, let saved = marks.outcome(of: batch, in: stored, sent) { return saved }
                var plan = try BatchPlan(
                    batch, over: stored, marks, mapping, absent: absent, deletesVersions: port.deletesVersions)
                if plan.saves.isEmpty, plan.deletions.isEmpty { return [:] }
                if plan.savesOverTombstone { plan.saves.append(PortSave(ofGuard: try await self.guardian())) }
                sent = plan.metadata
                try await port.modify(saving: plan.saves, deleting: plan.deletions)
                if !plan.tombstones.isEmpty {
                    await removeTombstones(plan.tombstones, plan.savesOverTombstone ? nil : PortSave(ofGuard: guardian))
                }
                return plan.metadata
            } catch CloudKitFailure.missing(let names) {
                absent.formUnion(names)
            } catch CloudKitFailure.outdated {
                readsAll = true
                if attempt > 1 { try await Task.sleep(for: .milliseconds(Int.random(in: 0...(10 << attempt)))) }
            } catch CloudKitFailure.unknownOutcome(let error) {
                (lost, readsAll) = (error, true)
            } catch CloudKitFailure.other(let error) where error.isTransient && lost != nil {
                try await Task.sleep(for: min(error.retryAfter ?? .milliseconds(20), .seconds(10)))
            } catch {
                let error = (error as? CloudKitFailure)?.error ?? error
                // An earlier attempt may have been applied, or may still arrive.
                throw lost == nil ? error : RecordDatabaseError(.unknownOutcome, underlyingError: error)
            }
        }
        if let lost { throw RecordDatabaseError(.unknownOutcome, underlyingError: lost) }
        throw RecordDatabaseError(.busy, reason: "other writers have changed the records during each attempt")
    }
}

extension RecordBatch {
    /// Whether it marks records as deleted.
    fileprivate var marksDeletions: Bool {
        deletions.contains { $0.version != .any } || conditions.contains { $0.version == .missing }
    }

    /// The records to read before the batch is sent.
    ///
    /// - Parameters:
    ///   - withInsertions: Whether those that must be missing are among them.
    ///   - withDeletions: Whether those to delete in any version are among them.
    fileprivate func ids(withInsertions: Bool, withDeletions: Bool) -> [Record.ID] {
        var ids: [Record.ID] = []
        for record in saves where withInsertions || record.metadata != nil || savePolicy == .overwrite {
            ids.append(record.id)
        }
        for deletion in deletions where withDeletions || deletion.version != .any { ids.append(deletion.id) }
        for condition in conditions where condition.version != .any { ids.append(condition.id) }
        return ids
    }
}
