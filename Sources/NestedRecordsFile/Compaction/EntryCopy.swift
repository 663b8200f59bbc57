import NestedRecords

/// Copies the entries of a moment from one file to a new one: the newest versions of all records, and the deletions that are
/// to be remembered.
struct EntryCopy: ~Copyable {
    /// About how many bytes of entries a block has.
    ///
    /// A search for a change begins at a block. A header of 48 bytes makes little of that.
    static let blockSize = 64 << 10

    private let source: CompactionSource
    private let file: StorageFile
    private var output: BlockOutput

    /// How many of the places were copied, and how many of the deletions.
    private var copiedCount = 0
    private var deletionCount = 0

    private(set) var index = FileIndex()

    /// Of those types that there are records of.
    private(set) var types: TypeTable
    private(set) var end: Int
    private var position: UInt64 = 0

    /// The position before the first entry of the block.
    private var blockPosition: UInt64?

    init(from source: CompactionSource, to file: StorageFile, seed: UInt64, at start: Int) {
        (self.source, self.file, end) = (source, file, start)
        types = TypeTable(seed: seed)
        output = BlockOutput(file: file, seed: seed, at: start)
    }

    /// Copies all entries.
    ///
    /// - Parameter check: Called behind each block with its end.
    mutating func copyAll(_ check: (Int) throws -> Void) throws {
        if source.hasBatches { try copyBatches(check) } else { try copyRecords(check) }
        if output.end > output.start + BlockHeader.size { try finishBlock() }
        try check(end)
    }

    /// Copies the batches of the old file, without what has become old of them.
    private mutating func copyBatches(_ check: (Int) throws -> Void) throws {
        var cursor = BlockCursor(source.file, seed: source.types.seed, source.blocks, .fail)
        // Whether an entry of the batch was copied.
        var hasCopied = false
        while let block = try cursor.next() {
            guard block.isBatch else { continue }
            try cursor.forEachEntry(of: block) { entry in
                if entry.beginsBatch { hasCopied = false }
                guard entry.kind?.isDeletion == true ? isNextDeletion(entry.offset) : isNext(entry.offset) else {
                    return true
                }
                try entry.read { content in
                    position = try entry.position(content) ?? position
                    try copy(content, at: position, continuesBatch: hasCopied)
                    hasCopied = true
                }
                return true
            }
            if output.end - end >= Self.blockSize {
                try finishBlock()
                try check(end)
            }
        }
    }

    private func isNextDeletion(_ offset: Int) -> Bool {
        deletionCount < source.deletions.count && source.deletions[deletionCount] == offset
    }

    private func isNext(_ offset: Int) -> Bool {
        copiedCount < source.places.count && EntryLocation.offset(source.places[copiedCount]) == offset
    }

    /// Copies the records alone, where it is not known which batches they came with.
    private mutating func copyRecords(_ check: (Int) throws -> Void) throws {
        var reader = EntryReader(seed: source.types.seed)
        let wanted = source.places.map { EntryReader.Wanted(place: $0, number: 0) }
        try reader.forEachEntry(at: wanted, in: source.file) { _, entry, _ in
            try copy(entry, at: 0, continuesBatch: false)
            if output.end - end >= Self.blockSize {
                try finishBlock()
                try check(end)
            }
        }
    }

    private mutating func copy(_ entry: EntryReader.Entry, at position: UInt64, continuesBatch: Bool) throws {
        let isDeletion = entry.kind.isDeletion
        var copy = EntryReader.Entry(
            kind: LogEntry.Kind(isDeletion: isDeletion, isCopied: true, continuesBatch: continuesBatch),
            body: entry.body)
        if isDeletion { copy.number = position }
        let place = try output.append(copy).place
        if isDeletion {
            deletionCount += 1
        } else {
            index.insert(types.makeKey(of: try RecordReader.id(from: entry.body)), at: place)
            copiedCount += 1
        }
        blockPosition = blockPosition ?? (position == 0 ? 0 : position - 1)
    }

    private mutating func finishBlock() throws {
        try output.finish(sequence: blockPosition ?? 0, durableEnd: end)
        end = output.end
        output = BlockOutput(file: file, seed: types.seed, at: end)
        blockPosition = nil
    }
}
