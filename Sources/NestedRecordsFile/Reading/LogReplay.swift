import NestedRecords

/// Goes through the blocks of a record file, and finds out where each record is.
struct LogReplay {
    private let file: StorageFile
    private let head: FileHead
    private var size: Int

    private var seed: UInt64 { head.seed }

    /// How much of the file is known to have been acknowledged.
    private let durableEnd: Int

    private(set) var index = FileIndex()
    private(set) var types: TypeTable
    private(set) var liveBytes = 0
    private(set) var sequence: UInt64 = 0

    /// How much of the file the saved index speaks of, and the size of that index.
    private(set) var indexedEnd: Int
    private(set) var indexSize = 0

    /// Behind the last whole block.
    private(set) var end: Int

    /// A block, and where it is.
    struct Block: Equatable {
        let offset: Int
        let header: BlockHeader
    }

    /// The last whole block; nil if there is none, or it was not read here.
    private(set) var lastBlock: Block?

    /// Whether the last block was written without waiting for the disk: then others before it may not be there.
    private var isRelaxed = false

    /// Whether another process may be writing what is behind the end, however long it is.
    private var isBeingWritten = false

    /// How far it was searched before for what proves that what is behind the end is damaged.
    private var searchedEnd = 0

    private var window: BufferedReader
    private var olderEntries: EntryReader

    /// - Parameters:
    ///   - file: The file.
    ///   - head: What is before its blocks.
    ///   - size: Where to take the file for ended.
    init(file: StorageFile, head: FileHead, size: Int) throws {
        self.file = file
        self.head = head
        self.size = size
        durableEnd = Int(clamping: head.state.durableEnd)
        guard durableEnd <= size else {
            throw FileRecordDatabaseError.corrupt(
                path: file.path, offset: size, what: "the file is shorter than the \(durableEnd) bytes it once had")
        }
        types = TypeTable(seed: head.seed)
        window = BufferedReader(file: file, end: size)
        olderEntries = EntryReader(seed: head.seed)
        (end, indexedEnd) = (FileHeader.batchesStart, FileHeader.batchesStart)
        // Without a complete saved index the blocks alone say everything.
        let offset = Int(clamping: head.state.indexOffset)
        if offset > 0, let saved = try SavedIndex(file, head.seed, at: offset, size) {
            (index, types, liveBytes, end, sequence) = (
                saved.index, saved.types, saved.liveBytes, saved.end, saved.sequence
            )
            (indexedEnd, indexSize) = (saved.end, saved.end - offset)
            lastBlock = try header(at: offset).map { Block(offset: offset, header: $0) }
        }
    }

    /// Goes on behind a saved index, whose contents are known.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - head: What is before its blocks.
    ///   - saved: The index.
    init(file: StorageFile, head: FileHead, behind saved: SavedIndex) {
        (self.file, self.head, size) = (file, head, saved.end)
        (index, types, liveBytes, sequence) = (saved.index, saved.types, saved.liveBytes, saved.sequence)
        (end, indexedEnd, durableEnd) = (saved.end, saved.end, 0)
        window = BufferedReader(file: file, end: size)
        olderEntries = EntryReader(seed: head.seed)
    }

    /// Goes on behind what readers of a file see, whose index it takes until it gives it back.
    init(file: StorageFile, head: FileHead, taking view: inout LogStore.View) {
        (self.file, self.head, size) = (file, head, view.end)
        (index, types, liveBytes) = (view.index, view.types, view.liveBytes)
        (end, indexedEnd, durableEnd, lastBlock) = (view.end, view.end, 0, view.lastBlock)
        isBeingWritten = true
        window = BufferedReader(file: file, end: size)
        olderEntries = EntryReader(seed: head.seed)
        view.index = FileIndex()
    }

    /// Shows readers what was found.
    mutating func give(to view: inout LogStore.View) {
        (view.types, view.liveBytes, view.end, view.lastBlock) = (types, liveBytes, end, lastBlock)
        view.index = takeIndex()
    }

    /// Reads the blocks that were added since, up to an offset.
    ///
    /// - Parameter searchedEnd: How far it was searched before for what proves that something is damaged.
    mutating func resume(to size: Int, searchedEnd: Int = 0) throws {
        (self.size, self.searchedEnd) = (size, searchedEnd)
        window = BufferedReader(file: file, end: size)
        try run()
    }

    /// Hands over the index, so that it is not copied when it is changed.
    mutating func takeIndex() -> FileIndex {
        defer { index = FileIndex() }
        return index
    }

    /// Reads all blocks that are left.
    ///
    /// - Throws: ``FileRecordDatabaseError/corrupt(path:offset:what:)`` at damage in what was acknowledged. Damage behind
    ///   it ends the file at ``end``.
    mutating func run() throws {
        while end < size {
            let header = try header(at: end)
            guard let header, let next = try apply(header, at: end) else { return try checkTail(header) }
            lastBlock = Block(offset: end, header: header)
            end = next
        }
    }

