import Foundation
@_spi(Engines) public import NestedRecords

extension FirestoreRecordDatabase {
    /// How often a commit is sent that others overtake, or whose answer is lost.
    private static let mostAttempts = 3

    /// Applies a batch with one request, and another before the first of the process; saves with the policy `overwrite` take
    /// one more, for the creation dates.
    ///
    /// If an answer is lost, the marks of the documents say whether the batch was applied. If none has its mark, the batch
    /// is sent again where each save requires a version.
    ///
    /// - Throws: `RecordDatabaseError` with the code `unknownOutcome` if the batch may still arrive.
    @discardableResult
    public func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        try check(batch)
        let save = SaveMark.make()
        let writes = try BatchWrites(batch, save: save, names)
        if writes.writes.isEmpty { return [:] }
        if let journal {
            return try await journal.turns.inTurn { try await commit(batch, writes, save: save, in: journal) }
        }
        try await checkHasNoJournal()
        let body = JSONValue.object(["writes": .list(writes.writes)])
        var isSent = false
        for attempt in 1...Self.mostAttempts {
            do {
                if !writes.isUnmet {
                    let answer = try await exchange.send("commit", in: names.database, body)
                    return try await metadata(of: batch, try CommitAnswer(answer, batch))
                }
                if let saved = try await settledOrThrow(batch, save) { return saved }
            } catch let failure as FirestoreFailure where failure.isUnmetPrecondition {
                do {
                    if let saved = try await settledOrThrow(batch, save) { return saved }
                } catch  where isSent {
                    // An earlier attempt may have been applied, and its records changed since.
                    throw RecordDatabaseError(.unknownOutcome, underlyingError: error)
                }
            } catch  where Self.hidesOutcome(error) {
                isSent = true
                if let saved = try await settled(batch, save, after: error, isLast: attempt == Self.mostAttempts) {
                    return saved
                }
            } catch let failure as FirestoreFailure {
                // An earlier attempt may still arrive.
                if isSent { throw RecordDatabaseError(.unknownOutcome, underlyingError: failure.error) }
                throw failure.error
            }
        }
        throw RecordDatabaseError(.busy, reason: "other writers have changed the records during each attempt")
    }

    static func hidesOutcome(_ error: any Error) -> Bool {
        if let failure = error as? FirestoreFailure { return failure.hidesOutcome }
        return RecordDatabaseError.Code.connectionLost ~= error
    }

    /// The metadata of a batch that an earlier attempt has applied; nil if it may be sent again.
    ///
    /// - Throws: The conflict of the batch with the stored records.
    @discardableResult
    func settledOrThrow(_ batch: RecordBatch, _ save: String) async throws -> [Record.ID: Record.Metadata]? {
        let ids = batch.saves.map(\.id) + (batch.deletions + batch.conditions).map(\.id)
        let documents = try await repeating {
            try await self.documents(for: ids.filter { names.fault(of: $0) == nil })
        }
        if let saved = try Self.metadata(of: batch, markedBy: save, documents) { return saved }
        let stored = Dictionary(documents.map { ($0.record.id, $0.record) }, uniquingKeysWith: { first, _ in first })
        _ = try batch.newVersions(date: .distantPast, changeTag: { "" }, over: { stored[$0] })
        return nil
    }

    /// The metadata of a batch whose answer was lost, if it was applied; nil if it may be sent again.
    private func settled(
        _ batch: RecordBatch, _ save: String, after error: any Error, isLast: Bool
    ) async throws -> [Record.ID: Record.Metadata]? {
        let cause = (error as? FirestoreFailure)?.error ?? error
        do {
            let ids = batch.saves.map(\.id) + batch.deletions.map(\.id)
            let documents = try await saveMarks(of: ids)
            if let saved = try Self.metadata(of: batch, markedBy: save, Array(documents.values)) { return saved }
            // Deletions leave no marks: their effect is what counts.
            if batch.saves.isEmpty, documents.isEmpty, !batch.deletions.isEmpty { return [:] }
        } catch let error as RecordDatabaseError where error.code == .unknownOutcome {
            throw error
        } catch {
            throw RecordDatabaseError(.unknownOutcome, underlyingError: cause)
        }
        if batch.savePolicy == .ifUnchanged || batch.saves.isEmpty, !isLast { return nil }
        throw RecordDatabaseError(.unknownOutcome, underlyingError: cause)
    }

    /// The metadata of a batch that is applied, though its answer was lost.
    func metadata(ofApplied batch: RecordBatch, _ save: String) async throws -> [Record.ID: Record.Metadata] {
        let documents = try await saveMarks(of: batch.saves.map(\.id))
        if let saved = try Self.metadata(of: batch, markedBy: save, Array(documents.values)) { return saved }
        if batch.saves.isEmpty { return [:] }
        throw Self.changedSince
    }

    /// The metadata of the documents with the mark of a save; nil if none has it.
    private static func metadata(
        of batch: RecordBatch, markedBy save: String, _ documents: [StoredDocument]
    ) throws -> [Record.ID: Record.Metadata]? {
        let saved = documents.filter { $0.save == save }.map { ($0.record.id, $0.record.metadata) }
        if saved.isEmpty { return nil }
        if saved.count < batch.saves.count { throw changedSince }
        return Dictionary(saved.compactMap { id, metadata in metadata.map { (id, $0) } }) { first, _ in first }
    }

    private static let changedSince = RecordDatabaseError(
        .unknownOutcome, reason: "the batch is applied, and other writers have changed its records since")

    /// The metadata of the saved records; the creation dates of those that were overwritten are read.
    func metadata(
        of batch: RecordBatch, _ answer: CommitAnswer
    ) async throws -> [Record.ID: Record.Metadata] {
        var creationDates: [Record.ID: StoredDocument] = [:]
        if batch.savePolicy == .overwrite {
            do {
                creationDates = try await saveMarks(of: batch.saves.map(\.id))
            } catch {
                throw RecordDatabaseError(
                    .unknownOutcome, reason: "the batch is saved, and its creation dates cannot be read",
                    underlyingError: error)
            }
        }
        var saved: [Record.ID: Record.Metadata] = [:]
        for (record, version) in zip(batch.saves, answer.versions) {
            let read = batch.savePolicy == .overwrite ? creationDates[record.id]?.record.metadata : record.metadata
            saved[record.id] = Record.Metadata(
                changeTag: version.tag, creationDate: read?.creationDate ?? version.date, modificationDate: version.date
            )
        }
        return saved
    }
}

/// The mark of the saves of a batch.
enum SaveMark {
    static func make() -> String {
        String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt32.random(in: .min ... .max), radix: 36)
    }
}
