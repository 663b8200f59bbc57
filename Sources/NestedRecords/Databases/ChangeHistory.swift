/// Which records of a database have changed, in order.
///
/// A record is at the place of its last change. The entries of former changes are left where they are until they are the
/// greater part.
struct ChangeHistory {
    private struct Entry {
        let slot: Int
        let position: UInt64
    }

    /// The last change of a record.
    private struct Change {
        let id: Record.ID
        var position: UInt64
        var isDeletion: Bool
    }

    private var entries: [Entry] = []

    /// Where the last change of each record is that has one: an ID is hashed once for each of its changes.
    private var slots: [Record.ID: Int] = [:]

    /// The last changes, in no order; those at free places are at the position 0.
    private var lastChanges: [Change] = []

    /// The places of changes that are forgotten.
    private var freeSlots: [Int] = []

    /// The number of the last batch.
    private(set) var position: UInt64 = 0

    /// The number of the last batch whose deletions are not all known any more.
    private(set) var purgedPosition: UInt64 = 0

    /// How many records are known to be deleted.
    private(set) var deletionCount = 0

    /// No entry before this one is the deletion of a record that is known to be deleted.
    private var firstDeletion = 0

    private let maximumDeletionCount: Int

    /// - Parameter maximumDeletionCount: How many deleted records to keep at most.
    init(maximumDeletionCount: Int) { self.maximumDeletionCount = max(0, maximumDeletionCount) }

    /// Adds a batch.
    ///
    /// - Parameters:
    ///   - saved: The records that were saved.
    ///   - deleted: The records that were deleted, without those that were not there.
    /// - Complexity: O(*n*) for *n* records, on average over many batches, whatever the maximum is.
    mutating func add(saved: some Sequence<Record.ID>, deleted: some Sequence<Record.ID>) {
        position += 1
        for id in saved { add(id, isDeletion: false) }
        for id in deleted { add(id, isDeletion: true) }
        while deletionCount > maximumDeletionCount { forgetFirstDeletion() }
        if entries.count > 2 * slots.count + 64 { removeFormerChanges() }
    }

    private mutating func add(_ id: Record.ID, isDeletion: Bool) {
        if isDeletion { deletionCount += 1 }
        if let slot = slots[id] {
            if lastChanges[slot].isDeletion { deletionCount -= 1 }
            lastChanges[slot].position = position
            lastChanges[slot].isDeletion = isDeletion
            entries.append(Entry(slot: slot, position: position))
            return
        }
        let slot = freeSlots.popLast() ?? lastChanges.count
        let change = Change(id: id, position: position, isDeletion: isDeletion)
        if slot < lastChanges.count { lastChanges[slot] = change } else { lastChanges.append(change) }
        slots[id] = slot
        entries.append(Entry(slot: slot, position: position))
    }

    private func isLast(_ entry: Entry) -> Bool { lastChanges[entry.slot].position == entry.position }

    /// Goes on from the entry where it ended before, so that each entry is passed once.
    private mutating func forgetFirstDeletion() {
        while firstDeletion < entries.count {
            let entry = entries[firstDeletion]
            firstDeletion += 1
            guard isLast(entry), lastChanges[entry.slot].isDeletion else { continue }
            slots[lastChanges[entry.slot].id] = nil
            lastChanges[entry.slot].position = 0
            freeSlots.append(entry.slot)
            deletionCount -= 1
            purgedPosition = entry.position
            return
        }
    }

    private mutating func removeFormerChanges() {
        var kept: [Entry] = []
        kept.reserveCapacity(2 * slots.count + 64)
        var passedCount = 0
        for (index, entry) in entries.enumerated() where isLast(entry) {
            if index < firstDeletion { passedCount += 1 }
            kept.append(entry)
        }
        (entries, firstDeletion) = (kept, passedCount)
    }

    /// The records that have changed since a position.
    ///
    /// - Parameters:
    ///   - start: The position behind what is known.
    ///   - limit: The number of records after which a page ends, with the batch that it is in.
    /// - Returns: The records, the position behind them, and whether these are all; nil if some are not known any more.
    /// - Complexity: O(log *m* + *n*) for *m* entries and *n* of them behind the position and up to the end of the page.
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
