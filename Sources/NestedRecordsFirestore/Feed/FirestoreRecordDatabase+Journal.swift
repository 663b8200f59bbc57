import NestedRecords

extension FirestoreRecordDatabase {
    /// The position of the newest entry of the journal.
    func newestPosition() async throws -> JournalPosition {
        try await entries(where: nil, "DESCENDING", limit: 1).entries.first?.position ?? .beginning
    }

    /// Entries of the journal in their order, and the time at which they were read.
    func entries(from number: Int64, limit: Int) async throws -> (entries: [JournalEntry], time: String) {
        let filter = StructuredQuery.filter("number", "GREATER_THAN_OR_EQUAL", NativeValue.integer(number))
        return try await entries(where: filter, "ASCENDING", limit: limit)
    }

    private func entries(
        where filter: JSONValue?, _ direction: String, limit: Int
    ) async throws -> (entries: [JournalEntry], time: String) {
        let query = JSONValue.object([
            "from": .list([.object(["collectionId": JournalEntry.collection.json])]), "where": filter,
            // By the number and not by the name, which has no descending index of its own.
            "orderBy": .list([
                .object(["field": .object(["fieldPath": "number".json]), "direction": direction.json])
            ]),
            "limit": .integer(limit),
        ])
        let answers = try await exchange.list("runQuery", in: names.root, .object(["structuredQuery": query]))
        // Also an answer without documents has the time at which it was read.
        guard let time = answers.last?["readTime"]?.text else { throw FirestoreExchange.cut("runQuery") }
        return (try answers.compactMap { $0["document"] }.map { try JournalEntry($0) }, time)
    }

    /// Throws before the first commit without a journal if the database has one, whose readers would miss the changes.
    func checkHasNoJournal() async throws {
        if isWithoutJournal.withLock({ $0 }) { return }
        do {
            let found = try await repeating { try await entries(from: 0, limit: 1) }.entries
            if !found.isEmpty {
                throw RecordDatabaseError(
                    .invalidOptions, reason: "the database has a journal, which this program does not write",
                    hint: "set the option journal")
            }
        } catch RecordDatabaseError.Code.notPermitted {
            // The rules know no journal.
        }
        isWithoutJournal.withLock { $0 = true }
    }

    /// Applies a batch together with an entry of the journal.
    ///
    /// The entry makes each outcome certain: a commit whose answer was lost is sent again as it was, and is applied at most
    /// once, since its entry can be created once. Once another entry has its number, it is void.
    func commit(
        _ batch: RecordBatch, _ writes: BatchWrites, save: String, in journal: JournalState
    ) async throws -> [Record.ID: Record.Metadata] {
        let ids = batch.saves.map(\.id) + batch.deletions.map(\.id)
        var newest: JournalPosition
        if let known = journal.newest { newest = known } else { newest = try await newestPositionAgain() }
        // Whether a commit with the present number may still arrive.
        var isSent = false
        for attempt in 1...Self.mostEntries {
            let entry = JournalEntry(after: newest, save: save, ids, length: journal.options.length)
            let added = try entry.writes(after: newest, names)
            do {
                if writes.isUnmet { try await settledOrThrow(batch, save) }
                let answer = try CommitAnswer(try await send(writes.writes + added), batch)
                journal.note(entry.position)
                return try await metadata(of: batch, answer)
            } catch  where Self.hidesOutcome(error) || error is FirestoreFailure {
                let refusal = Self.hidesOutcome(error) ? nil : error as? FirestoreFailure
                if let refusal, !isSent, !refusal.isUnmetPrecondition { throw refusal.error }
                isSent = isSent || refusal == nil
                let number = entry.position.number
                let found: JournalPosition?
                do {
                    found = try await repeating { try await entries(from: number, limit: 1) }.entries.first?.position
                } catch let failure where isSent {
                    throw RecordDatabaseError(.unknownOutcome, underlyingError: failure)
                }
                if let found {
                    if found.number == number, found.save.utf8.elementsEqual(save.utf8) {
                        journal.note(found)
                        return try await metadata(ofApplied: batch, save)
                    }
                    if isSent, found.number > number {
                        throw RecordDatabaseError(
                            .unknownOutcome,
                            underlyingError: RecordDatabaseError(
                                .connectionLost, reason: "the journal no longer has the entry \(number)"))
                    }
                    isSent = false
                    newest = try await newestPositionAgain()
                    journal.note(newest)
                    try await Task.sleep(for: .milliseconds(Int.random(in: 0...(10 * attempt))))
                } else if refusal != nil {
                    if isSent {
                        // An entry without changes takes the number, so that nothing sent before can arrive any more.
                        let void = JournalEntry(
                            after: newest, save: SaveMark.make(), [], length: journal.options.length)
                        _ = try? await send(try void.writes(after: newest, names))
                    } else {
                        try await settledOrThrow(batch, save)
                    }
                }
            }
        }
        if isSent {
            throw RecordDatabaseError(
                .unknownOutcome, reason: "no answer has arrived in \(Self.mostEntries) attempts")
        }
        throw RecordDatabaseError(.busy, reason: "other writers have taken the next number of the journal each time")
    }

    private func send(_ writes: [JSONValue]) async throws -> JSONValue {
        try await exchange.send("commit", in: names.database, .object(["writes": .list(writes)]))
    }

    private func newestPositionAgain() async throws -> JournalPosition {
        try await repeating { try await newestPosition() }
    }

    /// How often a commit is sent that others overtake, or whose answer is lost.
    private static let mostEntries = 20
}
