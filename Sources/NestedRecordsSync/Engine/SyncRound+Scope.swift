import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// The beginning of a synchronization, and changes of what is synchronized.
extension SyncRound {
    /// Throws if both sides have records.
    func checkIsEmpty() async throws {
        for database in [context.localFeed.database, context.remoteReads] {
            var isEmpty = true
            for type in try await types(of: database) where isEmpty {
                isEmpty = try await database.versions(ofType: type, after: nil, limit: 1).isEmpty
            }
            if isEmpty { return }
        }
        throw RecordDatabaseError(.notEmpty, reason: "both databases have records before the first synchronization")
    }

    /// Makes the local database as the remote one, which was compared before.
    mutating func dropLocalChanges() async throws {
        let database = context.localFeed.database
        for try await page in ListedPages(of: try await types(of: database), in: database, context) {
            try Task.checkCancellation()
            let (bases, found) = (try await bases(of: page.ids), try await database.found(page.ids))
            let changed = page.ids.filter { !(found[$0]?.fields).isSame(as: bases[$0]?.state?.fields) }
            for part in changed.parts(of: context.localCount) {
                var batch = RecordBatch()
                var claims: [WantedClaim] = []
                for id in part {
                    let fields = bases[id]?.state?.fields
                    try add(fields, over: found[id], id, to: &batch)
                    if let fields { claims += try wantedClaims(of: Record(id: id, fields: fields), remote: fields) }
                }
                let counts = batch.counts
                try await add(claims, to: &batch)
                try await commit(batch, link)
                outcome.add(counts)
            }
        }
        var next = link
        next.start = .merge
        try await commit(RecordBatch(), next)
    }

    private func add(
        _ fields: Record.Fields?, over local: Record?, _ id: Record.ID, to batch: inout RecordBatch
    ) throws {
        if let fields {
            batch.saves.append(try Record(id: id, fields: fields, metadata: local?.metadata))
        } else if let local {
            batch.deletions.append(RecordBatch.VersionedID(id, version: RecordBatch.Version(of: local)))
        }
    }

    /// Removes the records of types that are not synchronized any more from the local database, with their bases, and has
    /// all records compared.
    ///
    /// A record with changes stays, and is listed as rejected; so is a deletion that was not sent.
    mutating func changeTypes() async throws {
        let database = context.localFeed.database
        let departed = try await database.storedTypes().compactMap(context.names.type(ofBases:)).filter { type in
            context.options.types.map { !$0.contains(type) } ?? false
        }
        if !departed.isEmpty, !link.mustList || link.listing != nil {
            // If this ends in the middle and the types return, what was removed is no longer in the feed.
            var next = link
            (next.mustList, next.listing) = (true, nil)
            try await commit(RecordBatch(), next)
        }
        for type in departed.sorted() {
            var count = 0
            while true {
                let limit = context.versionLimit(afterListing: count)
                let ids = try await database.versions(
                    ofType: context.names.baseType(of: type), after: nil, limit: limit
                ).map { try Record.ID(type: type, name: $0.id.name) }
                if ids.isEmpty { break }
                count += ids.count
                for part in ids.parts(of: min(context.localCount, context.pageSize)) {
                    try Task.checkCancellation()
                    try await evict(Array(part))
                }
            }
        }
        var next = link
        (next.types, next.mustList, next.listing, next.pushed) = (context.types, true, nil, nil)
        try await commit(RecordBatch(), next)
    }

    private mutating func evict(_ ids: [Record.ID]) async throws {
        let (bases, found) = (try await bases(of: ids), try await context.localFeed.database.found(ids))
        let rejected = try await rejected()
        var batch = RecordBatch()
        var next = link
        for id in ids {
            guard var base = bases[id] else { continue }
            if let local = found[id], (local.fields as Record.Fields?).isSame(as: base.state?.fields) {
                batch.deletions.append(RecordBatch.VersionedID(id, version: RecordBatch.Version(of: local)))
                outcome.deletedCount += 1
            } else if rejected[id] == nil, found[id] != nil || base.state != nil {
                var entry = try makeRejection(of: id)
                entry.reason = "records of its type are not synchronized any more"
                entry.tag = found[id]?.metadata?.changeTag ?? ""
                entry.nextAttempt = context.environment.now()
                batch.saves.append(try entry.record())
                next.hasRejected = true
            }
            (base.state, base.sent) = (nil, nil)
            try base.add(to: &batch, context.names)
        }
        try await commit(batch, next)
    }

    /// A new entry of the rejected changes.
    func makeRejection(of id: Record.ID) throws -> RejectedChange {
        RejectedChange(
            id: try Record.ID(type: context.names.rejectedType, name: context.environment.makeName()), recordID: id)
    }
}

extension RecordBatch {
    /// The number of saved and deleted records.
    fileprivate var counts: SyncOutcome {
        var counts = SyncOutcome()
        (counts.savedCount, counts.deletedCount) = (saves.count, deletions.count)
        return counts
    }
}
