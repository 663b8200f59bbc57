/// The records from which values were decoded.
struct ResolvedRecords: Sendable {
    let roots: [Record.ID]
    private(set) var records: ContiguousArray<Record>
    private(set) var index: RecordIndex

    init(roots: [Record.ID], records: ContiguousArray<Record>, index: RecordIndex) {
        self.roots = roots
        self.records = records
        self.index = index
    }

    init(roots: [Record.ID], records: ContiguousArray<Record>) {
        self.init(roots: roots, records: records, index: RecordIndex())
        for position in records.indices { index.insert(RecordIndex.hash(of: records[position].id), at: position) }
    }

    subscript(id: Record.ID) -> Record? { index.position(of: id, in: records).map { records[$0] } }

    mutating func update(_ newRecords: [Record]) {
        for record in newRecords {
            if let position = index.position(of: record.id, in: records) {
                records[position] = record
            } else {
                index.insert(RecordIndex.hash(of: record.id), at: records.count)
                records.append(record)
            }
        }
    }

    /// Gives records the metadata of their saves.
    mutating func setMetadata(_ metadata: [Record.ID: Record.Metadata]) {
        for (id, saved) in metadata {
            if let position = index.position(of: id, in: records) { records[position].metadata = saved }
        }
    }

    mutating func remove(_ ids: Set<Record.ID>) {
        if ids.isEmpty { return }
        let kept = records.filter { !ids.contains($0.id) }
        (records, index) = ([], RecordIndex())
        update(Array(kept))
    }
}
