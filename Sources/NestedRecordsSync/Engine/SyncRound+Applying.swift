import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// Changes of the remote database, merged into the local one.
extension SyncRound {
    typealias Advance = (inout LinkRecord) -> Void

    /// Merges records into the local database, in one batch if its limits allow.
    ///
    /// - Parameters:
    ///   - changes: The states in the remote database; nil for deleted records.
    ///   - advance: Moves the link after the changes, together with the last of them.
    mutating func apply(_ changes: [Record.ID: RemoteState?], then advance: @escaping Advance = { _ in }) async throws {
        let (changes, position) = try await settlingUniqueValues(changes)
        let advance: Advance = {
            advance(&$0)
            if let position { $0.listed = position }
        }
        let parts = changes.keys.sorted().parts(of: context.localCount)
        if parts.count > 1 { outcome.isPartial = true }
        for part in parts.dropLast() { try await apply(changes, to: Array(part)) { _ in } }
        try await apply(changes, to: Array(parts.last ?? []), then: advance)
    }

    /// Merges states that were read by the IDs of their records, and may be newer than the position in the feed.
    mutating func applyFound(_ changes: [Record.ID: RemoteState?]) async throws {
        if !changes.isEmpty { try await noteReading() }
        try await apply(changes)
    }

    /// Notes the position of the remote feed after its database was read in another way.
    ///
    /// Without it, a database that was restored to a state between the stored position and this one would not be recognized.
    mutating func noteReading() async throws {
        if let feed = context.remoteFeed { link.listed = try await feed.changeToken() }
    }

    private mutating func apply(
        _ changes: [Record.ID: RemoteState?], to ids: [Record.ID], then advance: @escaping Advance
    ) async throws {
        for attempt in 1... {
            var next = link
            advance(&next)
            let merged = try await merge(changes, into: ids, &next)
            if merged.batch.isEmpty {
                (link, isDirty) = (next, true)
                return
            }
            if ids.count > 1, !context.local.limits.accepts(bytesOf: merged.batch) {
                outcome.isPartial = true
                try await apply(changes, to: Array(ids.prefix(ids.count / 2))) { _ in }
                return try await apply(changes, to: Array(ids.dropFirst(ids.count / 2)), then: advance)
            }
            do {
                try await commit(merged.batch, next)
                outcome.add(merged.counts)
                return
            } catch Overtaken.records where attempt < Self.mostAttempts {
                // A local writer was faster.
                try Task.checkCancellation()
            }
        }
    }

    private static let mostAttempts = 100

    /// What becomes of a record.
    func plan(of id: Record.ID, _ base: RemoteState?, _ local: Record.Fields?, _ remote: RemoteState?) -> RecordPlan {
        if let side = link.start.side { return RecordPlan(taking: side, local: local, remote: remote) }
        return RecordPlan(ofType: id.type, base: base, local: local, remote: remote, context.options.rules)
    }

    private mutating func merge(
        _ changes: [Record.ID: RemoteState?], into ids: [Record.ID], _ next: inout LinkRecord
    ) async throws -> (batch: RecordBatch, counts: SyncOutcome) {
        var batch = RecordBatch()
        var counts = SyncOutcome()
        if ids.isEmpty { return (batch, counts) }
        let bases = try await bases(of: ids)
        let rejected = try await rejected()
        let found = try await context.localFeed.database.found(ids)
        let plans = try await plans(for: ids, bases.compactMapValues(\.state), found, changes.compactMapValues(\.self))
        var settled: [Record.ID] = []
        var claims: [WantedClaim] = []
        for id in ids {
            guard var base = bases[id], let plan = plans[id] else { continue }
            let (local, remote) = (found[id], changes[id] ?? nil)
            if let loss = plan.loss {
                let conflict = SyncConflict(
                    id: try Record.ID(type: context.names.conflictType, name: context.environment.makeName()),
                    recordID: id, loss: loss, base: base.state?.fields, local: local?.fields, remote: remote?.fields,
                    date: context.environment.now())
                batch.saves.append(try conflict.record())
                counts.conflictCount += 1
            }
            var result = local?.fields
            switch plan.local {
            case .keep: break
            case .save(let fields):
                batch.saves.append(try Record(id: id, fields: fields, metadata: local?.metadata))
                counts.savedCount += 1
                result = fields
            case .delete:
                batch.deletions.append(
                    RecordBatch.VersionedID(id, version: local.map { RecordBatch.Version(of: $0) } ?? .any))
                counts.deletedCount += 1
                result = nil
            }
            switch plan.base {
            case .keep: break
            case .set(let state): base.state = state
            case .forget: base.state = nil
            }
            if plan.base != .keep {
                try base.add(to: &batch, context.names)
                if let result { claims += try wantedClaims(of: Record(id: id, fields: result), remote: remote?.fields) }
            }
            if var change = rejected[id] {
                if result.isSame(as: base.state?.fields), !(change.isRestored && result != nil) {
                    batch.deletions.append(change.deletion)
                    settled.append(id)
                } else if plan.base != .keep, !change.isRestored {
                    // What was refused may be accepted now.
                    change.nextAttempt = .distantPast
                    batch.saves.append(try change.record())
                }
            }
        }
        try await add(claims, to: &batch)
        next = link(next, rejecting: rejected, without: settled)
        return (batch, counts)
    }
}
