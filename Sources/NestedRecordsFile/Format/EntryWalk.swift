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

    /// An entry of a batch, whose checksum was not looked at.
    struct Entry {
        let batch: Batch

        /// Its place among the entries of the batch, from 0 on.
        let number: Int

        let kind: LogEntry.Kind
        let offset: Int

        /// There as long as the closure runs that got it.
        let bytes: UnsafeRawBufferPointer
        fileprivate let seed: UInt64
        fileprivate let path: String

        /// Whether it is the first one of the batch that a caller has saved.
        var beginsBatch: Bool { batch.isCopy ? !kind.continuesBatch : number == 0 }

        var place: UInt64 { EntryLocation.make(offset: offset, length: bytes.count) }

        /// Calls the closure with the record or the deletion, which must be whole.
        func read<Result>(_ body: (EntryReader.Entry) throws -> Result) throws -> Result {
            try EntryReader.withEntry(bytes, seed: seed, at: offset, path: path, body)
        }

        /// The number in the change tag, of a deletion that in the one which it would have; nil where there is none.
        ///
        /// - Parameter content: What was read.
        func position(_ content: EntryReader.Entry) throws -> UInt64? {
            if !batch.isCopy { return batch.header.sequence &+ UInt64(number) &+ 1 }
            if kind.isDeletion { return content.number }
            return try RecordReader.metadata(of: content.body).flatMap { UInt64($0.changeTag, radix: 36) }
        }
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

    private func damage(_ offset: Int, _ what: String) -> FileRecordDatabaseError {
        .corrupt(path: file.path, offset: offset, what: what)
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

    /// Calls the closure with each entry of a batch, until it returns false.
    mutating func forEachEntry(of batch: Batch, _ body: (Entry) throws -> Bool) throws {
        var (offset, number) = (batch.range.lowerBound, 0)
        let (seed, path) = (seed, file.path)
        while offset < batch.range.upperBound {
            guard let length = try window.entryLength(at: offset, end: batch.range.upperBound) else {
                throw damage(offset, "the length of a record")
            }
            let goesOn = try window.withBytes(length, at: offset) { bytes in
                guard let kind = LogEntry.Kind(bytes[LogEntry.headerSize]) else {
                    throw FileRecordDatabaseError.corrupt(path: path, offset: offset, what: "the kind of a record")
                }
                return try body(
                    Entry(
                        batch: batch, number: number, kind: kind, offset: offset, bytes: bytes, seed: seed, path: path))
            }
            guard goesOn else { return }
            offset += length
            number += 1
        }
    }
}
