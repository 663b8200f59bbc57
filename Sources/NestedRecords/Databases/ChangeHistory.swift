/// Which records of a database have changed, in order.
///
/// A record is at the place of its last change. The entries of former changes are left where they are until they are the
/// greater part.
struct ChangeHistory {
    private struct Entry {
        let position: UInt64
        let id: Record.ID
        let isDeletion: Bool
    }

    private var entries: [Entry] = []

    /// The position of the last change of each record that has one.
    private var lastPositions: [Record.ID: UInt64] = [:]

    /// The number of the last batch.
    private(set) var position: UInt64 = 0

    /// The number of the last batch whose deletions are not all known any more.
    private(set) var purgedPosition: UInt64 = 0

    private var deletionCount = 0
    private let maximumDeletionCount: Int

    /// - Parameter maximumDeletionCount: How many deleted records to keep at most.
    init(maximumDeletionCount: Int) { self.maximumDeletionCount = max(0, maximumDeletionCount) }

    /// Adds a batch.
    ///
    /// - Parameters:
    ///   - saved: The records that were saved.
    ///   - deleted: The records that were deleted, without those that were not there.
    /// - Complexity: O(*n*) for *n* records, on average.
    mutating func add(saved: some Sequence<Record.ID>, deleted: some Sequence<Record.ID>) {
        position += 1
        for id in saved { add(Entry(position: position, id: id, isDeletion: false)) }
        for id in deleted {
            add(Entry(position: position, id: id, isDeletion: true))
            deletionCount += 1
        }
        if deletionCount > maximumDeletionCount + maximumDeletionCount / 4 { forgetDeletions() }
        if entries.count > 2 * lastPositions.count + 64 { entries = entries.filter { isLast($0) } }
    }

    private mutating func add(_ entry: Entry) {
        entries.append(entry)
        lastPositions[entry.id] = entry.position
    }

    private func isLast(_ entry: Entry) -> Bool { lastPositions[entry.id] == entry.position }

    /// Forgets the first deletions until there are no more than the maximum.
    private mutating func forgetDeletions() {
        deletionCount = entries.count { $0.isDeletion && isLast($0) }
        var kept: [Entry] = []
        kept.reserveCapacity(entries.count)
        for entry in entries where isLast(entry) {
            if entry.isDeletion, deletionCount > maximumDeletionCount {
                deletionCount -= 1
                lastPositions[entry.id] = nil
                purgedPosition = entry.position
            } else {
                kept.append(entry)
            }
        }
        entries = kept
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
            if entry.isDeletion { deleted.append(entry.id) } else { saved.append(entry.id) }
        }
        return (saved, deleted, position, true)
    }
}
