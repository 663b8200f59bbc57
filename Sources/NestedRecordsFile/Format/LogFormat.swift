@_spi(Engines) import NestedRecords

// The parts of a record file. The article "The Record File" describes them byte by byte.

struct FileHeader: Equatable {
    static let magic: [UInt8] = [0x4E, 0x52, 0x44, 0x42, 0x0D, 0x0A, 0x1A, 0x0A]
    static let version: UInt32 = 4

    /// Where the blocks begin: the header and both states before it have sectors of their own.
    static let size = 4_096

    /// Where the batches begin in a new file: after the copy of the header, which is the first block.
    static let batchesStart = size + BlockHeader.size

    /// The version of the format of this file, which differs only in copies of headers.
    let version: UInt32

    /// Random for each file and each compaction, so that parts of another file are never read as parts of this one.
    let seed: UInt64

    /// The seed of the file that this one was compacted from, 0 for none.
    let origin: UInt64

    init(seed: UInt64, origin: UInt64 = 0) {
        (self.seed, self.origin) = (seed, origin)
        version = Self.version
    }

    private static let checkedBytes = 32

    var bytes: [UInt8] {
        var bytes = Self.magic
        bytes.append(fixed: version)
        bytes.append(fixed: UInt32(0))
        bytes.append(fixed: seed)
        bytes.append(fixed: origin)
        bytes.append(fixed: bytes.withUnsafeBytes { XXH64.hash($0, seed: 0) })
        return bytes
    }

    init(_ bytes: UnsafeRawBufferPointer, path: String) throws {
        guard bytes.count >= Self.magic.count, bytes.prefix(Self.magic.count).elementsEqual(Self.magic) else {
            throw RecordDatabaseError(.notARecordDatabase, path: path)
        }
        let version = bytes.count < 12 ? Self.version : bytes.fixed(UInt32.self, at: 8)
        guard version == Self.version else {
            throw RecordDatabaseError(.unsupportedVersion, .version(Int(version)), path: path)
        }
        guard bytes.count >= Self.checkedBytes + 8 else {
            let reason = "the header of the file is cut off"
            throw RecordDatabaseError(.corrupt, .offset(bytes.count), reason: reason, path: path)
        }
        let checksum = XXH64.hash(UnsafeRawBufferPointer(rebasing: bytes[..<Self.checkedBytes]), seed: 0)
        guard checksum == bytes.fixed(UInt64.self, at: Self.checkedBytes) else {
            throw RecordDatabaseError(.corrupt, .offset(0), reason: "the header of the file", path: path)
        }
        self.version = version
        seed = bytes.fixed(UInt64.self, at: 16)
        origin = bytes.fixed(UInt64.self, at: 24)
    }

    /// The copy of the header: a block, so that code that reads all blocks need not know about it.
    var copy: [UInt8] {
        BlockHeader(
            .header, count: Int(version), byteCount: 0, sequence: seed, digest: origin, durableEnd: Self.size
        ).bytes(seed: seed, at: Self.size)
    }

    init?(copy bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= BlockHeader.size,
            let block = BlockHeader(bytes, seed: BlockHeader.sequence(in: bytes), at: Self.size), block.kind == .header
        else { return nil }
        (version, seed, origin) = (block.count, block.sequence, block.digest)
    }
}

/// The state of a file when it was last closed or compacted.
///
/// It has two slots that are written in turn, so that one is always valid, even if the write of the other fails.
struct LogState: Equatable {
    static let offsets = [512, 1_024]
    static let size = 48
    private static let checkedBytes = 40

    /// Grows with every state; the newest valid one counts.
    var generation: UInt64 = 0

    var durableEnd = UInt64(FileHeader.size)
    var indexOffset: UInt64 = 0
    var sequence: UInt64 = 0
    var compactions: UInt64 = 0

    func bytes(seed: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        for value in [generation, durableEnd, indexOffset, sequence, compactions] { bytes.append(fixed: value) }
        bytes.append(fixed: bytes.withUnsafeBytes { XXH64.hash($0, seed: seed) })
        return bytes
    }

    init(durableEnd: UInt64 = UInt64(FileHeader.size)) {
        self.durableEnd = durableEnd
    }

