import NestedRecords

/// Goes through everything in a file, also behind damage: there it looks for the next entry or block, byte by byte.
struct FileWalk {
    /// A part of the file that is not what was written.
    struct Damage {
        let range: Range<Int>
        let kind: FileRecordDatabase.Problem.Kind
        let reason: String
        var record: Record.ID?
    }

    /// An entry whose checksum is right.
    struct Found {
        let range: Range<Int>

        /// The version that is saved; nil for a deletion.
        let metadata: Record.Metadata?
        let id: Record.ID
        let isDeletion: Bool

        /// Whether it is in a block whose header is right, and not only somewhere in the file.
        let isInPlace: Bool
    }

    private let file: StorageFile
    private let seed: UInt64
    private let end: Int
    private var window: BufferedReader
    private var form = RecordReader()

    /// Where the next block is.
    private(set) var offset: Int

    private(set) var damage: [Damage] = []

    init(_ file: StorageFile, seed: UInt64, from start: Int, to end: Int) {
        (self.file, self.seed, self.end) = (file, seed, end)
        offset = start
        window = BufferedReader(file: file, end: end)
    }

    /// Goes through one block, or through what is no block.
    ///
    /// - Returns: Whether there is more.
    mutating func next(_ found: (Found) -> Void) throws -> Bool {
        guard offset < end else { return false }
        let start = offset
        let header = try header(at: start)
        guard let header, header.kind != .announcement else {
            try search(from: start, to: end, stopsAtBlocks: true, .batch, found)
            return true
        }
        let contents = start + BlockHeader.size
        guard header.byteCount <= UInt64(end - contents) else {
            damage.append(
                Damage(range: start..<contents, kind: .batch, reason: "the file ends before the end of the batch"))
            try search(from: contents, to: end, stopsAtBlocks: true, .entry, found)
            return true
        }
        offset = contents + Int(header.byteCount)
        switch header.kind {
        case .batch: try walk(contents..<offset, header, found)
        case .index:
            if try SavedIndex(file, seed, at: start, end) == nil {
                damage.append(
                    Damage(range: start..<offset, kind: .index, reason: "the checksum of a saved index is wrong"))
            }
        case .history:
            if try FileHistory.Kept(file, seed, header, at: contents) == nil {
                damage.append(Damage(range: start..<offset, kind: .batch, reason: "the history is damaged"))
            }
        case .header, .announcement: break
        }
        return true
    }

    private mutating func header(at offset: Int) throws -> BlockHeader? {
        guard end - offset >= BlockHeader.size else { return nil }
        let seed = seed
        return try window.withBytes(BlockHeader.size, at: offset) { BlockHeader($0, seed: seed, at: offset) }
    }

    /// Goes through the entries of a batch.
    private mutating func walk(_ range: Range<Int>, _ header: BlockHeader, _ found: (Found) -> Void) throws {
        var (position, count, digest) = (range.lowerBound, 0, UInt64(0))
        var isWhole = true
        while position < range.upperBound {
            let length = try window.entryLength(at: position, end: range.upperBound)
            guard let length else {
                isWhole = false
                position = try search(
                    from: position, to: range.upperBound, stopsAtBlocks: false, .entry, found,
                    reason: "the length of an entry is damaged")
                continue
            }
            let next = position + length
            let checksum = try window.withBytes(8, at: position) { $0.fixed(UInt32.self, at: 4) }
            switch try look(at: position..<next, isInPlace: true) {
            case .success(let entry): found(entry)
            case .failure(let failure):
                // The length may be what is damaged: what is behind the entry tells.
                let isFollowed =
                    try failure.kind == .record || next == range.upperBound
                    || isEntry(at: next, before: range.upperBound)
                if !isFollowed {
                    isWhole = false
                    position = try search(
                        from: position, to: range.upperBound, stopsAtBlocks: false, .entry, found,
                        reason: failure.reason)
                    continue
                }
                damage.append(failure.damage)
            }
            digest = BlockHeader.digest(digest, checksum)
            count += 1
            position = next
        }
        guard isWhole, digest != header.digest || count != Int(header.count) else { return }
        damage.append(
            Damage(
                range: (range.lowerBound - BlockHeader.size)..<range.lowerBound, kind: .batch,
                reason: "the records in the batch are not those that were written"))
    }

    private struct Refused: Error {
        let damage: Damage
        var kind: FileRecordDatabase.Problem.Kind { damage.kind }
        var reason: String { damage.reason }
    }

