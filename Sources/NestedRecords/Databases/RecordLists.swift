/// Records grouped by type in contiguous storage, so that a query examines a type without look-ups.
struct RecordLists {
    private struct Place {
        let list: Int
        let position: Int
        var slot = ChangeHistory.Slot.none

        /// The batch that saved the record; not updated while there is a history, which knows it too.
        var batch: UInt64
    }

    private struct Deletion {
        let id: Record.ID
        let batch: UInt64
    }

    private var lists: [ContiguousArray<Record>] = []
    private var numbers: [String: Int] = [:]
    private var places: [Record.ID: Place] = [:]

    /// The deletions before there is a history, in their order.
    private var deletions: [Deletion] = []

    /// The last batch whose deletions were forgotten before there is a history.
    private var forgottenBatch: UInt64 = 0

    var count: Int { places.count }

    subscript(id: Record.ID) -> Record? { places[id].map { lists[$0.list][$0.position] } }

    func records(ofType type: String) -> ContiguousArray<Record> { numbers[type].map { lists[$0] } ?? [] }

    func count(ofType type: String) -> Int { numbers[type].map { lists[$0].count } ?? 0 }

    var all: some Sequence<Record> { lists.lazy.joined() }

    /// The records that refer to one of these, in a pass over all records.
    func referring(to targets: IDInterner) -> [Record] {
        var found: [Record] = []
        for list in lists {
            let records = ElementsInPlace(list)
            for position in 0..<records.count where records[position].refers(to: targets) {
                found.append(list[position])
            }
        }
        return found
    }

    mutating func set(_ record: Record, batch: UInt64, history: inout ChangeHistory?) {
        if let index = places.index(forKey: record.id) {
            let place = places.values[index]
            lists[place.list][place.position] = record
            guard let slot = history?.save(record.id, at: place.slot) else {
                places.values[index].batch = batch
                return
            }
            if place.slot.isNone { places.values[index].slot = slot }
            return
        }
        let list = number(ofType: record.id.type)
        let slot = history?.save(record.id, at: .none) ?? .none
        places[record.id] = Place(list: list, position: lists[list].count, slot: slot, batch: batch)
        lists[list].append(record)
    }

    private mutating func number(ofType type: String) -> Int {
        if let number = numbers[type] { return number }
        numbers[type] = lists.count
        lists.append([])
        return lists.count - 1
    }

    /// Removes a record; the last record of its type moves to its position.
    mutating func remove(
        _ id: Record.ID, batch: UInt64, history: inout ChangeHistory?, maximumDeletionCount: Int
    ) {
        guard let place = places.removeValue(forKey: id), let last = lists[place.list].popLast() else { return }
        if id.isForgottenWhenDeleted {
            history?.forget(place.slot)
        } else if history == nil {
            deletions.append(Deletion(id: id, batch: batch))
            if deletions.count / 2 > max(maximumDeletionCount, 32) { forgetDeletions(beyond: maximumDeletionCount) }
        } else {
            history?.delete(id, at: place.slot)
        }
        guard place.position < lists[place.list].count else { return }
        lists[place.list][place.position] = last
        if let index = places.index(forKey: last.id) {
            let moved = places.values[index]
            places.values[index] = Place(
                list: place.list, position: place.position, slot: moved.slot, batch: moved.batch)
        }
    }

    // MARK: The history

    /// Makes the history of all batches.
    ///
    /// - Parameters:
    ///   - position: The number of the last batch.
    ///   - maximumDeletionCount: The maximum number of deletions that the history remembers.
    /// - Complexity: O(*n* log *n*) for *n* records.
    mutating func makeHistory(until position: UInt64, maximumDeletionCount: Int) -> ChangeHistory {
        forgetDeletions(beyond: maximumDeletionCount)
        var history = ChangeHistory(after: forgottenBatch, maximumDeletionCount: maximumDeletionCount)
        var deleted = deletions[...]
        let saved = places.indices.map { (index: $0, place: places.values[$0]) }.sorted {
            ($0.place.batch, $0.place.list, $0.place.position) < ($1.place.batch, $1.place.list, $1.place.position)
        }
        for (index, place) in saved {
            while let deletion = deleted.first, deletion.batch < place.batch {
                history.beginBatch(deletion.batch)
                history.delete(deletion.id, at: .none)
                deleted.removeFirst()
            }
            history.beginBatch(place.batch)
            places.values[index].slot = history.save(places[index].key, at: .none)
        }
        for deletion in deleted {
            history.beginBatch(deletion.batch)
            history.delete(deletion.id, at: .none)
        }
        history.beginBatch(position)
        history.endBatch()
        deletions = []
        return history
    }

    /// Forgets the first deletions, and those of records that exist again.
    private mutating func forgetDeletions(beyond count: Int) {
        let count = max(0, count)
        var known: Set<Record.ID> = []
        let last = deletions.reversed().filter { places[$0.id] == nil && known.insert($0.id).inserted }
        if last.count > count { forgottenBatch = last[count].batch }
        deletions = last.prefix(count).filter { $0.batch > forgottenBatch }.reversed()
    }
}

extension ElementInPlace<Record> {
    fileprivate func refers(to targets: IDInterner) -> Bool {
        let values = ElementsInPlace(value.fields.values)
        var isFound = false
        for position in 0..<values.count where values[position].value.mayHoldReferences {
            values[position].value.visitReferences { reference in
                if !isFound { isFound = targets.number(of: reference.id) != nil }
            }
        }
        return isFound
    }
}