    init?(_ bytes: UnsafeRawBufferPointer, seed: UInt64) {
        guard bytes.count >= Self.size,
            XXH64.hash(UnsafeRawBufferPointer(rebasing: bytes[..<Self.checkedBytes]), seed: seed)
                == bytes.fixed(UInt64.self, at: Self.checkedBytes)
        else { return nil }
        generation = bytes.fixed(UInt64.self, at: 0)
        durableEnd = bytes.fixed(UInt64.self, at: 8)
        indexOffset = bytes.fixed(UInt64.self, at: 16)
        sequence = bytes.fixed(UInt64.self, at: 24)
        compactions = bytes.fixed(UInt64.self, at: 32)
    }

    var offset: Int { Self.offsets[Int(generation % 2)] }
}

/// The header before the entries of a batch, or before a saved index.
struct BlockHeader: Equatable {
    static let size = 48
    private static let checkedBytes = 40

    enum Kind: UInt32 {
        case batch = 0x4842_524E
        case index = 0x4958_524E

        /// The copy of the file's header, with its version, seed and origin as the count, the sequence number and the
        /// digest.
        case header = 0x4348_524E

        /// The placeholder for the header of a long batch until its entries are written.
        case announcement = 0x4C42_524E

        case history = 0x5348_524E

        /// What a compaction keeps of audiences.
        case audiences = 0x4148_524E
    }

    static let firstByte: UInt8 = 0x4E
    let kind: Kind
    let count: UInt32
    let byteCount: UInt64

    /// The number of the first entry among all entries ever written.
    let sequence: UInt64

    /// Computed from the checksums of all entries; the checksum of an index.
    let digest: UInt64

    /// The offset up to which the file was known to survive a loss of power when this was written: damage before it is
    /// in acknowledged data, damage after it may be a write that never completed.
    let durableEnd: UInt64

    init(_ kind: Kind, count: Int, byteCount: Int, sequence: UInt64, digest: UInt64, durableEnd: Int) {
        self.kind = kind
        self.count = UInt32(truncatingIfNeeded: count)
        self.byteCount = UInt64(truncatingIfNeeded: byteCount)
        self.sequence = sequence
        self.digest = digest
        self.durableEnd = UInt64(truncatingIfNeeded: durableEnd)
    }

    /// The placeholder for the header of a long batch until its entries are written.
    static func announcement(at offset: Int) -> BlockHeader {
        BlockHeader(.announcement, count: 0, byteCount: 0, sequence: 0, digest: 0, durableEnd: offset)
    }

    /// Whether bytes are partly the announcement of a long batch, and partly the header that was to replace it.
    ///
    /// An interrupted write leaves the end of the announcement. A loss of power leaves its beginning or its end, if it
    /// is in two sectors. So one of these is present: the announcement's kind, its checksum, or all of the header
    /// except a part of the checksum, which can be computed.
    static func isTornAnnouncement(_ bytes: UnsafeRawBufferPointer, seed: UInt64, at offset: Int) -> Bool {
        guard bytes.count >= size else { return false }
        let announcement = announcement(at: offset).bytes(seed: seed, at: offset)
        if bytes[..<4].elementsEqual(announcement[..<4]) { return true }
        let checked = UnsafeRawBufferPointer(rebasing: bytes[..<checkedBytes])
        let checksum = (0..<8).map {
            UInt8(truncatingIfNeeded: Self.checksum(checked, seed: seed, at: offset) >> (8 * $0))
        }
        return (checkedBytes..<size).contains { end in
            bytes[end..<size].elementsEqual(announcement[end..<size])
                && bytes[checkedBytes..<end].elementsEqual(checksum.prefix(end - checkedBytes))
        }
    }

    func bytes(seed: UInt64, at offset: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(fixed: kind.rawValue)
        bytes.append(fixed: count)
        bytes.append(fixed: byteCount)
        bytes.append(fixed: sequence)
        bytes.append(fixed: digest)
        bytes.append(fixed: durableEnd)
        bytes.append(fixed: bytes.withUnsafeBytes { Self.checksum($0, seed: seed, at: offset) })
        return bytes
    }

