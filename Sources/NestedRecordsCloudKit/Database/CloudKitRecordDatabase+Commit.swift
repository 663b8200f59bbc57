import Foundation
@_spi(Engines) public import NestedRecords

extension CloudKitRecordDatabase {
    /// How often a commit is sent that others overtake, or whose answer is lost.
    private static let mostAttempts = 8

    /// Applies a batch with one request.
    ///
    /// One more reads the records that it changes, except new ones; another removes the marks of deletions. If an answer is
    /// lost, the versions of the stored records say whether the batch was applied.
    ///
    /// - Throws: `RecordDatabaseError` with the code `unknownOutcome` if the batch may still arrive.
    @discardableResult
    public func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        var checked = batch
        // Only a batch that changes the guard names contents of assets, so that their referrers can be a condition.
        if port.assetZone != nil, batch.allowedReferrers.keys.allSatisfy(\.isAssetContent) {
            checked.allowedReferrers = [:]
        }
        try check(checked)
        return try await batch.withContents { try await apply($0) }
    }

    /// - Parameter batch: The batch, with a condition for each content of an asset.
    private func apply(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        let marks = BatchMarks(batch)
        var readsAll = false
        var lost: RecordDatabaseError?
        var sent: [Record.ID: Record.Metadata] = [:]
        for attempt in 1...Self.mostAttempts {
            do {
                let ids = batch.ids(withInsertions: readsAll)
                // The contents of assets are read after the guard, which their deletions change: they need no condition each.
                let isOfContents = port.assetZone != nil && batch.isOfContents
                let (stored, guardian) = try await repeatingRead {
                    try await reportingFailures {
                        let first = isOfContents ? try await self.guardian() : nil
                        let read = try await self.stored(ids, withGuard: !isOfContents && marksDeletions(batch))
                        return (read.records, isOfContents ? first : read.guardian)
                    }
                }
                let others = stored.values.compactMap(\.markOfOtherType)
                if !others.isEmpty {
                    // With plain names, a mark takes the name from records of other types.
                    await removeTombstones(others, nil)
                    readsAll = true
                    continue
                }
                if lost != nil, let saved = marks.outcome(of: batch, in: stored, sent) { return saved }
                if !batch.allowedReferrers.isEmpty {
                    var referrers = ReferrerCheck(batch)
                    for record in try await list.recordsOfAssets() { referrers.note(record) }
                    try referrers.check(batch) { stored[$0]?.live != nil }
                }
                var plan = try BatchPlan(batch, over: stored, marks, mapping, port)
                if plan.saves.isEmpty, plan.deletions.isEmpty { return [:] }
                if plan.size > Self.mostBytes {
                    throw RecordDatabaseError(
                        .batchTooLarge,
                        reason: "with its conditions it has \(plan.size) bytes, and CloudKit takes \(Self.mostBytes)")
                }
                if isOfContents {
                    plan.saves.append(PortSave(ofGuard: guardian))
                } else if plan.savesOverTombstone {
                    plan.saves.append(PortSave(ofGuard: try await self.guardian()))
                }
                sent = plan.metadata
                try await port.modify(saving: plan.saves, deleting: plan.deletions)
                if !plan.tombstones.isEmpty {
                    let save = plan.savesOverTombstone || isOfContents ? nil : PortSave(ofGuard: guardian)
                    await removeTombstones(plan.tombstones, save)
                }
                return plan.metadata
            } catch CloudKitFailure.missing {
                // The deletion of a record in any version, in the public database.
                return [:]
            } catch CloudKitFailure.outdated {
                readsAll = true
                if attempt > 1 { try await pause(.milliseconds(Int.random(in: 0...(10 << attempt))), after: lost) }
            } catch CloudKitFailure.unknownOutcome(let error) {
                (lost, readsAll) = (error, true)
                // A late copy would delete what is saved until then.
                if !port.isZone, !port.deletesVersions, !batch.deletions.isEmpty { break }
            } catch CloudKitFailure.other(let error) where error.isTransient && lost != nil {
                let time = error.retryAfter ?? .milliseconds(20)
                if time > .seconds(10) { break }
                try await pause(time, after: lost)
            } catch {
                let error = (error as? CloudKitFailure)?.error ?? error
                // An earlier attempt may have been applied, or may still arrive.
                throw lost == nil ? error : RecordDatabaseError(.unknownOutcome, underlyingError: error)
            }
        }
        if let lost { throw RecordDatabaseError(.unknownOutcome, underlyingError: lost) }
        throw RecordDatabaseError(.busy, reason: "other writers have changed the records during each attempt")
    }

    /// - Throws: `CancellationError`, or that the outcome is unknown, if a request was lost.
    private func pause(_ time: Duration, after lost: RecordDatabaseError?) async throws {
        do {
            try await Task.sleep(for: time)
        } catch {
            throw lost == nil ? error : RecordDatabaseError(.unknownOutcome, underlyingError: lost)
        }
    }

    /// Whether a batch marks records as deleted.
    private func marksDeletions(_ batch: RecordBatch) -> Bool {
        let hasMarks = batch.conditions.contains { $0.version == .missing }
        return port.isZone && (hasMarks || (!port.deletesVersions && !batch.deletions.isEmpty))
    }
}

extension RecordBatch {
    /// Whether it names contents of assets, or deletes some.
    fileprivate var isOfContents: Bool {
        conditions.contains { $0.id.isAssetContent } || deletions.contains { $0.id.isAssetContent }
            || !allowedReferrers.isEmpty
    }

    /// The records to read before the batch is sent.
    ///
    /// - Parameter withInsertions: Whether those that must be missing are among them.
    fileprivate func ids(withInsertions: Bool) -> [Record.ID] {
        var ids: [Record.ID] = []
        for record in saves where withInsertions || record.metadata != nil || savePolicy == .overwrite {
            ids.append(record.id)
        }
        // Also those to delete in any version: each deletion is over one version, so that a late copy of it fails.
        ids += deletions.map(\.id) + conditions.filter { $0.version != .any }.map(\.id)
        // A content may be named twice: by an asset, and by itself.
        var seen: Set<Record.ID> = []
        return ids.filter { seen.insert($0).inserted }
    }
}
