@_spi(Engines) import NestedRecords

/// Reads the blocks of a record file, and finds the location of each record.
///
/// It changes an index of its own, or notes the changes of the index of a view that others read at the same time.
struct LogReplay {
    private let head: FileHead
    private var cursor: BlockCursor
    private let durableEnd: Int
    private(set) var index = FileIndex()
    private(set) var types: TypeTable
    private(set) var liveBytes = 0
    private(set) var sequence: UInt64 = 0

    /// The offset up to which the saved index covers the file, and the size of that index.
    private(set) var indexedEnd: Int
    private(set) var indexSize = 0

    /// The last valid block; nil if there is none, or it was not read here.
    private(set) var lastBlock: BlockCursor.Block?

    /// The changes of the index of a view, with the new locations of the records with these keys; nil if the index is
    /// its own.
    private var changes: [IndexChange]?
    private var places: [UInt64: [UInt64]] = [:]
    private var damaged: [UInt64: (key: UInt64, id: Record.ID)] = [:]

    /// Whether the last block was written without waiting for the disk: then blocks before it may be missing.
    private var isRelaxed = false

    /// Whether another process may be writing the bytes after the end, whatever their length.
    private var isBeingWritten = false

    /// The end of an earlier search for a proof that the bytes after the end are damaged.
    private var searchedEnd = 0

    private var olderEntries: EntryReader

    private var file: StorageFile { cursor.file }
    private var size: Int { cursor.end }

    var end: Int { cursor.offset }

    init(file: StorageFile, head: FileHead, size: Int) throws {
        let durableEnd = Int(clamping: head.state.durableEnd)
        guard durableEnd <= size else {
            throw file.damage(at: size, "the file is shorter than the \(durableEnd) bytes it once had")
        }
        guard size >= FileHeader.batchesStart else {
            throw file.damage(at: size, "the file is cut off")
        }
        // Without a valid saved index all blocks are read.
        let offset = Int(clamping: head.state.indexOffset)
        if offset > 0, let saved = try SavedIndex(file, head.seed, at: offset, size) {
            self.init(file: file, head: head, after: saved, size: size, durableEnd: durableEnd)
            indexSize = saved.end - offset
            var cursor = BlockCursor(file, seed: head.seed, offset..<saved.end, .stop)
            lastBlock = try cursor.next()
        } else {
            self.init(
                file, head, FileHeader.batchesStart..<size, types: TypeTable(seed: head.seed), durableEnd: durableEnd)
        }
    }

    init(file: StorageFile, head: FileHead, after saved: SavedIndex, size: Int? = nil, durableEnd: Int = 0) {
        self.init(file, head, saved.end..<(size ?? saved.end), types: saved.types, durableEnd: durableEnd)
        (index, liveBytes, sequence) = (saved.index, saved.liveBytes, saved.sequence)
    }

    init(file: StorageFile, head: FileHead, after view: OpenFile.View, size: Int, searchedEnd: Int) {
        self.init(file, head, view.end..<size, types: view.types, durableEnd: 0)
        (index, liveBytes, lastBlock) = (view.index, view.liveBytes, view.lastBlock)
        (isBeingWritten, self.searchedEnd) = (true, searchedEnd)
        // Copying the index takes time in proportion to the number of records.
        if size - view.end < index.slots.count * MemoryLayout<FileIndex.Slot>.size { changes = [] }
    }

    private init(_ file: StorageFile, _ head: FileHead, _ blocks: Range<Int>, types: TypeTable, durableEnd: Int) {
        (self.head, self.types, self.durableEnd, indexedEnd) = (head, types, durableEnd, blocks.lowerBound)
        cursor = BlockCursor(file, seed: head.seed, blocks, .stop)
        olderEntries = EntryReader(seed: head.seed)
    }

    mutating func resume(to size: Int) throws {
        cursor.extend(to: size)
        try run()
    }

    mutating func takeIndex() -> FileIndex {
        defer { index = FileIndex() }
        return index
    }

    mutating func give(to view: inout OpenFile.View) {
        if let changes {
            // No longer held here, so that it is changed in place.
            index = FileIndex()
            for change in changes { view.index.apply(change) }
        } else {
            view.index = takeIndex()
        }
        (view.types, view.liveBytes, view.end, view.lastBlock) = (types, liveBytes, end, lastBlock)
    }

    /// - Throws: `RecordDatabaseError.corrupt` at damage in acknowledged data. Damage after it ends the file at ``end``.
    /// Damage in a version that a later one has superseded is ignored.
    mutating func run() throws {
        while let block = try cursor.next() {
            guard try apply(block) else {
                cursor.goBack(to: block)
                break
            }
            lastBlock = block
        }
        if end < size { try checkTail() }
        for (place, entry) in damaged.sorted(by: { $0.key < $1.key }) where isPlace(place, of: entry.key) {
            throw file.damage(at: EntryLocation.offset(place), "a record that was acknowledged")
        }
    }

    private func isPlace(_ place: UInt64, of key: UInt64) -> Bool {
        places[key]?.contains(place) ?? index.contains(key, at: place)
    }

    private mutating func apply(_ block: BlockCursor.Block) throws -> Bool {
        let header = block.header
        if header.kind == .history || header.kind == .audiences {
            liveBytes += block.contents.upperBound - block.offset
        }
        guard header.kind == .batch else { return true }
        guard let entries = try entries(of: block) else { return false }
        if entries.first?.kind.isCopied == true { liveBytes += BlockHeader.size }
        for entry in entries { try apply(entry) }
        sequence = header.sequence &+ UInt64(header.count)
        isRelaxed = header.durableEnd < UInt64(block.offset)
        return true
    }

