/// Record IDs, numbered in the order of their first use.
struct IDInterner {
    private(set) var ids: ContiguousArray<Record.ID> = []
    private var index = RecordIndex()

    init(_ ids: some Sequence<Record.ID> = []) {
        for id in ids { insert(id) }
    }

    init(capacity: Int) {
        ids.reserveCapacity(capacity)
        index = RecordIndex(capacity: capacity)
    }

    var count: Int { ids.count }

    @inline(__always)
    func number(_ hash: UInt64, where isSame: (Record.ID) -> Bool) -> Int? {
        index.find(hash) { isSame(ids[$0]) }
    }

    func number(of id: Record.ID) -> Int? {
        index.find(RecordIndex.hash(of: id)) { ids[$0] == id }
    }

    @discardableResult
    mutating func insert(_ id: Record.ID) -> Int {
        let hash = RecordIndex.hash(of: id)
        if let number = index.find(hash, where: { ids[$0] == id }) { return number }
        index.insert(hash, at: ids.count)
        ids.append(id)
        return ids.count - 1
    }

    mutating func insert(_ ids: [Record.ID]) {
        for id in ids { insert(id) }
    }
}