    /// Takes an entry apart.
    private mutating func look(at range: Range<Int>, isInPlace: Bool) throws -> Result<Found, Refused> {
        let (seed, path) = (seed, file.path)
        return try window.withBytes(range.count, at: range.lowerBound) { bytes in
            func refused(_ kind: FileRecordDatabase.Problem.Kind, _ reason: String) -> Result<Found, Refused> {
                let entry = EntryReader.Entry(
                    content: UnsafeRawBufferPointer(rebasing: bytes[LogEntry.headerSize...]))
                let id = entry.flatMap { try? RecordReader.id(from: $0.body) }
                return .failure(Refused(damage: Damage(range: range, kind: kind, reason: reason, record: id)))
            }
            guard let content = try? EntryReader.content(bytes, seed: seed, at: range.lowerBound, path: path) else {
                return refused(.entry, "the checksum is wrong")
            }
            guard let entry = EntryReader.Entry(content: content) else {
                return refused(.record, "its kind is \(content[0])")
            }
            do {
                if entry.kind.isDeletion {
                    let id = try RecordReader.id(from: entry.body)
                    return .success(
                        Found(range: range, metadata: nil, id: id, isDeletion: true, isInPlace: isInPlace))
                }
                let record = try form.record(from: entry.body)
                return .success(
                    Found(
                        range: range, metadata: record.metadata, id: record.id, isDeletion: false,
                        isInPlace: isInPlace))
            } catch {
                return refused(.record, "\(error)")
            }
        }
    }

    /// Whether there is an entry at an offset whose checksum is right.
    private mutating func isEntry(at offset: Int, before end: Int) throws -> Bool {
        guard let length = try window.entryLength(at: offset, end: end) else { return false }
        let (seed, path) = (seed, file.path)
        return try window.withBytes(length, at: offset) {
            (try? EntryReader.entry($0, seed: seed, at: offset, path: path)) != nil
        }
    }
}

extension FileWalk {
    /// Looks for entries from an offset on, which itself is damaged, until a block or the end.
    ///
    /// - Parameters:
    ///   - kind: What is damaged at the offset.
    ///   - reason: What is wrong with it.
    /// - Returns: Where it has ended: behind an entry of a block, for the caller to go on with its other ones.
    @discardableResult
    private mutating func search(
        from start: Int, to end: Int, stopsAtBlocks: Bool, _ kind: FileRecordDatabase.Problem.Kind,
        _ found: (Found) -> Void, reason: String = "the header of the batch is damaged"
    ) throws -> Int {
        var (position, unknown, stop) = (start, start, end)
        var (kind, reason) = (kind, reason)
        while let next = try candidate(from: position, to: end, orBlock: stopsAtBlocks) {
            position = next
            if stopsAtBlocks, position > start, try header(at: position) != nil {
                stop = position
                break
            }
            guard let length = try window.entryLength(at: position, end: end),
                case .success(let entry) = try look(at: position..<(position + length), isInPlace: !stopsAtBlocks)
            else {
                position += 1
                continue
            }
            if unknown < position {
                damage.append(Damage(range: unknown..<position, kind: kind, reason: reason))
                (kind, reason) = (.entry, "these bytes are no record")
            }
            found(entry)
            position += length
            unknown = position
            if !stopsAtBlocks { return position }
        }
        if unknown < stop { damage.append(Damage(range: unknown..<stop, kind: kind, reason: reason)) }
        if stopsAtBlocks { offset = stop }
        return stop
    }

    /// The first offset at which something may be that begins like an entry, or like the header of a block.
    private mutating func candidate(from start: Int, to end: Int, orBlock: Bool) throws -> Int? {
        // The shortest entry: its header, its kind, the version of the form and an ID.
        let shortest = LogEntry.headerSize + 2
        var position = start
        while end - position > shortest {
            let length = min(end - position, BufferedReader.size)
            let (first, rest) = (position, end - position)
            let found = try window.withBytes(length, at: position) { bytes in
                (0..<(length - shortest)).first { offset in
                    if orBlock, bytes[offset] == BlockHeader.firstByte, bytes[offset + 1] == 0x52 { return true }
                    let kind = LogEntry.Kind(bytes[offset + LogEntry.headerSize])
                    guard let kind, offset + LogEntry.headerSize + 1 + kind.numberSize < length else { return false }
                    let body = offset + LogEntry.headerSize + 1 + kind.numberSize
                    guard bytes[body] == BinaryFormat.version,
                        Int(bytes.fixed(UInt32.self, at: offset)) <= rest - offset - LogEntry.headerSize
                    else { return false }
                    // Its ID tells before its contents are read, which may be long.
                    let id = BytesInPlace(rebasing: bytes[body...])
                    return id.count < 1_024 || (try? RecordReader.id(from: id)) != nil
                }
            }
            if let found { return first + found }
            // One near the end of the bytes may have a number, so that there are too few of them to look at it.
            position += max(1, length - shortest - (rest > length ? 8 : 0))
        }
        return nil
    }
}
