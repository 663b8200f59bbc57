/// The lists of a database for the feeds of readers: which records have which audience values, and which had them.
///
/// For each record and value it has an entry, with the number of the record's last change and the number at which the
/// value was added; for each removed value a departure. It knows the values of each record itself, so that a departure is
/// always that of the version before, and not of one that was read.
package struct AudienceIndex: Sendable {
    /// A record that has lost a value.
    package struct Departure: Sendable, Hashable {
        package let id: Record.ID
        package let number: UInt64

        /// Whether the record was deleted.
        package let isDeletion: Bool

        package init(id: Record.ID, number: UInt64, isDeletion: Bool) {
            (self.id, self.number, self.isDeletion) = (id, number, isDeletion)
        }
    }

    private struct Value {
        let list: Int

        /// The number of the change that has added the value.
        var added: UInt64
    }

    private struct Slot {
        var id: Record.ID
        var change: UInt64
        var values: [Value]
    }

    private struct Change {
        let number: UInt64
        let slot: Int
    }

    /// The records of one value.
    private struct List {
        var key: AudienceKey

        /// In the order of the numbers.
        ///
        /// Earlier changes of a record remain until they are the majority.
        var changes: [Change] = []

        /// The number of records that have the value now.
        var count = 0

        /// In the order of the numbers; the first ones may be forgotten.
        var departures: [Departure] = []
        var forgottenCount = 0

        var isEmpty: Bool { count == 0 && departures.count == forgottenCount }
    }

    private var slots: [Slot] = []
    private var freeSlots: [Int] = []
    private var numbers: [Record.ID: Int] = [:]
    private var lists: [List] = []
    private var freeLists: [Int] = []
    private var listNumbers: [AudienceKey: Int] = [:]

    /// The lists of all departures, in the order of their numbers; the first ones are forgotten.
    private var departed: [Int] = []
    private var forgottenCount = 0
    private let maximumDepartureCount: Int

    /// The number of the last departure that is forgotten.
    package private(set) var purgedNumber: UInt64 = 0

    package init(maximumDepartureCount: Int) { self.maximumDepartureCount = max(0, maximumDepartureCount) }

    /// Whether a record has a value.
    func has(_ id: Record.ID) -> Bool { numbers[id] != nil }

    /// The number of the last change of a record; nil for one without a value.
    func change(of id: Record.ID) -> UInt64? { numbers[id].map { slots[$0].change } }

    /// The number of departures that are known.
    package var departureCount: Int { departed.count - forgottenCount }
}

// MARK: Changing

extension AudienceIndex {
    /// Notes a change of a record.
    ///
    /// - Parameters:
    ///   - id: The record.
    ///   - keys: Its values after the change, each once.
    ///   - isDeletion: Whether the record was deleted.
    ///   - number: The number of the batch, which is not smaller than that of any change before.
    package mutating func change(_ id: Record.ID, to keys: [AudienceKey], isDeletion: Bool = false, at number: UInt64) {
        let known = numbers[id]
        if known == nil, keys.isEmpty { return }
        let slot = known ?? makeSlot(for: id)
        let former = slots[slot].values
        var values: [Value] = []
        values.reserveCapacity(keys.count)
        for key in keys {
            let list = listNumber(of: key)
            let kept = former.first { $0.list == list }
            values.append(Value(list: list, added: kept?.added ?? number))
            if kept == nil { lists[list].count += 1 }
            lists[list].changes.append(Change(number: number, slot: slot))
        }
        (slots[slot].change, slots[slot].values) = (number, values)
        for value in former where !values.contains(where: { $0.list == value.list }) {
            lists[value.list].count -= 1
            depart(id, from: value.list, isDeletion, at: number)
        }
        if values.isEmpty { remove(slot) }
        for value in values { removeFormerChanges(of: value.list) }
    }

    /// Forgets a record without a departure.
    package mutating func forget(_ id: Record.ID) {
        guard let slot = numbers[id] else { return }
        let values = slots[slot].values
        slots[slot].values = []
        remove(slot)
        for value in values {
            lists[value.list].count -= 1
            removeFormerChanges(of: value.list)
            removeIfEmpty(value.list)
        }
    }

    /// Notes a departure that is known from elsewhere; they come in the order of their numbers.
    package mutating func note(_ departure: Departure, of key: AudienceKey) {
        depart(departure.id, from: listNumber(of: key), departure.isDeletion, at: departure.number)
    }

    /// Sets the number at which a value was added that the record has.
    package mutating func setAdded(_ key: AudienceKey, of id: Record.ID, to number: UInt64) {
        guard let slot = numbers[id], let list = listNumbers[key],
            let position = slots[slot].values.firstIndex(where: { $0.list == list })
        else { return }
        slots[slot].values[position].added = number
    }

    /// Notes that departures up to a number are not known.
    mutating func forgetDepartures(until number: UInt64) { purgedNumber = max(purgedNumber, number) }

