/// Records, those of each type beside each other, so that a query looks at them without searching.
struct RecordLists {
    private struct Place {
        let list: Int
        let position: Int
    }

    private var lists: [ContiguousArray<Record>] = []
    private var numbers: [String: Int] = [:]
    private var places: [Record.ID: Place] = [:]

    var count: Int { places.count }

    /// The record with an ID.
    subscript(id: Record.ID) -> Record? { places[id].map { lists[$0.list][$0.position] } }

    /// The records of a type, in no order.
    func records(ofType type: String) -> ContiguousArray<Record> { numbers[type].map { lists[$0] } ?? [] }

    func count(ofType type: String) -> Int { numbers[type].map { lists[$0].count } ?? 0 }

    /// All records, in no order.
    var all: some Sequence<Record> { lists.lazy.joined() }

    mutating func set(_ record: Record) {
        if let place = places[record.id] {
            lists[place.list][place.position] = record
            return
        }
        let list = number(ofType: record.id.type)
        places[record.id] = Place(list: list, position: lists[list].count)
        lists[list].append(record)
    }

    private mutating func number(ofType type: String) -> Int {
        if let number = numbers[type] { return number }
        numbers[type] = lists.count
        lists.append([])
        return lists.count - 1
    }

    /// Removes a record; the last one of its type takes its place.
    mutating func remove(_ id: Record.ID) {
        guard let place = places.removeValue(forKey: id), let last = lists[place.list].popLast() else { return }
        guard place.position < lists[place.list].count else { return }
        lists[place.list][place.position] = last
        places[last.id] = place
    }
}
