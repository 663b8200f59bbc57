import NestedRecords

/// Goes through the batches of a file that are known to be whole, and their entries.
struct EntryWalk {
    /// A batch that is not empty.
    struct Batch {
        let header: BlockHeader

        /// Its entries.
        let range: Range<Int>

        /// Whether a compaction has copied it: then the numbers of its entries are not consecutive.
        let isCopy: Bool
    }

    let file: StorageFile
    private let seed: UInt64
    private var window: BufferedReader

    /// Where the next block begins.
    private(set) var offset: Int

    /// Where the last one ends.
    private(set) var end: Int

    private var kept: FileHistory.Kept?

    init(_ file: StorageFile, seed: UInt64, _ range: Range<Int>) {
        (self.file, self.seed, offset, end) = (file, seed, range.lowerBound, range.upperBound)
        window = BufferedReader(file: file, end: range.upperBound)
    }

    /// Goes on to an end further behind.
    mutating func extend(to end: Int) {
        self.end = end
        window = BufferedReader(file: file, end: end)
    }

    /// What the compaction has kept of the history that has made this file, once after it was met.
    mutating func takeKept() -> FileHistory.Kept? {
        defer { kept = nil }
        return kept
    }

    func damage(_ offset: Int, _ what: String) -> FileRecordDatabaseError {
        .corrupt(path: file.path, offset: offset, what: what)
    }

    /// Calls the closure with an entry, which must be whole.
    func withEntry<Result>(
        _ bytes: UnsafeRawBufferPointer, at offset: Int, _ body: (EntryReader.Entry) throws -> Result
    ) throws -> Result {
        try EntryReader.withEntry(bytes, seed: seed, at: offset, path: file.path, body)
    }

    /// The next batch; nil at the end.
    mutating func next() throws -> Batch? {
        while offset < end {
            let (start, seed) = (offset, seed)
            guard end - start >= BlockHeader.size,
                let header = try window.withBytes(
                    BlockHeader.size, at: start, { BlockHeader($0, seed: seed, at: start) }),
                header.kind != .announcement, header.byteCount <= UInt64(end - start - BlockHeader.size)
            else { throw damage(start, "a batch that was acknowledged") }
            let contents = start + BlockHeader.size
            offset = contents + Int(header.byteCount)
            switch header.kind {
            case .history:
                kept = try FileHistory.Kept(file, seed, header, at: contents)
                if kept == nil { throw damage(start, "the history of the file") }
            case .batch where header.count > 0:
                let kind = try window.entryLength(at: contents, end: offset).map { _ in
                    try window.withBytes(1, at: contents + LogEntry.headerSize) { LogEntry.Kind($0[0]) }
                }
                guard let kind = kind ?? nil else { throw damage(contents, "the length or the kind of a record") }
                return Batch(header: header, range: contents..<offset, isCopy: kind.isCopied)
            case .batch, .index, .header, .announcement: break
            }
        }
        return nil
    }

    /// Calls the closure with the place and the bytes of each entry of a batch, whose checksums are not looked at.
    mutating func forEachEntryBytes(
        of batch: Batch, _ body: (_ offset: Int, _ bytes: UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        var position = batch.range.lowerBound
        while position < batch.range.upperBound {
            guard let length = try window.entryLength(at: position, end: batch.range.upperBound) else {
                throw damage(position, "the length of a record")
            }
            guard try window.withBytes(length, at: position, { try body(position, $0) }) else { return }
            position += length
        }
    }

    /// Calls the closure with each entry of a batch and its place, until it returns false.
    mutating func forEachEntry(
        of batch: Batch, _ body: (EntryReader.Entry, _ place: UInt64) throws -> Bool
    ) throws {
        let (seed, path) = (seed, file.path)
        try forEachEntryBytes(of: batch) { offset, bytes in
            let place = EntryLocation.make(offset: offset, length: bytes.count)
            return try EntryReader.withEntry(bytes, seed: seed, at: offset, path: path) { try body($0, place) }
        }
    }

    /// The number of an entry behind which its change tag is.
    ///
    /// - Parameters:
    ///   - entry: The entry of a batch.
    ///   - number: Its place among the entries of the batch, from 0 on.
    static func position(of entry: EntryReader.Entry, _ number: Int, in batch: Batch) throws -> UInt64? {
        // Compactions of earlier versions have not written the number of the first entry.
        let isConsecutive = !batch.isCopy && (batch.header.sequence != 0 || entry.kind.isDeletion)
        if isConsecutive { return batch.header.sequence &+ UInt64(number) &+ 1 }
        if entry.kind.isDeletion { return entry.number }
        return try RecordReader.metadata(of: entry.body).flatMap { UInt64($0.changeTag, radix: 36) }
    }
}
