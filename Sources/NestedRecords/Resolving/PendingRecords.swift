/// The reference that led to a record: the position of the record that holds it, and that of the field.
struct Origin {
    var record: Int32 = -1
    var field: Int32 = 0

    /// How many records there are from the root to the one that it led to.
    var depth: Int32 = 1
}

/// Records to fetch, each once, in the order in which they were met.
struct PendingRecords {
    private(set) var ids: [Record.ID] = []
    private(set) var hashes: ContiguousArray<UInt64> = []
    private(set) var origins: ContiguousArray<Origin> = []
    private var index = RecordIndex.empty

    var isEmpty: Bool { ids.isEmpty }

    /// Adds a record unless it is there already.
    ///
    /// - Parameters:
    ///   - id: The record's ID.
    ///   - hash: The ID's hash.
    ///   - origin: Where the reference to it is.
    mutating func insert(_ id: Record.ID, hash: UInt64, _ origin: Origin) {
        guard position(of: id, hash: hash) == nil else { return }
        index.insert(hash, at: ids.count)
        ids.append(id)
        hashes.append(hash)
        origins.append(origin)
    }

    /// The position of a record, nil if it is not there.
    func position(of id: Record.ID, hash: UInt64) -> Int? { index.find(hash) { ids[$0] == id } }
}
