@_spi(Engines) import NestedRecords

/// Buffers entries for a file: one block for all batches that are written together.
///
/// A long block is written in pieces; its header, without which it is not valid, comes last.
struct BlockOutput: ~Copyable {
    private static let pieceSize = 1 << 20
    static let longestUnannounced = BlockHeader.size + pieceSize
    private let file: StorageFile
    private let seed: UInt64
    let start: Int
    private var bytes = GrowingBytes()
    private var writer = RecordWriter()
    private var bytesStart: Int
    private var sums = Sums()
    private var writtenEnd = 0

    /// Whether a long block is announced, so that an opening recognizes it if it is not completed.
    private let announces: Bool
    private(set) var isBroken = false

    fileprivate struct Sums {
        var count = 0
        var digest: UInt64 = 0
    }

    struct Mark {
        fileprivate let end: Int
        fileprivate let sums: Sums
    }

    init(file: StorageFile, seed: UInt64, at start: Int, announces: Bool = false) {
        self.file = file
        self.seed = seed
        self.start = start
        self.announces = announces
        bytesStart = start + BlockHeader.size
    }

    var end: Int { bytesStart + bytes.count }

    var hasWritten: Bool { writtenEnd > 0 }

    var mark: Mark { Mark(end: end, sums: sums) }

    /// Drops the entries after a mark; those already in the file are overwritten or cut off.
    mutating func rollBack(to mark: Mark) {
        bytes.truncate(to: max(0, mark.end - bytesStart))
        bytesStart = min(bytesStart, mark.end)
        sums = mark.sums
    }

    mutating func append(_ record: Record, metadata: Record.Metadata) throws -> (place: UInt64, length: Int) {
        let first = begin(LogEntry.save)
        if record.hasServerTimestamp {
            try writer.append(record.saved(as: metadata), metadata: metadata, to: &bytes)
        } else {
            try writer.append(record, metadata: metadata, to: &bytes)
        }
        return try end(first)
    }

    mutating func append(deletionOf id: Record.ID) throws {
        let first = begin(LogEntry.delete)
        bytes.append(byte: BinaryFormat.version)
        bytes.append(id)
        _ = try end(first)
    }

    private mutating func begin(_ kind: LogEntry.Kind) -> Int {
        let first = bytes.count
        bytes.append(word: 0)
        bytes.append(byte: kind.byte)
        return first
    }

    private mutating func end(_ first: Int) throws -> (place: UInt64, length: Int) {
        let length = bytes.count - first
        let offset = bytesStart + first
        guard length <= Int(Int32.max), offset <= EntryLocation.largestOffset else {
            throw RecordDatabaseError(.diskFull, .system(operation: "write"), path: file.path)
        }
        let seed = seed
        let content = first + LogEntry.headerSize..<bytes.count
        let checksum = bytes.withBytes { LogEntry.checksum($0.part(content), seed: seed) }
        bytes.set(UInt32(truncatingIfNeeded: content.count), at: first)
        bytes.set(checksum, at: first + 4)
        try add(checksum)
        return (EntryLocation.make(offset: offset, length: length), length)
    }

    mutating func append(_ entry: EntryReader.Entry) throws -> (place: UInt64, length: Int) {
        let first = begin(entry.kind)
        if let number = entry.number { bytes.append(word: number) }
        bytes.append(contentsOf: entry.body)
        return try end(first)
    }

    private mutating func add(_ checksum: UInt32) throws {
        sums.digest = BlockHeader.digest(sums.digest, checksum)
        sums.count += 1
        if bytes.count >= Self.pieceSize { try flush() }
    }

    private mutating func flush() throws {
        if announces, !hasWritten { try announce() }
        let (file, offset) = (file, bytesStart)
        try attempt { bytes in try bytes.withBytes { try $0.withUnsafeBytes { try file.write($0, at: offset) } } }
        bytesStart += bytes.count
        writtenEnd = max(writtenEnd, bytesStart)
        bytes.truncate(to: 0)
    }

    private mutating func announce() throws {
        let announcement = BlockHeader.announcement(at: start).bytes(seed: seed, at: start)
        let (file, start) = (file, start)
        try attempt { _ in
            try file.write(announcement, at: start)
            // Before any other part of the block is on the disk.
            try file.sync()
        }
    }

    private mutating func attempt(_ body: (borrowing GrowingBytes) throws -> Void) throws {
        do {
            try body(bytes)
        } catch {
            isBroken = true
            throw error
        }
    }

    mutating func finish(sequence: UInt64, durableEnd: Int) throws {
        let head = BlockHeader(
            .batch, count: sums.count, byteCount: end - start - BlockHeader.size, sequence: sequence,
            digest: sums.digest, durableEnd: durableEnd
        ).bytes(seed: seed, at: start)
        // Bytes that were rolled back must not follow the block.
        if writtenEnd > end { try file.truncate(to: end) }
        if bytesStart == start + BlockHeader.size {
            // Most blocks are small: one call writes the whole block.
            let (file, start) = (file, start)
            try bytes.withBytes { try file.write(head + $0, at: start) }
            bytesStart += bytes.count
            bytes.truncate(to: 0)
        } else {
            try flush()
            try file.write(head, at: start)
        }
    }
}
