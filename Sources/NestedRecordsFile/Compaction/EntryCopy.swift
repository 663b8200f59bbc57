@_spi(Engines) import NestedRecords

/// Copies the entries of one moment from one file to a new one: the newest versions of all records, and the deletions
/// to keep.
struct EntryCopy: ~Copyable {
    /// The approximate number of bytes of the entries in a block.
    ///
    /// A search for a change begins at a block. The header of 48 bytes is small compared with that.
    static let blockSize = 64 << 10

    private let source: CompactionSource
    private let file: StorageFile
    private var output: BlockOutput
    private var copiedCount = 0
    private var deletionCount = 0
    private(set) var index = FileIndex()
    private(set) var types: TypeTable
    private(set) var end: Int
    private var position: UInt64 = 0
    private var blockPosition: UInt64?

    init(from source: CompactionSource, to file: StorageFile, seed: UInt64, at start: Int) {
        (self.source, self.file, end) = (source, file, start)
        types = TypeTable(seed: seed)
        output = BlockOutput(file: file, seed: seed, at: start)
    }

    /// - Parameter check: Called after each block with its end.
    mutating func copyAll(_ check: (Int) throws -> Void) throws {
        if source.hasBatches { try copyBatches(check) } else { try copyRecords(check) }
        if output.end > output.start + BlockHeader.size { try finishBlock() }
        try check(end)
    }

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
            index.insert(try types.makeKey(of: RecordReader.id(from: entry.body)), at: place)
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
