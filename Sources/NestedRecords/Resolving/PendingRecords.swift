struct Origin {
    var record: Int32 = -1
    var field: Int32 = 0
    var depth: Int32 = 1
}

struct PendingRecords {
    private(set) var ids: [Record.ID] = []
    private(set) var hashes: ContiguousArray<UInt64> = []
    private(set) var origins: ContiguousArray<Origin> = []
    private var index = RecordIndex.empty

    var isEmpty: Bool { ids.isEmpty }

    mutating func insert(_ id: Record.ID, hash: UInt64, _ origin: Origin) {
        guard position(of: id, hash: hash) == nil else { return }
        index.insert(hash, at: ids.count)
        ids.append(id)
        hashes.append(hash)
        origins.append(origin)
    }

    func position(of id: Record.ID, hash: UInt64) -> Int? { index.find(hash) { ids[$0] == id } }
}