    private mutating func header(at offset: Int) throws -> BlockHeader? {
        guard size - offset >= BlockHeader.size else { return nil }
        let seed = seed
        return try window.withBytes(BlockHeader.size, at: offset) { BlockHeader($0, seed: seed, at: offset) }
    }

    /// Takes in a block if it is whole, and gives the place behind it.
    private mutating func apply(_ header: BlockHeader, at offset: Int) throws -> Int? {
        let start = offset + BlockHeader.size
        guard header.kind != .announcement, header.byteCount <= UInt64(size - start) else { return nil }
        let next = start + Int(header.byteCount)
        if header.kind == .history { liveBytes += next - offset }
        if header.kind == .batch {
            guard let changes = try changes(in: start..<next, header) else { return nil }
            if changes.first?.isCopied == true { liveBytes += BlockHeader.size }
            for change in changes { try apply(change) }
            sequence = header.sequence &+ UInt64(header.count)
            isRelaxed = header.durableEnd < UInt64(offset)
        }
        return next
    }

    /// A record of a batch: its key, and where it is now; 0 for nowhere.
    private struct Change {
        let key: UInt64
        let place: UInt64
        let entry: UInt64

        /// Whether a compaction has copied it.
        let isCopied: Bool
    }

    /// What a batch changes; nil if one of its entries is not whole.
    private mutating func changes(in range: Range<Int>, _ header: BlockHeader) throws -> [Change]? {
        var changes: [Change] = []
        var digest: UInt64 = 0
        var offset = range.lowerBound
        while offset < range.upperBound {
            guard let length = try window.entryLength(at: offset, end: range.upperBound) else { return nil }
            let (seed, path) = (seed, file.path)
            var id: (kind: LogEntry.Kind, id: Record.ID)?
            try window.withBytes(length, at: offset) { bytes in
                guard let entry = try? EntryReader.entry(bytes, seed: seed, at: offset, path: path) else { return }
                digest = BlockHeader.digest(digest, bytes.fixed(UInt32.self, at: 4))
                id = try? (entry.kind, RecordReader.id(from: entry.body))
            }
            guard let (kind, id) = id else { return nil }
            let place = EntryLocation.make(offset: offset, length: length)
            changes.append(
                Change(
                    key: types.makeKey(of: id), place: kind.isDeletion ? 0 : place, entry: place,
                    isCopied: kind.isCopied))
            offset += length
        }
        guard changes.count == Int(header.count), digest == header.digest else { return nil }
        return changes
    }

    private mutating func apply(_ change: Change) throws {
        var candidates: [UInt64] = []
        index.forEachPlace(of: change.key) { candidates.append($0) }
        var old: UInt64?
        if !candidates.isEmpty {
            let id = try olderEntries.read(change.entry, in: file) { entry, _ in try RecordReader.id(from: entry.body) }
            for candidate in candidates where old == nil {
                let isSame = try olderEntries.read(candidate, in: file) { entry, _ in
                    try RecordReader.id(from: entry.body) == id
                }
                if isSame { old = candidate }
            }
        }
        if let old { liveBytes -= try olderEntries.length(of: old, in: file) }
        if change.place != 0 || change.isCopied { liveBytes += try olderEntries.length(of: change.entry, in: file) }
        switch (old, change.place) {
        case (let old?, 0): index.remove(change.key, at: old)
        case (let old?, let place): index.move(change.key, from: old, to: place)
        case (nil, 0): break
        case (nil, let place): index.insert(change.key, at: place)
        }
    }

    /// Whether a long batch follows whose header was being written.
    private mutating func hasTornAnnouncement() throws -> Bool {
        guard size - end >= BlockHeader.size else { return false }
        let (seed, offset) = (seed, end)
        return try window.withBytes(BlockHeader.size, at: offset) {
            BlockHeader.isTornAnnouncement($0, seed: seed, at: offset)
        }
    }

    /// Makes sure that nothing acknowledged is behind the end.
    ///
    /// - Parameter header: The header there, if that is valid.
    private mutating func checkTail(_ header: BlockHeader?) throws {
        func damage(_ what: String) -> FileRecordDatabaseError { .corrupt(path: file.path, offset: end, what: what) }
        let acknowledged = "a batch that was acknowledged"
        if end < durableEnd { throw damage(acknowledged) }
        if try window.hasProof(from: end, seed: seed, searchedEnd: searchedEnd) { throw damage(acknowledged) }
        // A state is written when no batch is being written, and all before it is durable.
        if head.hasDamagedState { throw damage("a batch, and a state of the file is damaged too") }
        // A valid header tells that what is behind it was being written, however long it is.
        guard !isRelaxed, !isBeingWritten, header == nil, try !hasTornAnnouncement() else { return }
        if size - end > BlockOutput.longestUnannounced { throw damage("more than one batch can leave unfinished") }
    }
}

extension LogStore.View {
    /// Shows readers a file that was read anew.
    mutating func take(_ replay: LogReplay) {
        (index, types, liveBytes) = (replay.index, replay.types, replay.liveBytes)
        (end, lastBlock) = (replay.end, replay.lastBlock)
        generation += 1
    }
}
