#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A database as one transaction sees it, with the writes of the transaction, which no other caller sees.
///
/// A record that was read stays the same for the whole transaction. Writes are kept in memory, and committed at the end
/// in one batch that requires every record that was read to be unchanged. Change tags of the writes are the
/// transaction's own.
package final class RecordTransaction: RecordDatabase {
    private enum Change {
        case saved(Record, version: Record)
        case deleted
    }

    private struct State {
        /// The records as they were first read; nil for missing ones.
        var read: [Record.ID: Record?] = [:]
        var changes: [Record.ID: Change] = [:]
        var changedIDs: [Record.ID] = []

        /// The conditions of batches, and the records outside a scope to which they do not apply.
        var allowedReferrers: [Record.ID: Set<Record.ID>] = [:]
        var allowedOutside: Set<Record.ID> = []
        var callCount = 0
        var tagCount = 0
        var isEnded = false

        /// The record as the transaction sees it; nil if there is none.
        func current(_ id: Record.ID) -> Record? {
            switch changes[id] {
            case .saved(_, let version): version
            case .deleted: nil
            case nil: read[id] ?? nil
            }
        }

        func isKnown(_ id: Record.ID) -> Bool { changes[id] != nil || read[id] != nil }

        func knownIDs(ofType type: String) -> [Record.ID] {
            Set(read.keys).union(changedIDs).filter { $0.type == type }.sorted()
        }

        mutating func note(_ id: Record.ID, _ record: Record?) {
            // The first read counts, also if two tasks read at the same time.
            if read[id] == nil { read[id] = .some(record) }
        }

        mutating func set(_ id: Record.ID, _ change: Change) {
            if changes.updateValue(change, forKey: id) == nil { changedIDs.append(id) }
        }

        func added(ofType type: String?) -> [Record] {
            let ids = changedIDs.filter { (type == nil || $0.type == type) && (read[$0] ?? nil) == nil }
            return ids.compactMap { current($0) }
        }

        var batch: RecordBatch {
            var batch = RecordBatch(savePolicy: .ifUnchanged)
            for id in changedIDs {
                let stored = read[id] ?? nil
                if case .saved(var record, _)? = changes[id] {
                    record.metadata = stored?.metadata
                    batch.saves.append(record)
                } else if let stored {
                    batch.deletions.append(RecordBatch.VersionedID(removing: stored))
                }
            }
            let named = Set(batch.saves.map(\.id) + batch.deletions.map(\.id))
            batch.conditions = conditions.filter { !named.contains($0.id) }
            // References that the transaction has saved itself were checked, or came later.
            batch.allowedReferrers = allowedReferrers.mapValues { $0.union(changedIDs) }
            batch.allowedOutside = allowedOutside
            return batch
        }

        var conditions: [RecordBatch.VersionedID] {
            read.map { id, record in
                let isUnversioned = record.map { $0.metadata == nil } ?? false
                return RecordBatch.VersionedID(
                    id, version: isUnversioned ? .any : record.map { RecordBatch.Version(of: $0) } ?? .missing)
            }.sorted { $0.id < $1.id }
        }
    }

    private let base: any RecordDatabase
    private let state = Lock(State())

    /// The prefix of this transaction's change tags, which differ from those of any other transaction.
    private let tagPrefix = "transaction-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))-"

    init(_ base: any RecordDatabase) { self.base = base }

    package var limits: RecordDatabaseLimits { base.limits }

    /// Contents are added at once, and are not part of the transaction.
    package var assets: (any AssetStorage)? { base.assets }

    /// Without outcomes: the batches of a transaction are one batch at its end.
    package var capabilities: RecordCapabilities { base.capabilities.subtracting(.outcomes) }

    package func records(for ids: [Record.ID]) async throws -> [Record] {
        try await read(ids)
        return state.withLock { state in ids.compactMap { state.current($0) } }
    }

    /// Notes a batch for the end of the transaction; required versions are compared to those of the transaction.
    @discardableResult
    package func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        try check(batch)
        let targets = Array(batch.allowedReferrers.keys)
        try await read(batch.saves.map(\.id) + batch.deletions.map(\.id) + batch.conditions.map(\.id) + targets)
        let holders = targets.isEmpty ? [] : Set(try await referrers(of: targets).values.joined().map(\.record))
        let stored = try await base.presentRecords(for: holders.sorted())
        return try state.withLock { state in
            // The transaction may have ended while records were read: a later write would be lost.
            if state.isEnded { throw RecordDatabaseError(.transactionEnded) }
            let referring = stored.filter { !state.isKnown($0.id) } + holders.compactMap { state.current($0) }
            try batch.checkReferrers(among: referring) { state.current($0) }
            var tagCount = state.tagCount
            let versions = try batch.newVersions(date: Date()) {
                tagCount += 1
                return "\(tagPrefix)\(tagCount)"
            } over: {
                state.current($0)
            }
            state.tagCount = tagCount
            var saved: [Record.ID: Record.Metadata] = [:]
            for (var record, version) in zip(batch.saves, versions) {
                saved[version.id] = version.metadata
                if case .deleted? = state.changes[record.id] { state.allowedReferrers[record.id] = nil }
                if case .saved(let former, let formerVersion)? = state.changes[record.id] {
                    record.keepServerTimestamps(of: former, readAs: formerVersion)
                }
                state.set(record.id, .saved(record, version: version))
            }
            for deletion in batch.deletions { state.set(deletion.id, .deleted) }
            state.allowedReferrers.merge(batch.allowedReferrers) { $0.intersection($1) }
            state.allowedOutside.formUnion(batch.allowedOutside)
            return saved
        }
    }

    /// The records as they were first read or last written; records that other writers add are not noticed.
    package func storedRecords(ofType type: String?) -> RecordSequence {
        RecordSequence { [self] in
            ListedRecords(transaction: self, type: type, stored: base.storedRecords(ofType: type))
        }
    }

    private struct ListedRecords: AsyncIteratorProtocol {
        let transaction: RecordTransaction
        let type: String?
        var stored: RecordSequence.Iterator
        var added: ArraySlice<Record>?

        init(transaction: RecordTransaction, type: String?, stored: RecordSequence) {
            (self.transaction, self.type) = (transaction, type)
            self.stored = stored.makeAsyncIterator()
        }

        mutating func next() async throws -> Record? {
            while added == nil {
                try transaction.checkIsOpen()
                guard let record = try await stored.next() else {
                    added = transaction.state.withLock { $0.added(ofType: type)[...] }
                    break
                }
                let current = transaction.state.withLock { state -> Record? in
                    state.callCount += 1
                    state.note(record.id, record)
                    // A record that was missing before comes with the added ones, if at all.
                    return (state.read[record.id] ?? nil).flatMap { state.current($0.id) }
                }
                if let current { return current }
            }
            return added?.popFirst()
        }
    }

    // MARK: Queries

    /// A page of the database, with the records as the transaction sees them; a record of the page must stay unchanged.
    package func page(_ query: RecordQuery) async throws -> RecordPage {
        _ = try query.checkedStart()
        // The transaction keeps the records that it has read, so it reads whole ones.
        return try await wholePage(query.ofWholeRecords).contents(for: query)
    }

    private func wholePage(_ query: RecordQuery) async throws -> RecordPage {
        try checkIsOpen()
        let types = query.filter.map(\.referredTypes) ?? []
        if !types.isEmpty {
            // The database does not know the changes that such a filter leads to.
            let isChanged = state.withLock { state in
                state.changedIDs.contains { $0.type == query.recordType || types.contains($0.type) }
            }
            return isChanged ? try await scanPage(query) : noting(try await base.page(query))
        }
        let known = state.withLock { $0.knownIDs(ofType: query.recordType) }
        var stored = query
        // Each of the known records may leave the page.
        if let limit = query.limit, limit >= 0 {
            let sum = limit.addingReportingOverflow(known.count)
            stored.limit = sum.overflow ? .max : sum.partialValue
        }
        if let after = query.after {
            // A database that adds conditions to a query has cursors of its own.
            let first = RecordQuery(query.recordType, where: query.filter, order: query.order, limit: 1)
            stored.after = try await base.page(first).next.map { after.asCursor(of: $0) }
        }
        let page = try await base.page(stored)
        var scan = try QueryScan(query, targets: [:])
        state.withLock { state in
            for record in page.records where !state.isKnown(record.id) { scan.add(record) }
            for id in known { if let record = state.current(id) { scan.add(record) } }
        }
        var found = scan.page(examinedElsewhere: page.examinedCount)
        if found.next == nil, page.next != nil, let last = found.records.last {
            found.next = QueryCursor(of: query, after: last)
        }
        return noting(found)
    }

    package func count(_ query: RecordQuery) async throws -> Int {
        try await page(RecordQuery(query.recordType, where: query.filter)).records.count
    }

    package func summaries(
        of query: RecordQuery, field: FieldPath?, groupedBy group: RecordGrouping?
    ) async throws -> [RecordSummary] {
        var scan = try RecordSummaryScan(RecordFilterPart(nil), of: field, groupedBy: group)
        let page = try await page(RecordQuery(query.recordType, where: query.filter))
        for record in page.records { try scan.add(record) }
        return scan.summaries
    }

    package func explanation(of query: RecordQuery) async throws -> String { try await base.explanation(of: query) }

    private func noting(_ page: RecordPage) -> RecordPage {
        state.withLock { state in
            state.callCount += 1
            for record in page.records { state.note(record.id, record) }
        }
        return page
    }

    /// The stored references of records that the transaction has not read, and those of its own records.
    package func referrers(of ids: [Record.ID]) async throws -> [Record.ID: [RecordReferrer]] {
        try checkIsOpen()
        var found = try await base.referrers(of: ids)
        let sought = Set(ids)
        state.withLock { state in
            found = found.compactMapValues { referrers in
                let unread = referrers.filter { !state.isKnown($0.record) }
                return unread.isEmpty ? nil : unread
            }
            for id in Set(state.read.keys).union(state.changedIDs).sorted() {
                state.current(id)?.collectReferrers(to: sought, into: &found)
            }
        }
        return found
    }

    // MARK: The end

    private func read(_ ids: [Record.ID]) async throws {
        try checkIsOpen()
        var unknown = state.withLock { state in ids.filter { !state.isKnown($0) } }[...]
        while !unknown.isEmpty {
            let part = Array(unknown.prefix(max(1, base.limits.batchCount)))
            unknown = unknown.dropFirst(part.count)
            let records = try await base.records(for: part)
            state.withLock { state in
                state.callCount += 1
                for record in records { state.note(record.id, record) }
                for id in part { state.note(id, nil) }
            }
        }
    }

    private func checkIsOpen() throws {
        if state.withLock({ $0.isEnded }) { throw RecordDatabaseError(.transactionEnded) }
    }

    /// Ends the transaction: code that has kept it can neither read nor write.
    func end() { state.withLock { $0.isEnded = true } }

    func commit() async throws {
        let (batch, callCount) = state.withLock { state in
            state.isEnded = true
            return (state.batch, state.callCount)
        }
        // The records of one call are of one moment.
        let isRead = batch.saves.isEmpty && batch.deletions.isEmpty && batch.allowedReferrers.isEmpty
        guard !batch.isEmpty, !isRead || callCount > 1 else { return }
        let saved = try await base.commit(batch)
        TransactionWrites.current?.note(saved, deleted: batch.deletions.map(\.id))
    }

    /// The error about a record that was read and has changed since; nil if there is none.
    func overtaken() async -> RecordDatabaseError? {
        var batch = RecordBatch()
        batch.conditions = state.withLock { $0.conditions }
        if batch.isEmpty { return nil }
        do {
            try await base.commit(batch)
            return nil
        } catch {
            return (error as? RecordDatabaseError).flatMap { $0.isOvertaken ? $0 : nil }
        }
    }
}

extension RecordTransaction: CustomStringConvertible {
    package var description: String {
        let (read, changed) = state.withLock { ($0.read.count, $0.changes.count) }
        return "RecordTransaction: \(read.counted("record")) read, \(changed) changed"
    }
}

extension RecordTransaction: ChildlessReflectable {}
