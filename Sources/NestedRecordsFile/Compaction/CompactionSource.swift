@_spi(Engines) import NestedRecords

struct CompactionSource {
    let file: StorageFile
    let places: [UInt64]
    let types: TypeTable
    let blocks: Range<Int>

    /// Whether the batches can be followed: parts that are no longer needed may be damaged.
    let hasBatches: Bool
    let deletions: [Int]
    let history: FileHistory.Kept

    /// Nil without a declaration.
    let audiences: FileAudiences.Kept?

    init(
        of file: StorageFile, _ places: [UInt64], _ types: TypeTable, _ blocks: Range<Int>, sequence: UInt64,
        declarations: [Record], maximumDeletionCount: Int, contains: (Record.ID) throws -> Bool
    ) throws {
        (self.file, self.places, self.types, self.blocks) = (file, places, types, blocks)
        audiences = try FileAudiences.Kept(
            of: file, seed: types.seed, until: blocks.upperBound, sequence: sequence, declarations: declarations,
            maximumDepartureCount: maximumDeletionCount)
        do {
            var history = FileHistory(OpenFile.Part(seed: types.seed, generation: 0))
            var found = DeletionSearch(places)
            try history.extend(to: blocks.upperBound, of: file) { try found.look(at: $0, in: &$1, contains) }
            guard found.hasAllPlaces else {
                throw file.damage(at: blocks.upperBound, "the length of a record")
            }
            let (kept, forgotten) = found.newest(max(0, maximumDeletionCount))
            deletions = kept.map(\.offset)
            self.history = FileHistory.Kept(
                store: history.store, purgedPosition: max(history.purgedPosition, forgotten),
                openings: history.openings)
            hasBatches = true
        } catch RecordDatabaseError.Code.corrupt {
            // The records may still be undamaged: they are read by their locations. No change so far has a greater
            // position than the next sequence number.
            let store = try FileHistory.Kept.find(in: file, seed: types.seed, blocks)?.store ?? types.seed
            history = FileHistory.Kept(
                store: store, purgedPosition: sequence,
                openings: [FileHistory.Opening(first: sequence, last: sequence)])
            (hasBatches, deletions) = (false, [])
        }
    }
}

private struct DeletionSearch {
    struct Deletion {
        let offset: Int
        let position: UInt64
        let batch: Int
        var isLast = true
    }

    /// Two hashes of an ID, so that different IDs never have the same key.
    private struct Key: Hashable {
        let first: UInt64
        let second: UInt64
    }

    private let places: [UInt64]
    private var placeCount = 0
    private var deletions: [Deletion] = []
    private var lastOnes: [Key: Int] = [:]
    private var batchCount = 0

    init(_ places: [UInt64]) { self.places = places }

    var hasAllPlaces: Bool { placeCount == places.count }

    mutating func look(
        at block: BlockCursor.Block, in cursor: inout BlockCursor, _ contains: (Record.ID) throws -> Bool
    ) throws {
        try cursor.forEachEntry(of: block) { entry in
            if entry.beginsBatch { batchCount += 1 }
            if entry.kind?.isDeletion ?? true {
                try entry.read { content in
                    guard let position = try entry.position(content) else { return }
                    let id = try RecordReader.id(from: content.body)
                    if try id.isForgottenWhenDeleted || contains(id) { return }
                    note(
                        Deletion(offset: entry.offset, position: position, batch: batchCount),
                        of: try RecordReader.idBytes(in: content.body))
                }
            } else if placeCount < places.count, EntryLocation.offset(places[placeCount]) == entry.offset {
                placeCount += 1
            }
            return true
        }
    }

    private mutating func note(_ deletion: Deletion, of id: BytesInPlace) {
        let key = Key(first: XXH64.hash(id, seed: 0), second: XXH64.hash(id, seed: 1))
        if let former = lastOnes.updateValue(deletions.count, forKey: key) { deletions[former].isLast = false }
        deletions.append(deletion)
    }

    /// The newest deletions, those of a batch together; and the position of the last one that is dropped, 0 for none.
    func newest(_ maximum: Int) -> (kept: ArraySlice<Deletion>, forgotten: UInt64) {
        let last = deletions.filter(\.isLast)
        var start = max(0, last.count - maximum)
        guard start > 0 else { return (last[...], 0) }
        while start < last.count, last[start].batch == last[start - 1].batch { start += 1 }
        return (last[start...], last[start - 1].position)
    }
}
