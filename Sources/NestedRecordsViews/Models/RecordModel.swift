public import NestedRecords
public import Observation

/// A stored value that views show and change: a row of a ``LiveQueryModel``, or the value of a ``LiveValueModel``.
///
/// ```swift
/// Text(row.front)                                        // a property of the value
/// Button("Known") { Task { await row.save { $0.successes += 1 } } }
/// ```
///
/// Its identity is that of the record, and it stays the same object while the record is shown. A view that reads a row is
/// invalidated when this row changes, and by no other row.
///
/// Saves, deletions and undoing run one after the other, in the order of their calls. What goes wrong is in ``failure``,
/// and the value that is shown stays as it is.
@MainActor @Observable @dynamicMemberLookup
public final class RecordModel<Value: RecordCodable & Sendable>: Identifiable {
    /// The ID of the value's record.
    public nonisolated let id: Record.ID

    /// The value with its versions, as it is stored.
    public private(set) var stored: Stored<Value>

    /// Whether a save, a deletion or undoing runs.
    public private(set) var isSaving = false

    /// Why the last save, deletion or undoing failed; nil after one that has succeeded.
    public private(set) var failure: (any Error)?

    /// The value as the last save has stored it, and the value before.
    private var undoable: (saved: Stored<Value>, before: Value)?

    let store: RecordStore

    @ObservationIgnored private let turns = MainActorTurns()
    @ObservationIgnored private var drafts: [WeakDraft] = []

    /// Whether a live value has arrived during a save.
    @ObservationIgnored private var hasArrival = false

    /// The versions that own saves have replaced, by record, until a live value of a later moment arrives.
    @ObservationIgnored private var replaced: [Record.ID: Set<String>] = [:]

    private struct WeakDraft { weak var draft: RecordDraft<Value>? }

    /// Makes a model of a value that was fetched; it changes only by its own saves.
    ///
    /// - Parameters:
    ///   - stored: The value.
    ///   - store: Where it is saved.
    public init(_ stored: Stored<Value>, in store: RecordStore) {
        (id, self.stored, self.store) = (stored.recordID, stored, store)
    }

    /// The value, as it is stored.
    public var value: Value { stored.value }

    /// A property of the value.
    public subscript<Member>(dynamicMember keyPath: KeyPath<Value, Member>) -> Member { stored.value[keyPath: keyPath] }

    /// Takes a live value, and gives it to the drafts.
    ///
    /// One of a moment before an own save is left out: the loop brings another, which has the save.
    func receive(_ new: Stored<Value>) {
        if isReplaced(new) { return }
        (replaced, hasArrival) = ([:], true)
        if !stored.hasSameVersions(as: new) { stored = new }
        drafts.removeAll { $0.draft == nil }
        for draft in drafts { draft.draft?.receive(new) }
    }

    /// Prepares for the values of another loop, which are all of later moments.
    func beginFollowing() { replaced = [:] }

    private func isReplaced(_ value: Stored<Value>) -> Bool {
        !replaced.isEmpty && value.versions?.contains { replaced[$0.key]?.contains($0.value) == true } == true
    }

    // MARK: Changing

    /// Changes the value and saves it.
    ///
    /// Changes of other writers to other fields are kept. To count, also beside other writers, use the increments of the
    /// store's `change`.
    ///
    /// - Parameter change: Changes the value that is shown when its turn comes.
    /// - Returns: Whether it is saved. Otherwise ``failure`` has the error: that of the closure, `contestedField` if another
    ///   writer has changed the same field, `unknownRecord` if the record is deleted, or any other error of saving.
    @discardableResult
    public func save(_ change: (inout Value) throws -> Void) async -> Bool {
        await attempt {
            var edited = stored
            try change(&edited.value)
            try await save(&edited, before: stored.value) { try $0.merged() }
            return true
        }
    }

    /// Deletes the record in the version that is shown.
    ///
    /// - Parameter options: What is deleted besides, and what happens to references from remaining records.
    /// - Returns: Whether it is deleted. Otherwise ``failure`` has the error, such as `versionMismatch` if another writer
    ///   has changed the record, and `stillReferenced`.
    @discardableResult
    public func delete(_ options: DeletionOptions = []) async -> Bool {
        await attempt {
            try await store.delete(stored, options)
            return true
        }
    }

    /// Whether the last save can be undone.
    ///
    /// A save that was merged with changes of other writers cannot: the value before it lacks these changes.
    public var canUndo: Bool { undoable != nil }

    /// Saves the value from before the last save, once.
    ///
    /// Later changes of other writers to other fields are kept. Records that the save has added stay in the database.
    ///
    /// - Returns: Whether the value is saved; false if ``canUndo`` is false. Otherwise ``failure`` has the error, as after
    ///   ``save(_:)``.
    @discardableResult
    public func undo() async -> Bool {
        await attempt {
            guard let undoable else { return false }
            var edited = undoable.saved
            edited.value = undoable.before
            try await save(&edited, before: undoable.before) { try $0.merged() }
            self.undoable = nil
            return true
        }
    }

    /// A draft of the value, which follows it as long as nothing is changed in the draft.
    public func edit() -> RecordDraft<Value> {
        let draft = RecordDraft(of: self)
        drafts.append(WeakDraft(draft: draft))
        return draft
    }

    // MARK: For drafts

    /// Runs a call in its turn, and notes its error.
    func attempt(_ call: () async throws -> Bool) async -> Bool {
        await turns.begin()
        isSaving = true
        defer {
            isSaving = false
            turns.end()
        }
        do {
            let isDone = try await call()
            if failure != nil { failure = nil }
            return isDone
        } catch {
            failure = error
            return false
        }
    }

    /// Saves an edited value.
    ///
    /// - Parameters:
    ///   - edited: The value; afterwards as it is stored.
    ///   - before: The value without the changes.
    ///   - merge: Merges with the changes of other writers.
    /// - Returns: Whether exactly the edited value was saved, and not merged with changes of other writers.
    @discardableResult
    func save(
        _ edited: inout Stored<Value>, before: Value, merging merge: @escaping (SaveConflict) throws -> Record
    ) async throws -> Bool {
        // Without changes, the save before is still the last one.
        if try edited.changes().isEmpty { return true }
        let (sent, former) = (edited.value, edited.versions ?? [:])
        var others: [Record.ID: Set<String>] = [:]
        hasArrival = false
        try await store.save(&edited) { conflict in
            if let tag = conflict.server.metadata?.changeTag { others[conflict.server.id, default: []].insert(tag) }
            return try merge(conflict)
        }
        var repeated = edited
        repeated.value = sent
        let isAsSent = (try? repeated.changes().isEmpty) == true
        undoable = isAsSent ? (edited, before) : nil
        let saved = edited.versions ?? [:]
        for (id, tag) in former where saved[id] != tag { replaced[id, default: []].insert(tag) }
        replaced.merge(others) { $0.union($1) }
        // A live value that has arrived since may have the save, and later ones.
        if !hasArrival || isReplaced(stored) { stored = edited }
        return isAsSent
    }
}

/// Lets calls run one after the other, in their order.
@MainActor final class MainActorTurns {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func begin() async {
        if isTaken { await withCheckedContinuation { waiting.append($0) } }
        isTaken = true
    }

    func end() {
        if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
    }
}
