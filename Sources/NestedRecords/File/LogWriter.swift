#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What only the one who writes to a record file knows.
struct LogWriter {
    /// The state that was written last.
    var state: LogState

    /// The number of the next entry; the change tag of a saved record is made of it.
    var sequence: UInt64

    /// How much of the file an opening gets from the saved index.
    var indexedEnd: Int

    /// Why nothing can be written any more, if so.
    var failure: (any Error)?

    init(state: LogState, sequence: UInt64, indexedEnd: Int) {
        self.state = state
        self.sequence = sequence
        self.indexedEnd = indexedEnd
    }
}

/// A batch that somebody waits for.
struct WaitingBatch: Sendable {
    let records: [Record]
    let ids: [Record.ID]
    let savePolicy: SavePolicy
    let answer: @Sendable (Result<[Record.ID: Record.Metadata], any Error>) -> Void
}

struct WaitingBatches: Sendable {
    var batches: [WaitingBatch] = []
    var isBeingWritten = false
}

/// Entries on their way to a file: one block for all batches that are written together.
///
/// A long block goes out piece by piece; its head, without which it does not count, comes last.
struct BlockOutput {
    private static let pieceSize = 1 << 20

    private let file: StorageFile
    private let seed: UInt64
    let start: Int
    private var bytes: [UInt8] = []

    /// Where in the file the bytes belong.
    private var bytesStart: Int
    private(set) var count = 0

    /// The length of the last entry with its head.
    private(set) var lastLength = 0
    private var digest: UInt64 = 0

    init(file: StorageFile, seed: UInt64, at start: Int) {
        self.file = file
        self.seed = seed
        self.start = start
        bytesStart = start + BlockHead.size
    }

    /// Behind the last entry.
    var end: Int { bytesStart + bytes.count }

    /// Adds an entry, and gives its place.
    mutating func append(_ kind: UInt8, _ content: (inout [UInt8]) throws -> Void) throws -> UInt64 {
        let offset = end
        let first = bytes.count
        bytes.append(fixed: UInt64(0))
        bytes.append(kind)
        try content(&bytes)
        let length = bytes.count - first
        guard length <= Int(Int32.max), offset <= FilePlace.largestOffset else {
            throw RecordDatabaseError.diskFull(path: file.path, operation: "write")
        }
        let seed = seed
        let checksum = bytes.withUnsafeBytes {
            LogEntry.checksum(UnsafeRawBufferPointer(rebasing: $0[(first + LogEntry.headSize)...]), seed: seed)
        }
        let size = UInt32(truncatingIfNeeded: length - LogEntry.headSize)
        bytes.withUnsafeMutableBytes {
            $0.storeBytes(of: size.littleEndian, toByteOffset: first, as: UInt32.self)
            $0.storeBytes(of: checksum.littleEndian, toByteOffset: first + 4, as: UInt32.self)
        }
        lastLength = length
        try add(checksum)
        return FilePlace.make(offset: offset, length: length)
    }

    /// Adds an entry as it stands in another file.
    mutating func append(_ entry: UnsafeRawBufferPointer) throws -> UInt64 {
        let place = FilePlace.make(offset: end, length: entry.count)
        bytes.append(contentsOf: entry)
        try add(entry.fixed(UInt32.self, at: 4))
        return place
    }

    private mutating func add(_ checksum: UInt32) throws {
        digest = BlockHead.digest(digest, checksum)
        count += 1
        if bytes.count >= Self.pieceSize { try flush() }
    }

    private mutating func flush() throws {
        try file.write(bytes, at: bytesStart)
        bytesStart += bytes.count
        bytes.removeAll(keepingCapacity: true)
    }

    /// Writes what is left, and the head.
    mutating func finish(sequence: UInt64, durableEnd: Int) throws {
        let head = BlockHead(
            .batch, count: count, byteCount: end - start - BlockHead.size, sequence: sequence, digest: digest,
            durableEnd: durableEnd
        ).bytes(seed: seed, at: start)
        if bytesStart == start + BlockHead.size {
            try file.write(head + bytes, at: start)
        } else {
            try flush()
            try file.write(head, at: start)
        }
    }
}
