@_spi(Engines) import NestedRecords

/// A database that saves, with each batch, what `undo` needs to take it back.
///
/// All batches are one step. Without a step, and in a database that cannot undo, batches are passed on as they are.
final class UndoRecorder: ForwardingRecordDatabase {
    /// The database that is changed.
    let database: any StoredDatabase

    /// The name in messages.
    let name: String
    private let console: Console?
    private let maximumByteCount: Int
    private let state: Lock<State?>

    fileprivate struct State {
        var step: UndoStep
        var others: [UndoStep]
        var seen: Set<Record.ID> = []
    }

    var base: any RecordDatabase { database }

    /// Begins a step.
    ///
    /// - Parameters:
    ///   - step: The step; nil to keep none.
    ///   - fills: Whether the command is one that fills databases: of filling an empty one it keeps no step.
    ///   - maximumByteCount: The most bytes of all steps.
    ///   - console: Where to ask for consent to a change that is too large to keep; nil to refuse it.
    /// - Throws: ``InputError`` for a damaged step, and errors of the database.
    init(
        _ database: any StoredDatabase, named name: String, for step: UndoStep?, fills: Bool = false,
        maximumByteCount: Int = UndoStep.maximumByteCount, console: Console?
    ) async throws {
        (self.database, self.name, self.console, self.maximumByteCount) = (database, name, console, maximumByteCount)
        guard let step, UndoStep.areKept(by: database) else {
            state = Lock(nil)
            return
        }
        var records = database.records(ofType: nil, including: .system).filtered { !$0.id.isOfAssets }
            .makeAsyncIterator()
        let isFilled = fills ? try await records.next() == nil : false
        let others = try await UndoStep.all(in: database)
        state = Lock(isFilled ? nil : State(step: step.following(others.first), others: others))
    }

    /// Whether a step is saved.
    var hasStep: Bool { state.withLock { $0?.step.metadata != nil } }

    @discardableResult
    func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        guard var state = state.withLock({ $0 }) else { return try await base.commit(batch) }
        var batch = batch
        let found = try await base.recordsByID(for: batch.saves.map(\.id) + batch.deletions.map(\.id))
        if batch.savePolicy == .overwrite {
            // What is kept is what is replaced.
            batch.savePolicy = .ifUnchanged
            for (position, record) in batch.saves.enumerated() {
                batch.saves[position].metadata = found[record.id]?.metadata
            }
        }
        let (entries, former) = (try state.entries(of: batch, over: found), state.step)
        if entries.isEmpty { return try await base.commit(batch) }
        let store = base.assets == nil ? nil : RecordStore(base).assets
        let parts = try await UndoEntry.parts(of: entries, addingTo: &state.step, store)
        let isKept = state.step.byteCount <= maximumByteCount
        if isKept {
            batch.deletions += try state.dropOldest(besides: batch.deletions.map(\.id), maximumByteCount)
            batch.saves += [try state.step.record] + parts
        } else {
            try confirmLoss()
            batch.deletions += try former.deletions
        }
        let versions = try await base.commit(batch)
        state.step.metadata = try versions[state.step.record.id]
        self.state.withLock { [state] in $0 = isKept ? state : nil }
        return versions.filter { !$0.key.isOfUndo }
    }

    /// Marks the step of several batches as complete.
    func finish() async throws {
        guard var step = state.withLock({ $0?.step }), step.metadata != nil, !step.isComplete else { return }
        step.isComplete = true
        let versions = try await base.commit(RecordBatch(saving: [step.record]))
        step.metadata = try versions[step.record.id]
        state.withLock { [step] in $0?.step = step }
    }

    /// Closes the database.
    func close() async throws { try await database.close() }

    /// Asks whether to make a change that is too large to keep.
    ///
    /// - Throws: ``InputError`` without a consent.
    private func confirmLoss() throws {
        let size = "'undo' would keep more than \(maximumByteCount.grouped) bytes of this change"
        if let console, console.canAsk, console.isConfirmed("\(size): make it without a way back?") { return }
        throw InputError(input: name, reason: "\(size); with '--no-undo' it keeps nothing")
    }
}

extension UndoRecorder.State {
    /// What a batch changes, besides what the library keeps of assets and steps.
    fileprivate mutating func entries(
        of batch: RecordBatch, over found: [Record.ID: Record]
    ) throws -> [UndoEntry] {
        var writer = RecordWriter()
        var entries = try batch.saves.map { record in
            UndoEntry(id: record.id, before: found[record.id], after: try record.contentHash(&writer))
        }
        entries += batch.deletions.compactMap { found[$0.id] }.map { UndoEntry(id: $0.id, before: $0, after: nil) }
        return entries.filter { !$0.id.isOfUndo && !$0.id.isOfAssets }.map { entry in
            // An earlier batch has kept what was before the step.
            if !seen.insert(entry.id).inserted { return UndoEntry(id: entry.id, before: nil, after: entry.after) }
            if !entry.id.isReserved {
                if step.count == 0 { step.first = entry.id.description }
                step.count += 1
            }
            return entry
        }
    }

    /// Leaves out the oldest steps until there is room for the new one.
    ///
    /// - Returns: The records to delete, besides those that are deleted already.
    fileprivate mutating func dropOldest(
        besides deleted: [Record.ID], _ maximumByteCount: Int
    ) throws -> [RecordBatch.VersionedID] {
        try others.removeAll { deleted.contains(try $0.record.id) }
        var dropped: [RecordBatch.VersionedID] = []
        while let last = others.last,
            others.count >= UndoStep.maximumCount
                || others.reduce(step.byteCount, { $0 + $1.byteCount }) > maximumByteCount
        {
            others.removeLast()
            // Another program may have dropped it too.
            dropped += try last.deletions.map { RecordBatch.VersionedID($0.id) }
        }
        return dropped
    }
}

extension ParsedArguments {
    /// A database that keeps a step of this command, unless the user wants none.
    ///
    /// - Parameters:
    ///   - path: Where it is; nil for the first argument.
    ///   - isOneBatch: Whether the command makes all changes in one batch; otherwise ``UndoRecorder/finish()`` is called.
    ///   - fills: Whether the command is one that fills databases.
    func undoable(
        _ database: any StoredDatabase, at path: String? = nil, isOneBatch: Bool = true, fills: Bool = false
    ) async throws -> UndoRecorder {
        let step = try flag("no-undo") ? nil : UndoStep(of: command.name, isComplete: isOneBatch)
        return try await UndoRecorder(
            database, named: ServerAddress.shown(path ?? text("FILE")), for: step, fills: fills, console: console)
    }

    /// Ends a change that can be taken back.
    func finish(_ recorder: UndoRecorder) async throws {
        try await recorder.finish()
        try await finish(recorder.database)
    }

    /// Says on a terminal how to take a change back, after its summary.
    func printUndo(of database: UndoRecorder) throws {
        guard database.hasStep, console.statusLine.terminal.isTerminal else { return }
        try console.output.flush()
        console.statusLine.print("undo with '\(program.name) undo \(database.name)'".visible)
    }
}

extension Command.Option {
    /// The consent to a change that cannot be taken back.
    static let noUndo = Command.Option.flag("no-undo", nil, "Keep nothing that takes the change back.")
}