    private struct Entry {
        let key: UInt64
        let kind: LogEntry.Kind
        let place: UInt64
        let id: Record.ID?
    }

    private mutating func entries(of block: BlockCursor.Block) throws -> [Entry]? {
        var (entries, digests, isDamaged) = ([Entry](), EntryDigests(), false)
        var types = types
        let seed = head.seed
        let isFollowed = try cursor.forEachEntry(of: block) { entry in
            let isWhole = digests.add(entry.bytes, seed: seed)
            if !isWhole { isDamaged = true }
            guard let found = isWhole ? entry.claim : entry.identity else {
                isDamaged = true
                return true
            }
            entries.append(
                Entry(
                    key: try types.makeKey(of: found.id), kind: found.kind, place: entry.place,
                    id: isWhole ? nil : found.id))
            return true
        }
        guard isFollowed, digests.match(block.header), entries.count == Int(block.header.count),
            try !isDamaged || isAcknowledged(block)
        else { return nil }
        self.types = types
        return entries
    }

    /// Whether a batch was acknowledged, so that damage in it is not due to an interrupted write.
    private mutating func isAcknowledged(_ block: BlockCursor.Block) throws -> Bool {
        try block.offset < durableEnd || cursor.window.hasProof(from: block.offset, seed: head.seed)
    }

    private mutating func apply(_ entry: Entry) throws {
        var candidates: [UInt64] = []
        if let known = places[entry.key] {
            candidates = known
        } else {
            index.forEachPlace(of: entry.key) { candidates.append($0) }
        }
        var old: UInt64?
        if !candidates.isEmpty {
            let id = try id(at: entry.place, damaged: entry.id)
            old = try candidates.first { try self.id(at: $0, damaged: damaged[$0]?.id) == id }
        }
        // Damaged entries keep their location until they are superseded, deletions too.
        let new = entry.kind.isDeletion && entry.id == nil ? 0 : entry.place
        if let id = entry.id { damaged[entry.place] = (entry.key, id) }
        var live = 0
        if let old { live -= try olderEntries.length(of: old, in: file) }
        if new != 0 || entry.kind.isCopied { live += try olderEntries.length(of: entry.place, in: file) }
        liveBytes += live
        let change = IndexChange(key: entry.key, old: old ?? 0, new: new, liveBytes: live)
        guard changes != nil else { return index.apply(change) }
        changes?.append(change)
        candidates.removeAll { $0 == old }
        if new != 0 { candidates.append(new) }
        places[entry.key] = candidates
    }

    private mutating func id(at place: UInt64, damaged: Record.ID?) throws -> Record.ID {
        if let damaged { return damaged }
        return try olderEntries.read(place, in: file) { entry, _ in try RecordReader.id(from: entry.body) }
    }

    /// Checks that no acknowledged data is after the end.
    private mutating func checkTail() throws {
        let acknowledged = file.damage(at: end, "a batch that was acknowledged")
        if end < durableEnd { throw acknowledged }
        if try cursor.window.hasProof(from: end, seed: head.seed, searchedEnd: searchedEnd) { throw acknowledged }
        // A state is written when no batch is being written, and everything before it is durable.
        if head.damaged.contains(where: { $0.kind == .state }) {
            throw file.damage(at: end, "a batch, and a state of the file is damaged too")
        }
        // After a valid header everything was still being written, whatever its length.
        guard !isRelaxed, !isBeingWritten, try cursor.header(at: end) == nil, try !hasTornAnnouncement() else { return }
        if size - end > BlockOutput.longestUnannounced {
            throw file.damage(at: end, "more bytes than one unfinished batch can leave")
        }
    }

    private mutating func hasTornAnnouncement() throws -> Bool {
        guard size - end >= BlockHeader.size else { return false }
        let (seed, offset) = (head.seed, end)
        return try cursor.window.withBytes(BlockHeader.size, at: offset) {
            BlockHeader.isTornAnnouncement($0, seed: seed, at: offset)
        }
    }
}

extension LogReplay {
    /// - Parameter isAlone: Whether there is no other writer. Another writer may shorten the file while it is read; then it
    /// is read again.
    static func read(_ file: StorageFile, isAlone: Bool) throws -> (head: FileHead, size: Int, replay: LogReplay) {
        var attempts = 0
        while true {
            var (head, size) = (FileHead?.none, 0)
            do {
                // The state first: a writer only appends after what the state covers.
                let first = try FileHead(of: file)
                head = first
                size = try file.size()
                var replay = try LogReplay(file: file, head: first, size: size)
                try replay.run()
                return (first, size, replay)
            } catch let error as RecordDatabaseError where error.code == .corrupt {
                guard !isAlone, attempts < 100, try hasChanged(file, since: head, size) else { throw error }
            }
            attempts += 1
        }
    }

    private static func hasChanged(_ file: StorageFile, since head: FileHead?, _ size: Int) throws -> Bool {
        let now = try FileHead(of: file)
        guard let head else { return true }
        return try file.size() != size || now.state != head.state
    }

    mutating func view(of file: StorageFile) -> OpenFile.View {
        OpenFile.View(
            file: file, index: takeIndex(), types: types, liveBytes: liveBytes, indexSize: indexSize, end: end,
            lastBlock: lastBlock)
    }
}
