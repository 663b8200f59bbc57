/// The order in which the records of a database have changed.
///
/// A record is at the position of its last change. Entries of earlier changes remain until they are the majority. The
/// owner of the records stores the slot of each: a look-up here would hash the ID once more, which makes a batch of 100
/// saves 12 % slower.
struct ChangeHistory {
    struct Slot {
        fileprivate let number: Int
        static let none = Slot(number: -1)

        var isNone: Bool { number < 0 }
    }

    private struct Entry {
        let slot: Int
        let position: UInt64
    }

    private struct Change {
        let id: Record.ID
        var position: UInt64
        var isDeletion: Bool
    }

    private var entries: [Entry] = []
    private var deletions: [Record.ID: Int] = [:]

    /// The last changes, unordered; free slots have the position 0.
    private var lastChanges: [Change] = []
    private var freeSlots: [Int] = []
    private(set) var position: UInt64
    private(set) var purgedPosition: UInt64
    var deletionCount: Int { deletions.count }

    private var firstDeletion = 0
    private let maximumDeletionCount: Int

    init(after position: UInt64 = 0, maximumDeletionCount: Int) {
        (self.position, purgedPosition) = (position, position)
        self.maximumDeletionCount = max(0, maximumDeletionCount)
    }

    /// Begins a batch, whose position is its number, or that of the batch before.
    mutating func beginBatch(_ number: UInt64) { position = number }

    mutating func save(_ id: Record.ID, at slot: Slot) -> Slot {
        // Without deletions, no ID is hashed.
        let number = !slot.isNone || deletions.isEmpty ? slot.number : deletions.removeValue(forKey: id) ?? -1
        return Slot(number: add(id, at: number, isDeletion: false))
    }

    mutating func delete(_ id: Record.ID, at slot: Slot) {
        deletions[id] = add(id, at: slot.number, isDeletion: true)
    }

    /// Forgets a record that was deleted, and its deletion.
    mutating func forget(_ slot: Slot) {
        if slot.isNone { return }
        lastChanges[slot.number].position = 0
        freeSlots.append(slot.number)
    }

    /// Ends a batch, and forgets deletions beyond the maximum.
    ///
    /// - Complexity: O(*n*) for the *n* records of the batch, amortized, whatever the maximum is.
    mutating func endBatch() {
        while deletionCount > maximumDeletionCount { forgetFirstDeletion() }
        if entries.count > 2 * slotCount + 64 { removeFormerChanges() }
    }

    private var slotCount: Int { lastChanges.count - freeSlots.count }

    private mutating func add(_ id: Record.ID, at number: Int, isDeletion: Bool) -> Int {
        var number = number
        if number >= 0 {
            lastChanges[number].position = position
            lastChanges[number].isDeletion = isDeletion
        } else {
            let change = Change(id: id, position: position, isDeletion: isDeletion)
            number = freeSlots.popLast() ?? lastChanges.count
            if number < lastChanges.count { lastChanges[number] = change } else { lastChanges.append(change) }
        }
        entries.append(Entry(slot: number, position: position))
        return number
    }

    private func isLast(_ entry: Entry) -> Bool { lastChanges[entry.slot].position == entry.position }

    /// Continues from the entry of the last call, so that each entry is visited once.
    private mutating func forgetFirstDeletion() {
        while firstDeletion < entries.count {
            let entry = entries[firstDeletion]
            firstDeletion += 1
            guard isLast(entry), lastChanges[entry.slot].isDeletion else { continue }
            deletions[lastChanges[entry.slot].id] = nil
            lastChanges[entry.slot].position = 0
            freeSlots.append(entry.slot)
            purgedPosition = entry.position
            return
        }
    }

    private mutating func removeFormerChanges() {
        var kept: [Entry] = []
        kept.reserveCapacity(2 * slotCount + 64)
        var passedCount = 0
        for (index, entry) in entries.enumerated() where isLast(entry) {
            if index < firstDeletion { passedCount += 1 }
            kept.append(entry)
        }
        (entries, firstDeletion) = (kept, passedCount)
    }

    /// The records that have changed since a position.
    ///
    /// - Returns: The records, the position after them, and whether the page is the last; nil if deletions since the
    ///   position were forgotten.
    /// - Complexity: O(log *m* + *n*) for *m* entries and *n* of them after the position, up to the end of the page.
    func changes(
        since start: UInt64, limit: Int
    ) -> (saved: [Record.ID], deleted: [Record.ID], position: UInt64, isComplete: Bool)? {
        guard start >= purgedPosition, start <= position else { return nil }
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = low + (high - low) / 2
            if entries[middle].position > start { high = middle } else { low = middle + 1 }
        }
        var saved: [Record.ID] = []
        var deleted: [Record.ID] = []
        var last: UInt64?
        for entry in entries[low...] where isLast(entry) {
            if saved.count + deleted.count >= max(1, limit), let last, entry.position != last {
                return (saved, deleted, last, false)
            }
            last = entry.position
            let change = lastChanges[entry.slot]
            if change.isDeletion { deleted.append(change.id) } else { saved.append(change.id) }
        }
        return (saved, deleted, position, true)
    }
}
