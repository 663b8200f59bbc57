@_spi(Engines) import NestedRecords

struct EntryReader {
    var seed: UInt64
    private var buffer: [UInt8] = []
    private var form = RecordReader()

    init(seed: UInt64) {
        self.seed = seed
    }

    var memory: Int { buffer.count }

    struct Entry {
        let kind: LogEntry.Kind
        var number: UInt64?
        let body: BytesInPlace

        init(kind: LogEntry.Kind, body: BytesInPlace) { (self.kind, self.body) = (kind, body) }

        init?(content: UnsafeRawBufferPointer) {
            guard let kind = LogEntry.Kind(content[0]), content.count > kind.numberSize else { return nil }
            self.init(kind: kind, body: BytesInPlace(rebasing: content[(1 + kind.numberSize)...]))
            if kind.numberSize > 0 { number = content.fixed(UInt64.self, at: 1) }
        }
    }

    mutating func read<Result>(
        _ place: UInt64, in file: StorageFile, _ body: (Entry, inout RecordReader) throws -> Result
    ) throws -> Result {
        let offset = EntryLocation.offset(place)
        let length = try length(of: place, in: file)
        if EntryLocation.length(place) == EntryLocation.longestLength {
            // The length is not verified yet: no more memory is allocated than the file has bytes.
            guard try length <= file.size() - offset else {
                throw file.damage(at: offset, "the length of a record")
            }
        }
        try fill(length, of: file, at: offset)
        return try buffer.withUnsafeBytes { bytes in
            let bytes = UnsafeRawBufferPointer(rebasing: bytes[..<length])
            return try Self.withEntry(bytes, seed: seed, at: offset, path: file.path) { try body($0, &form) }
        }
    }

    private mutating func fill(_ length: Int, of file: StorageFile, at offset: Int) throws {
        guard try load(length, of: file, at: offset) == length else {
            throw file.damage(at: offset, "a record is cut off")
        }
    }

    private mutating func load(_ length: Int, of file: StorageFile, at offset: Int) throws -> Int {
        if buffer.count < length {
            // Twice as large, so that growing pieces do not allocate again each time.
            let room = length <= Self.longestBuffer ? min(max(2 * length, 1_024), Self.longestBuffer) : length
            buffer = Array(repeating: 0, count: room)
        } else if length <= Self.longestBuffer, buffer.count > Self.longestBuffer {
            // One long entry must not keep its memory while others are read.
            buffer = Array(repeating: 0, count: Self.longestBuffer)
        }
        return try buffer.withUnsafeMutableBytes {
            try file.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[..<length]), at: offset)
        }
    }

    static func entry(
        _ bytes: UnsafeRawBufferPointer, seed: UInt64, at offset: Int, path: String
    ) throws -> Entry {
        let content = try content(bytes, seed: seed, at: offset, path: path)
        guard let entry = Entry(content: content) else {
            let reason = "the kind of a record, which is \(content[0])"
            throw RecordDatabaseError(.corrupt, .offset(offset), reason: reason, path: path)
        }
        return entry
    }

    static func content(
        _ bytes: UnsafeRawBufferPointer, seed: UInt64, at offset: Int, path: String
    ) throws -> UnsafeRawBufferPointer {
        let head = LogEntry.headerSize
        guard bytes.count > head, LogEntry.length(bytes.fixed(UInt32.self, at: 0)) == bytes.count else {
            throw RecordDatabaseError(.corrupt, .offset(offset), reason: "the length of a record", path: path)
        }
        let content = UnsafeRawBufferPointer(rebasing: bytes[head...])
        guard LogEntry.checksum(BytesInPlace(content), seed: seed) == bytes.fixed(UInt32.self, at: 4) else {
            throw RecordDatabaseError(.corrupt, .offset(offset), reason: "the checksum of a record", path: path)
        }
        return content
    }

    /// If the closure finds no valid record, the file is damaged, even though the checksum is right.
    static func withEntry<Result>(
        _ bytes: UnsafeRawBufferPointer, seed: UInt64, at offset: Int, path: String, _ body: (Entry) throws -> Result
    ) throws -> Result {
        let entry = try entry(bytes, seed: seed, at: offset, path: path)
        do {
            return try body(entry)
        } catch let error as RecordFormatError {
            let reason = "a record, whose checksum is right"
            throw RecordDatabaseError(
                .corrupt, .offset(offset), reason: reason, path: path, underlyingError: error)
        }
    }
}

/// The digests of a batch's entries, from the stored and from the computed checksums.
///
/// The one that the header of the batch has shows whether the content of an entry is damaged or its checksum.
struct EntryDigests {
    private var count: UInt32 = 0
    private var noted: UInt64 = 0
    private var found: UInt64 = 0