    init?(_ bytes: UnsafeRawBufferPointer, seed: UInt64, at offset: Int) {
        guard bytes.count >= Self.size, let kind = Kind(rawValue: bytes.fixed(UInt32.self, at: 0)),
            Self.checksum(UnsafeRawBufferPointer(rebasing: bytes[..<Self.checkedBytes]), seed: seed, at: offset)
                == bytes.fixed(UInt64.self, at: Self.checkedBytes)
        else { return nil }
        self.kind = kind
        count = bytes.fixed(UInt32.self, at: 4)
        byteCount = bytes.fixed(UInt64.self, at: 8)
        sequence = bytes.fixed(UInt64.self, at: 16)
        digest = bytes.fixed(UInt64.self, at: 24)
        durableEnd = bytes.fixed(UInt64.self, at: 32)
    }

    // The numbers of a header whose checksum was not checked.
    static func sequence(in bytes: UnsafeRawBufferPointer) -> UInt64 { bytes.fixed(UInt64.self, at: 16) }
    static func durableEnd(in bytes: UnsafeRawBufferPointer) -> UInt64 { bytes.fixed(UInt64.self, at: 32) }

    // Includes the header's own offset: a record may hold a copy of a record file.
    private static func checksum(_ bytes: UnsafeRawBufferPointer, seed: UInt64, at offset: Int) -> UInt64 {
        XXH64.hash(bytes, seed: seed ^ UInt64(truncatingIfNeeded: offset) &* 0x9E37_79B9_7F4A_7C15)
    }

    /// Extends the digest of the preceding entries by the checksum of the next one.
    static func digest(_ digest: UInt64, _ checksum: UInt32) -> UInt64 {
        let mixed = (digest ^ UInt64(checksum)) &* 0x9E37_79B1_85EB_CA87
        return mixed ^ mixed >> 29
    }
}

/// A saved or deleted record: a header of 8 bytes, the kind, and the binary form of the record or its ID.
enum LogEntry {
    static let headerSize = 8

    /// The length of an entry with its header, from the field at the beginning of its header.
    ///
    /// A damaged field may be greater than an `Int` of 32 bits.
    static func length(_ field: UInt32) -> Int { Int(clamping: Int64(field) + Int64(headerSize)) }

    struct Kind: Equatable {
        var isDeletion: Bool

        /// Whether a compaction has copied it.
        ///
        /// The number is not in the header of its block: for a record it is in its change tag, for a deletion before
        /// the ID.
        var isCopied = false

        /// Whether it belongs to the same batch as the copied entry before it.
        var continuesBatch = false

        init(isDeletion: Bool, isCopied: Bool = false, continuesBatch: Bool = false) {
            (self.isDeletion, self.isCopied, self.continuesBatch) = (isDeletion, isCopied, continuesBatch)
        }

        var byte: UInt8 { (isDeletion ? 2 : 1) | (isCopied ? 0x10 : 0) | (continuesBatch ? 0x20 : 0) }

        init?(_ byte: UInt8) {
            self.init(isDeletion: byte & 0xF == 2, isCopied: byte & 0x10 != 0, continuesBatch: byte & 0x20 != 0)
            guard self.byte == byte, isCopied || !continuesBatch else { return nil }
        }

        var numberSize: Int { isDeletion && isCopied ? 8 : 0 }
    }

    static let save = Kind(isDeletion: false)
    static let delete = Kind(isDeletion: true)

    static func checksum(_ bytes: BytesInPlace, seed: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: XXH64.hash(bytes, seed: seed))
    }
}

enum EntryLocation {
    static let lengthBits = 24
    static let longestLength = 1 << lengthBits - 1
    static let largestOffset = Int(truncatingIfNeeded: min(UInt64(Int.max), 1 << 40 - 1))

    static func make(offset: Int, length: Int) -> UInt64 {
        UInt64(truncatingIfNeeded: offset) << 24 | UInt64(truncatingIfNeeded: min(length, longestLength))
    }

    static func offset(_ place: UInt64) -> Int { Int(truncatingIfNeeded: place >> 24) }

    /// The length of the entry with its header; the length of the longest entries is read from the header.
    static func length(_ place: UInt64) -> Int { Int(truncatingIfNeeded: place & 0xFF_FFFF) }
}

// MARK: Numbers, the lowest byte first

extension [UInt8] {
    mutating func append<Number: FixedWidthInteger>(fixed number: Number) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}

extension UnsafeRawBufferPointer {
    /// The number at an offset, which must be within the bytes.
    func fixed<Number: FixedWidthInteger>(_: Number.Type, at offset: Int) -> Number {
        Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
}
