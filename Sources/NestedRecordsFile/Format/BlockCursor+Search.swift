@_spi(Engines) import NestedRecords

// After damage, the next entry or block is searched byte by byte.

extension BlockCursor {
    struct Damage: Error {
        let range: Range<Int>
        let kind: FileRecordDatabase.Problem.Kind
        let reason: String
        var record: Record.ID?
    }

    struct FoundEntry {
        let range: Range<Int>
        let metadata: Record.Metadata?
        let id: Record.ID
        let isDeletion: Bool

        /// Whether the entry is in a block with a valid header, and not only somewhere in the file.
        let isInPlace: Bool
    }

    mutating func note(_ range: Range<Int>, _ kind: FileRecordDatabase.Problem.Kind, _ reason: String) {
        damage.append(Damage(range: range, kind: kind, reason: reason))
    }

    mutating func look(at range: Range<Int>, isInPlace: Bool) throws -> Result<FoundEntry, Damage> {
        let (seed, path) = (seed, file.path)
        return try window.withBytes(range.count, at: range.lowerBound) { bytes in
            let entry = EntryReader.Entry(content: UnsafeRawBufferPointer(rebasing: bytes[LogEntry.headerSize...]))
            func refused(_ kind: FileRecordDatabase.Problem.Kind, _ reason: String) -> Result<FoundEntry, Damage> {
                let id = entry.flatMap { try? RecordReader.id(from: $0.body) }
                return .failure(Damage(range: range, kind: kind, reason: reason, record: id))
            }
            guard let content = try? EntryReader.content(bytes, seed: seed, at: range.lowerBound, path: path) else {
                return refused(.entry, "the checksum is wrong")
            }
            guard let entry else { return refused(.record, "its kind is \(content[0])") }
            do {
                let record = entry.kind.isDeletion ? nil : try form.record(from: entry.body)
                return .success(
                    FoundEntry(
                        range: range, metadata: record?.metadata,
                        id: try record?.id ?? RecordReader.id(from: entry.body),
                        isDeletion: entry.kind.isDeletion, isInPlace: isInPlace))
            } catch {
                return refused(.record, "\(error)")
            }
        }
    }

    mutating func isEntry(at offset: Int, before end: Int) throws -> Bool {
        guard let length = try window.entryLength(at: offset, end: end) else { return false }
        let (seed, path) = (seed, file.path)
        return try window.withBytes(length, at: offset) {
            (try? EntryReader.entry($0, seed: seed, at: offset, path: path)) != nil
        }
    }
}

// MARK: Searching

extension BlockCursor {
    /// Finds the entries in bytes that are not a block, and returns the offset of the next block.
    ///
    /// - Parameter isLongBlock: Whether there is a complete header of a block that ends after the end of the file.
    mutating func search(from start: Int, isLongBlock: Bool, _ found: (FoundEntry) -> Void) throws -> Int {
        let seed = seed
        let first = isLongBlock ? start + BlockHeader.size : start
        let stop = try window.firstHeader(from: first + 1) { BlockHeader($0, seed: seed, at: $1) != nil } ?? end
        if isLongBlock { note(start..<first, .batch, "the file ends before the end of the batch") }
        var position = first
        var (kind, reason) = (FileRecordDatabase.Problem.Kind.batch, "the header of the batch is damaged")
        if isLongBlock { kind = .entry }
        while position < stop {
            let next = try nextEntry(in: position..<stop, isInPlace: false)
            let gap = position..<(next?.range.lowerBound ?? stop)
            if !gap.isEmpty {
                note(gap, kind, reason)
                (kind, reason) = (.entry, "these bytes are not a record")
            }
            if let next { found(next) }
            position = next?.range.upperBound ?? stop
        }
        return stop
    }

    mutating func searchEntry(
        in range: Range<Int>, _ reason: String, _ found: (FoundEntry) -> Void
    ) throws -> Int {
        let next = try nextEntry(in: range, isInPlace: true)
        let gap = range.lowerBound..<(next?.range.lowerBound ?? range.upperBound)
        if !gap.isEmpty { note(gap, .entry, reason) }
        if let next { found(next) }
        return next?.range.upperBound ?? range.upperBound
    }

    private mutating func nextEntry(in range: Range<Int>, isInPlace: Bool) throws -> FoundEntry? {
        var start = range.lowerBound
        while let position = try candidate(in: start..<range.upperBound) {
            if let length = try window.entryLength(at: position, end: range.upperBound),
                case .success(let entry) = try look(at: position..<(position + length), isInPlace: isInPlace)
            {
                return entry
            }
            start = position + 1
        }
        return nil
    }

    /// The first offset whose bytes may be the beginning of an entry.
    private mutating func candidate(in range: Range<Int>) throws -> Int? {
        // The shortest entry: its header, its kind, the version of the format and an ID.
        let shortest = LogEntry.headerSize + 2
        var position = range.lowerBound
        while range.upperBound - position > shortest {
            let length = min(range.upperBound - position, BufferedReader.size)
            let (first, rest) = (position, range.upperBound - position)
            let found = try window.withBytes(length, at: position) { bytes in
                (0..<(length - shortest)).first { offset in
                    let kind = LogEntry.Kind(bytes[offset + LogEntry.headerSize])
                    guard let kind, offset + LogEntry.headerSize + 1 + kind.numberSize < length else { return false }
                    let body = offset + LogEntry.headerSize + 1 + kind.numberSize
                    guard bytes[body] == BinaryFormat.version,
                        LogEntry.length(bytes.fixed(UInt32.self, at: offset)) <= rest - offset
                    else { return false }
                    // The ID decides before the contents are read, which may be long.
                    let id = BytesInPlace(rebasing: bytes[body...])
                    return id.count < 1_024 || (try? RecordReader.id(from: id)) != nil
                }
            }
            if let found { return first + found }
            // Near the end of the bytes an entry may have a number, and then too few bytes are left to check it.
            position += max(1, length - shortest - (rest > length ? 8 : 0))
        }
        return nil
    }
}