    private mutating func makeSlot(for id: Record.ID) -> Int {
        let new = Slot(id: id, change: 0, values: [])
        let slot = freeSlots.popLast() ?? slots.count
        if slot < slots.count { slots[slot] = new } else { slots.append(new) }
        numbers[id] = slot
        return slot
    }

    private mutating func remove(_ slot: Int) {
        numbers[slots[slot].id] = nil
        freeSlots.append(slot)
    }

    private mutating func listNumber(of key: AudienceKey) -> Int {
        if let number = listNumbers[key] { return number }
        let number = freeLists.popLast() ?? lists.count
        if number < lists.count { lists[number] = List(key: key) } else { lists.append(List(key: key)) }
        listNumbers[key] = number
        return number
    }

    private mutating func removeIfEmpty(_ list: Int) {
        guard lists[list].isEmpty, listNumbers[lists[list].key] == list else { return }
        listNumbers[lists[list].key] = nil
        lists[list] = List(key: lists[list].key)
        freeLists.append(list)
    }

    private mutating func depart(_ id: Record.ID, from list: Int, _ isDeletion: Bool, at number: UInt64) {
        lists[list].departures.append(Departure(id: id, number: number, isDeletion: isDeletion))
        departed.append(list)
        while departureCount > maximumDepartureCount { forgetFirstDeparture() }
        if forgottenCount > 64, 2 * forgottenCount > departed.count {
            departed.removeFirst(forgottenCount)
            forgottenCount = 0
        }
        removeFormerChanges(of: list)
    }

    private mutating func forgetFirstDeparture() {
        let list = departed[forgottenCount]
        forgottenCount += 1
        purgedNumber = max(purgedNumber, lists[list].departures[lists[list].forgottenCount].number)
        lists[list].forgottenCount += 1
        if lists[list].forgottenCount > 64, 2 * lists[list].forgottenCount > lists[list].departures.count {
            lists[list].departures.removeFirst(lists[list].forgottenCount)
            lists[list].forgottenCount = 0
        }
        removeIfEmpty(list)
    }

    private func isLast(_ change: Change, of list: Int) -> Bool {
        let slot = slots[change.slot]
        return slot.change == change.number && slot.values.contains { $0.list == list }
    }

    private mutating func removeFormerChanges(of list: Int) {
        guard lists[list].changes.count > 2 * lists[list].count + 16 else { return }
        lists[list].changes = lists[list].changes.filter { isLast($0, of: list) }
    }
}

// MARK: Reading

extension AudienceIndex: AudienceLists {
    package func changes(of key: AudienceKey, since start: UInt64, limit: Int) -> [(id: Record.ID, number: UInt64)] {
        guard let list = listNumbers[key] else { return [] }
        var found: [(id: Record.ID, number: UInt64)] = []
        let changes = lists[list].changes
        let first = changes.firstPlace(after: start) { $0.number }
        for change in changes[first...] where isLast(change, of: list) {
            found.append((slots[change.slot].id, change.number))
            if found.count > limit, found[limit - 1].number != change.number { break }
        }
        return found
    }

    package func departures(from key: AudienceKey, since start: UInt64, limit: Int) -> [Departure] {
        guard let list = listNumbers[key] else { return [] }
        var found: [Departure] = []
        let departures = lists[list].departures
        let first = max(lists[list].forgottenCount, departures.firstPlace(after: start) { $0.number })
        for departure in departures[first...] {
            found.append(departure)
            if found.count > limit, found[limit - 1].number != departure.number { break }
        }
        return found
    }

    package func records(of key: AudienceKey) -> [(id: Record.ID, added: UInt64)] {
        guard let list = listNumbers[key] else { return [] }
        return lists[list].changes.compactMap { change in
            guard isLast(change, of: list) else { return nil }
            let slot = slots[change.slot]
            return slot.values.first { $0.list == list }.map { (slot.id, $0.added) }
        }
    }

    /// The number at which a record got a value that it has; nil if it does not have it.
    func added(_ key: AudienceKey, to id: Record.ID) -> UInt64? {
        guard let slot = numbers[id], let list = listNumbers[key] else { return nil }
        return slots[slot].values.first { $0.list == list }?.added
    }

    /// All departures that are known, with their values, in the order of their numbers.
    package var allDepartures: [(key: AudienceKey, departure: Departure)] {
        var next = lists.map(\.forgottenCount)
        return departed[forgottenCount...].map { list in
            defer { next[list] += 1 }
            return (lists[list].key, lists[list].departures[next[list]])
        }
    }

    /// All values of all records, with the numbers at which they were added, in no order.
    package var allValues: [(id: Record.ID, key: AudienceKey, added: UInt64)] {
        numbers.values.flatMap { slot in
            slots[slot].values.map { (slots[slot].id, lists[$0.list].key, $0.added) }
        }
    }
}

extension Array {
    /// The position of the first element whose number is greater; the elements are in the order of their numbers.
    fileprivate func firstPlace(after number: UInt64, numberOf: (Element) -> UInt64) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = low + (high - low) / 2
            if numberOf(self[middle]) > number { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
