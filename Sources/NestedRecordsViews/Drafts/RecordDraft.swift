public import NestedRecords
public import Observation

/// A copy of a value that a form edits: what is stored changes when it is saved.
///
/// ```swift
/// @Bindable var draft: RecordDraft<Card>                  // from row.edit(), or RecordDraft(Card(…), in: store)
/// TextField("Front", text: $draft.value.front)
/// Button("Save") { Task { if await draft.save() { dismiss() } } }.disabled(!draft.isDirty)
/// ```
///
/// A draft without changes follows the stored value. A draft with changes keeps them: a version that another writer has
/// saved is in ``newer``. A save merges both by field. If both have changed a field to different values, nothing is saved,
/// and ``conflicts`` has these fields: set their choices and save again.
@MainActor @Observable
public final class RecordDraft<Value: RecordCodable & Sendable>: Identifiable {
    /// The value with the changes that were made to it.
    public var value: Value {
        get { content }
        set {
            content = newValue
            editCount += 1
        }
    }

    /// The stored version that another writer has saved since the draft was changed; nil if there is none.
    public private(set) var newer: Stored<Value>?

    /// The fields that need a choice before the next save, of the value's record and of those that are nested in it.
    public var conflicts: [DraftConflict] = []

    /// Whether a save runs.
    public private(set) var isSaving = false

    /// Why the last save failed; nil after one that has succeeded, and if it needs choices for ``conflicts``.
    public private(set) var failure: (any Error)?

    private var content: Value
    private var base: Base
    private let store: RecordStore

    @ObservationIgnored private var editCount = 0

    /// The choices in the fields of this save and those of before, which hold for exactly these values.
    @ObservationIgnored private var choices: [DraftConflict: DraftConflict.Side] = [:]

    private enum Base {
        case new(Value)
        case stored(Stored<Value>, RecordModel<Value>)
    }

    /// Makes a draft of a new value, which is inserted when it is saved.
    ///
    /// - Parameters:
    ///   - value: The value, perhaps incomplete.
    ///   - store: Where it is saved.
    public init(_ value: Value, in store: RecordStore) {
        (content, base, self.store) = (value, .new(value), store)
    }

    /// Makes a draft of a value that was fetched, and does not follow it.
    ///
    /// - Parameters:
    ///   - stored: The value.
    ///   - store: Where it is saved.
    public convenience init(_ stored: Stored<Value>, in store: RecordStore) {
        self.init(of: RecordModel(stored, in: store))
    }

    init(of record: RecordModel<Value>) {
        (content, base, store) = (record.value, .stored(record.stored, record), record.store)
    }

    /// Whether the value is new: its save is an insertion.
    public var isNew: Bool { if case .new = base { true } else { false } }

    /// Whether the value differs from the stored one, or from the new one that the draft was made of.
    ///
    /// - Complexity: O(*n*) for *n* values, which are encoded.
    public var isDirty: Bool {
        // A value that cannot be encoded is kept too.
        (try? changes().isEmpty) != true
    }

    /// What the value changes, which a save would send: as records with fields.
    ///
    /// - Returns: For a new value, the difference from the value that the draft was made of.
    /// - Throws: The errors of encoding the value.
    public func changes() throws -> RecordGraphDifference {
        switch base {
        case .new(let first):
            let encoder = RecordEncoder(store.coding)
            return try encoder.encode(content).difference(from: encoder.encode(first))
        case .stored(var stored, _):
            stored.value = content
            return try stored.changes()
        }
    }

    /// Drops the changes, and takes the newest stored version.
    public func reset() {
        switch base {
        case .new(let first): (value, failure) = (first, nil)
        case .stored(let stored, let record): rebase(on: newer ?? stored, record)
        }
    }

    /// Saves the changes, merged by field with those of other writers; a new value is inserted.
    ///
    /// What is edited while a save runs is not saved, and stays a change of the draft. It is dropped after the insertion of a
    /// value with nested records that existed before with more fields.
    ///
    /// - Returns: Whether it is saved. Otherwise another save still runs, ``conflicts`` has fields that need a choice, or
    ///   ``failure`` has the error, such as `unknownRecord` if the record is deleted: insert the ``value`` to keep it.
    @discardableResult
    public func save() async -> Bool {
        guard !isSaving else { return false }
        for conflict in conflicts { choices[conflict.key] = conflict.choice }
        isSaving = true
        defer { isSaving = false }
        failure = nil
        switch base {
        case .new:
            do {
                let (sent, count) = (value, editCount)
                let stored = try await store.insert(sent)
                var repeated = stored
                repeated.value = sent
                // Edits that do not know what existed before would take it back.
                let isAsSent = (try? repeated.changes().isEmpty) == true
                adopt(stored, RecordModel(stored, in: store), sent: isAsSent ? count : editCount, isAsSent: true)
                return true
            } catch {
                failure = error
                return false
            }
        case .stored(let stored, let record):
            guard isDirty else {
                reset()
                return true
            }
            let isSaved = await record.attempt { try await save(over: stored, record) }
            if !isSaved, conflicts.isEmpty { failure = record.failure }
            return isSaved
        }
    }

    /// Saves the changes to a stored value.
    ///
    /// - Returns: Whether it is saved; false if a field needs a choice.
    private func save(over stored: Stored<Value>, _ record: RecordModel<Value>) async throws -> Bool {
        var (edited, open) = (stored, [DraftConflict]())
        edited.value = value
        let sent = editCount
        do {
            let isAsSent = try await record.save(&edited, before: stored.value) { conflict in
                let merged = conflict.merged { field in
                    let contested = DraftConflict(recordID: conflict.client.id, field: field)
                    let choice = self.choices[contested]
                    if choice == nil { open.append(contested) }
                    return choice == .theirs ? field.server : field.client
                }
                if !open.isEmpty { throw Undecided() }
                return merged
            }
            adopt(edited, record, sent: sent, isAsSent: isAsSent)
            // A later version may have arrived.
            receive(record.stored, isSaving: false)
            return true
        } catch {
            conflicts = open
            // After a part of several batches, the rest can be saved.
            edited.value = stored.value
            base = .stored(edited, record)
            if open.isEmpty || !(error is Undecided) { throw error }
            return false
        }
    }

    /// That a field needs a choice.
    private struct Undecided: Error {}

    /// Takes the saved value; edits made since it was sent stay.
    private func adopt(_ saved: Stored<Value>, _ record: RecordModel<Value>, sent: Int, isAsSent: Bool) {
        let later = editCount == sent ? nil : value
        // Edits that do not know the merged changes would take them back.
        if later != nil, !isAsSent {
            newer = saved
            (conflicts, choices) = ([], [:])
            return
        }
        rebase(on: saved, record)
        if let later { value = later }
    }

    private func rebase(on stored: Stored<Value>, _ record: RecordModel<Value>) {
        (base, content, newer) = (.stored(stored, record), stored.value, nil)
        (conflicts, choices, failure) = ([], [:], nil)
    }

    /// Takes a live value if nothing is changed, and otherwise notes it.
    func receive(_ stored: Stored<Value>) { receive(stored, isSaving: isSaving) }

    private func receive(_ stored: Stored<Value>, isSaving: Bool) {
        guard case .stored(let known, let record) = base, !known.hasSameVersions(as: stored) else { return }
        if isSaving || isDirty { newer = stored } else { rebase(on: stored, record) }
    }
}

extension DraftConflict {
    /// The conflict without a choice.
    fileprivate var key: DraftConflict { DraftConflict(recordID: recordID, field: field) }
}
