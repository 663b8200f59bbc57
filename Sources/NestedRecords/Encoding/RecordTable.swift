struct RecordTable: ~Copyable {
    /// The records in the order in which they began; their fields follow when they are complete.
    private(set) var records = GrowingList<Record>()
    private var states = GrowingList<RecordState>()
    private var order = GrowingList<Int32>()
    private var index = RecordIndex.empty
    private var pending: [Int: [Copy]] = [:]

    /// The number of noted copies, including discarded ones.
    private var copyCount = 0

    /// The state of the table when a value begins, used to discard the additions of the value.
    struct Mark {
        let recordCount: Int
        let copyCount: Int
    }

    struct Copy {
        let number: Int
        let fields: Record.Fields
        let path: [any CodingKey]
        let cycle: RecordError?
    }

    private var namedPositions: Set<Int> = []
    private var namedInstances: [ObjectIdentifier: Int] = [:]

    private struct RecordState {
        /// The class instance that became the record.
        ///
        /// Retained, so that no other instance gets its address.
        let instance: AnyObject?
        var isComplete = false
    }

    /// The number of discarded records; each leaves a record without a type and a name.
    private var discardedCount = 0

    init() {}

    var count: Int { records.count }

    var keptCount: Int { records.count - discardedCount }

    @inline(__always)
    func position(ofType type: String, name: String, _ hash: UInt64) -> Int? {
        index.find(hash) { position in
            records[position].id.name.hasSameBytes(as: name) && records[position].id.type.hasSameBytes(as: type)
        }
    }

    /// Adds a record that does not exist yet.
    ///
    /// - Returns: Its position.
    @inline(__always)
    mutating func append(_ id: consuming Record.ID, _ hash: UInt64, instance: consuming AnyObject?) -> Int {
        let position = records.count
        index.insert(hash, at: position)
        records.append(Record(id: id, checkedFields: Record.Fields()))
        states.append(RecordState(instance: instance))
        return position
    }

    func isMade(_ position: Int, of instance: AnyObject) -> Bool { states[position].instance === instance }

    @inline(__always)
    mutating func complete(_ position: Int, with fields: consuming Record.Fields) {
        // An assignment would retain them.
        swap(&records[position].fields, &fields)
        states[position].isComplete = true
        order.append(Int32(truncatingIfNeeded: position))
    }

    func isComplete(_ position: Int) -> Bool { states[position].isComplete }

    var mark: Mark {
        @inline(__always) get { Mark(recordCount: records.count, copyCount: copyCount) }
    }

    /// Discards the additions of a value.
    ///
    /// The positions of records are not reused: information about a position stays true.
    mutating func discard(from mark: Mark) {
        if copyCount > mark.copyCount { pending = pending.mapValues { $0.filter { $0.number < mark.copyCount } } }
        let start = mark.recordCount
        for position in start..<records.count where !records[position].id.type.isEmpty {
            records[position] = Record(id: Record.ID(checkedType: "", name: ""), checkedFields: Record.Fields())
            pending[position] = nil
            discardedCount += 1
        }
        if !namedPositions.isEmpty {
            namedPositions = namedPositions.filter { $0 < start }
            namedInstances = namedInstances.filter { $0.value < start }
        }
    }

    // MARK: Copies of incomplete records

    var hasPending: Bool { !pending.isEmpty }

    mutating func notePending(
        _ position: Int, _ fields: Record.Fields, at path: [any CodingKey], cycle: RecordError?
    ) {
        pending[position, default: []].append(Copy(number: copyCount, fields: fields, path: path, cycle: cycle))
        copyCount += 1
    }

    mutating func takePending(_ position: Int) -> [Copy] {
        pending.removeValue(forKey: position) ?? []
    }

    // MARK: Made names

    mutating func noteMadeName(_ position: Int, of instance: AnyObject?) {
        namedPositions.insert(position)
        if let instance { namedInstances[ObjectIdentifier(instance)] = position }
    }

    func hasMadeName(_ position: Int) -> Bool { namedPositions.contains(position) }

    func positionWithMadeName(of instance: AnyObject) -> Int? { namedInstances[ObjectIdentifier(instance)] }

    // MARK: Metadata

    /// Sets the metadata of a record; returns false if it already has different metadata.
    mutating func note(_ metadata: Record.Metadata, of position: Int) -> Bool {
        if let known = records[position].metadata { return known == metadata }
        records[position].metadata = metadata
        return true
    }

    // MARK: The end

    mutating func takeGraph(roots: [Record.ID]) -> RecordGraph {
        if discardedCount > 0 { removeDiscarded() }
        return RecordGraph(
            roots: roots, records: records.take(keeping: Self.mostKept), index: index,
            order: order.take(keeping: Self.mostKept))
    }

    private mutating func removeDiscarded() {
        var kept = GrowingList<Record>()
        var positions: [Int32: Int32] = [:]
        index = RecordIndex(capacity: records.count)
        for position in 0..<records.count where !records[position].id.type.isEmpty {
            positions[Int32(truncatingIfNeeded: position)] = Int32(truncatingIfNeeded: kept.count)
            index.insert(RecordIndex.hash(of: records[position].id), at: kept.count)
            kept.append(records[position])
        }
        var newOrder = GrowingList<Int32>()
        for position in 0..<order.count {
            if let new = positions[order[position]] { newOrder.append(new) }
        }
        swap(&records, &kept)
        swap(&order, &newOrder)
    }

    /// The capacity for this many records takes 1.3 MB.
    private static var mostKept: Int { 16_384 }

    /// Takes over the memory of a table that is no longer used.
    mutating func reuseMemory(of former: inout Self) {
        former.records.removeAll(keeping: Self.mostKept)
        former.states.removeAll(keeping: Self.mostKept)
        former.order.removeAll(keeping: Self.mostKept)
        swap(&records, &former.records)
        swap(&states, &former.states)
        swap(&order, &former.order)
    }
}