    @discardableResult
    mutating func add(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> Bool {
        let checksum = bytes.fixed(UInt32.self, at: 4)
        let content = BytesInPlace(rebasing: bytes[LogEntry.headerSize...])
        let contentChecksum = LogEntry.checksum(content, seed: seed)
        noted = BlockHeader.digest(noted, checksum)
        found = BlockHeader.digest(found, contentChecksum)
        count &+= 1
        return checksum == contentChecksum
    }

    /// Whether these are the entries of a batch, except for damage in their contents or their checksums.
    func match(_ header: BlockHeader) -> Bool {
        count == header.count && (noted == header.digest || found == header.digest)
    }
}

extension EntryReader {
    struct Identity {
        let kind: LogEntry.Kind
        let id: Record.ID

        /// The longest entry to examine: computing its checksum 8,000 times takes a second.
        private static let longest = 1 << 20

        init?(content: UnsafeRawBufferPointer) {
            guard let entry = Entry(content: content), let id = try? RecordReader.id(from: entry.body) else {
                return nil
            }
            (kind, self.id) = (entry.kind, id)
        }

        /// Finds out the identity of an entry whose checksum is wrong; nil if it is not certain.
        ///
        /// If the ID is damaged, it is that of another record. So each byte of it is tried: if the checksum is right
        /// with another value, the byte had that value. If it is right with none, the damage is after the ID.
        init?(ofDamaged bytes: UnsafeRawBufferPointer, seed: UInt64) {
            guard bytes.count <= Self.longest else { return nil }
            let checksum = bytes.fixed(UInt32.self, at: 4)
            var content = Array(bytes[LogEntry.headerSize...])
            let claimed = content.withUnsafeBytes { Self(content: $0) }
            let idEnd = content.withUnsafeBytes { bytes in
                Entry(content: bytes).flatMap { entry in
                    (try? RecordReader.idBytes(in: entry.body)).map { 2 + entry.kind.numberSize + $0.count }
                }
            }
            for position in 0..<min(idEnd ?? 640, content.count) {
                let byte = content[position]
                for value in UInt8.min ... .max where value != byte {
                    content[position] = value
                    let isRight = content.withUnsafeBytes {
                        LogEntry.checksum(BytesInPlace($0), seed: seed) == checksum
                    }
                    if isRight, let identity = content.withUnsafeBytes({ Self(content: $0) }) {
                        self = identity
                        return
                    }
                }
                content[position] = byte
            }
            guard let claimed else { return nil }
            self = claimed
        }
    }
}

extension EntryReader {
    mutating func length(of place: UInt64, in file: StorageFile) throws -> Int {
        let length = EntryLocation.length(place)
        guard length == EntryLocation.longestLength else { return length }
        let offset = EntryLocation.offset(place)
        try fill(LogEntry.headerSize, of: file, at: offset)
        return LogEntry.length(buffer.withUnsafeBytes { $0.fixed(UInt32.self, at: 0) })
    }
}

extension EntryReader {
    struct Wanted {
        let place: UInt64
        let number: Int
    }

    /// The size of a read, unless one entry is longer.
    ///
    /// The system copies 37 MB in 2.4 ms; with a quarter of the size it takes 3.2 ms, with twice the size 2.3 ms.
    private static let longestPiece = 1 << 20
    private static let longestBuffer = 1 << 20

    /// The longest gap between two entries that are read together.
    ///
    /// Another read call takes as long as copying 12 KB.
    private static let longestGap = 8 << 10

    /// Calls the closure with the entries at locations in ascending order; neighbours are read together.
    mutating func forEachEntry(
        at wanted: [Wanted], in file: StorageFile, _ body: (Wanted, Entry, inout RecordReader) throws -> Void
    ) throws {
        var position = 0
        while position < wanted.count {
            let first = wanted[position]
            let start = EntryLocation.offset(first.place)
            var end = start + EntryLocation.length(first.place)
            guard end - start < EntryLocation.longestLength else {
                // The length is in the header of the entry.
                try read(first.place, in: file) { try body(first, $0, &$1) }
                position += 1
                continue
            }
            var next = position + 1
            while next < wanted.count {
                let offset = EntryLocation.offset(wanted[next].place)
                let nextEnd = max(end, offset + EntryLocation.length(wanted[next].place))
                guard offset - end <= Self.longestGap, nextEnd - start <= Self.longestPiece else { break }
                (end, next) = (nextEnd, next + 1)
            }
            let count = try load(end - start, of: file, at: start)
            try buffer.withUnsafeBytes { bytes in
                for wanted in wanted[position..<next] {
                    let (offset, length) = (EntryLocation.offset(wanted.place), EntryLocation.length(wanted.place))
                    guard offset - start + length <= count else { throw file.damage(at: offset, "a record is cut off") }
                    let bytes = UnsafeRawBufferPointer(rebasing: bytes[(offset - start)..<(offset - start + length)])
                    try Self.withEntry(bytes, seed: seed, at: offset, path: file.path) { try body(wanted, $0, &form) }
                }
            }
            position = next
        }
    }

    mutating func shrink() {
        if buffer.count > Self.longestBuffer { buffer = [] }
    }
}
