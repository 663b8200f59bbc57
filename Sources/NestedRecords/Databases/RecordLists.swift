/// Records grouped by type in contiguous storage, so that a query examines a type without look-ups.
struct RecordLists {
    private struct Place {
        let list: Int
        let position: Int
        var slot = ChangeHistory.Slot.none
    }

    private var lists: [ContiguousArray<Record>] = []
    private var numbers: [String: Int] = [:]
    private var places: [Record.ID: Place] = [:]

    var count: Int { places.count }

    subscript(id: Record.ID) -> Record? { places[id].map { lists[$0.list][$0.position] } }

    func records(ofType type: String) -> ContiguousArray<Record> { numbers[type].map { lists[$0] } ?? [] }

    func count(ofType type: String) -> Int { numbers[type].map { lists[$0].count } ?? 0 }

    var all: some Sequence<Record> { lists.lazy.joined() }

    mutating func set(_ record: Record, history: inout ChangeHistory?) {
        if let index = places.index(forKey: record.id) {
            let place = places.values[index]
            lists[place.list][place.position] = record
            guard let slot = history?.save(record.id, at: place.slot) else { return }
            if place.slot.isNone { places.values[index].slot = slot }
            return
        }
        let list = number(ofType: record.id.type)
        let slot = history?.save(record.id, at: .none) ?? .none
        places[record.id] = Place(list: list, position: lists[list].count, slot: slot)
        lists[list].append(record)
    }

    private mutating func number(ofType type: String) -> Int {
        if let number = numbers[type] { return number }
        numbers[type] = lists.count
        lists.append([])
        return lists.count - 1
    }

    /// Removes a record; the last record of its type moves to its position.
    mutating func remove(_ id: Record.ID, history: inout ChangeHistory?) {
        guard let place = places.removeValue(forKey: id), let last = lists[place.list].popLast() else { return }
        history?.delete(id, at: place.slot)
        guard place.position < lists[place.list].count else { return }
        lists[place.list][place.position] = last
        if let index = places.index(forKey: last.id) {
            places.values[index] = Place(list: place.list, position: place.position, slot: places.values[index].slot)
        }
    }
}
