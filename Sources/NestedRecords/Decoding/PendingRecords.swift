/// The reference that led to a record: the position of the record that holds it, and that of the field.
struct Origin {
    var record: Int32 = -1
    var field: Int32 = 0

    /// How many records there are from the root to the one that it led to.
    var depth: Int32 = 1
}

/// Records to fetch, each once, in the order in which they were met.
struct PendingRecords {
    private(set) var ids: ContiguousArray<Record.ID> = []
    private(set) var origins: ContiguousArray<Origin> = []
    private var index = RecordIndex()

    var isEmpty: Bool { ids.isEmpty }

    mutating func insert(_ id: Record.ID, _ origin: Origin) {
        let hash = RecordIndex.hash(of: id)
        guard index.find(hash, where: { ids[$0] == id }) == nil else { return }
        index.insert(hash, at: ids.count)
        ids.append(id)
        origins.append(origin)
    }
}
