import NestedRecords

/// Goes through the blocks of a record file, and finds out where each record is.
struct LogReplay {
    private let file: StorageFile
    private let seed: UInt64
    private let size: Int

    /// How much of the file is known to have been acknowledged.
    private let durableEnd: Int

    private(set) var index = FileIndex()
    private(set) var types: TypeTable
    private(set) var liveBytes = 0
    private(set) var sequence: UInt64 = 0

    /// How much of the file the saved index speaks of, and the size of that index.
    private(set) var indexedEnd = FileHeader.size
    private(set) var indexSize = 0

    /// Behind the last whole block.
    private(set) var end = FileHeader.size

    private var window: BufferedReader
    private var olderEntries: EntryReader

    init(file: StorageFile, seed: UInt64, size: Int, state: LogState) throws {
        self.file = file
        self.seed = seed
        self.size = size
        durableEnd = Int(clamping: state.durableEnd)
        guard durableEnd <= size else {
            throw FileRecordDatabaseError.corrupt(
                path: file.path, offset: size, what: "the file is shorter than the \(durableEnd) bytes it once had")
        }
        types = TypeTable(seed: seed)
        window = BufferedReader(file: file, end: size)
        olderEntries = EntryReader(seed: seed)
        // Without a complete saved index the blocks alone say everything.
        if state.indexOffset > 0, let saved = try SavedIndex(file, seed, at: Int(clamping: state.indexOffset), size) {
            (index, types, liveBytes, end, sequence) = (
                saved.index, saved.types, saved.liveBytes, saved.end, saved.sequence
            )
            indexedEnd = saved.end
            indexSize = saved.end - Int(clamping: state.indexOffset)
        }
    }

    /// Reads all blocks that are left.
    ///
    /// - Throws: ``FileRecordDatabaseError/corrupt(path:offset:what:)`` at damage in what was acknowledged. Damage behind
    ///   it ends the file at ``end``.
    mutating func run() throws {
        while end < size {
            guard let head = try head(at: end), let next = try apply(head, at: end) else {
                return try checkTail()
            }
            end = next
        }
    }

    private mutating func head(at offset: Int) throws -> BlockHeader? {
        guard size - offset >= BlockHeader.size else { return nil }
        let seed = seed
        return try window.withBytes(BlockHeader.size, at: offset) { BlockHeader($0, seed: seed, at: offset) }
    }

    /// Takes in a block if it is whole, and gives the place behind it.
    private mutating func apply(_ head: BlockHeader, at offset: Int) throws -> Int? {
        let start = offset + BlockHeader.size
        guard head.byteCount <= UInt64(size - start) else { return nil }
        let next = start + Int(head.byteCount)
        if head.kind == .batch {
            guard let changes = try changes(in: start..<next, head) else { return nil }
            for change in changes { try apply(change) }
            sequence = head.sequence &+ UInt64(head.count)
        }
        return next
    }

    /// A record of a batch: its key, and where it is now; 0 for nowhere.
    private struct Change {
        let key: UInt64
        let place: UInt64
        let entry: UInt64
    }

    /// What a batch changes; nil if one of its entries is not whole.
    private mutating func changes(in range: Range<Int>, _ head: BlockHeader) throws -> [Change]? {
        var changes: [Change] = []
        var digest: UInt64 = 0
        var offset = range.lowerBound
        while offset < range.upperBound {
            guard let length = try window.entryLength(at: offset, end: range.upperBound) else { return nil }
            let (seed, path) = (seed, file.path)
            var id: (kind: UInt8, id: Record.ID)?
            try window.withBytes(length, at: offset) { bytes in
                guard let entry = try? EntryReader.entry(bytes, seed: seed, at: offset, path: path) else { return }
                digest = BlockHeader.digest(digest, bytes.fixed(UInt32.self, at: 4))
                id = try? (entry.kind, RecordReader.id(from: entry.body))
            }
            guard let (kind, id) = id, kind == LogEntry.save || kind == LogEntry.delete else { return nil }
            let place = EntryLocation.make(offset: offset, length: length)
            changes.append(Change(key: types.makeKey(of: id), place: kind == LogEntry.save ? place : 0, entry: place))
            offset += length
        }
        guard changes.count == Int(head.count), digest == head.digest else { return nil }
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
        if change.place != 0 { liveBytes += try olderEntries.length(of: change.place, in: file) }
        switch (old, change.place) {
        case (let old?, 0): index.remove(change.key, at: old)
        case (let old?, let place): index.move(change.key, from: old, to: place)
        case (nil, 0): break
        case (nil, let place): index.insert(change.key, at: place)
        }
    }

    /// Makes sure that nothing acknowledged is behind the end.
    private mutating func checkTail() throws {
        let damage = FileRecordDatabaseError.corrupt(
            path: file.path, offset: end, what: "a batch that was acknowledged")
        if end < durableEnd { throw damage }
        let end = end
        let later = try window.nextHeader(from: end + 1, seed: seed) { $0.durableEnd > UInt64(end) }
        if later != nil { throw damage }
    }
}
