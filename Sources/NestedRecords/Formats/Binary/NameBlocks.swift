/// The field names of all records of one shape, and the block that they were read from.
final class NameBlock: Sendable {
    /// The bytes that the names were read from, and their hash.
    let bytes: [UInt8]
    let hash: UInt64

    /// Nil for an empty block.
    let names: FieldNames?
    let hasEmptyName: Bool

    var count: Int { names?.names.count ?? 0 }

    static let empty = NameBlock()

    private init() {
        (bytes, hash, names, hasEmptyName) = ([], 0, nil, false)
    }

    /// Reads the names in a block.
    ///
    /// - Throws: ``RecordFormatError`` with an offset in the block.
    init(_ block: BytesInPlace, hash: UInt64) throws(RecordFormatError) {
        var cursor = ByteCursor(block)
        var names: [String] = []
        while cursor.remaining > 0 {
            let start = cursor.offset
            let name = try cursor.text()
            if name.hasTooManyMarks { throw RecordFormatError(.tooManyMarks, at: start) }
            names.append(name)
        }
        if let repetition = names.firstRepetition {
            throw RecordFormatError(
                .repeatedFieldName, at: names[..<repetition].lengthAsBlock, repeatedName: names[repetition])
        }
        bytes = Array(block)
        self.hash = hash
        self.names = FieldNames(names)
        hasEmptyName = names.contains(where: \.isEmpty)
    }
}

/// A cache of names that were read, by the bytes of their blocks.
struct NameBlocks {
    /// A block may be in this many slots, so that two shapes rarely evict each other.
    private static let ways = 4
    private static let count = 512

    /// The cache does not keep all names, since names that always differ are data.
    private static let longestBlock = 4_096
    private static let mostBytes = 65_536

    private var entries: ContiguousArray<NameBlock?> = []
    private var bytes = 0

    /// The block of the last call: most records have the shape of the record before.
    private var latest = NameBlock.empty

    /// The block before it: records with and without an optional property alternate.
    private var previous = NameBlock.empty

    /// Returns the names in a block.
    ///
    /// - Throws: ``RecordFormatError`` with an offset in the block.
    @inline(__always)
    mutating func names(in block: BytesInPlace) throws(RecordFormatError) -> NameBlock {
        if !latest.isRead(from: block) {
            swap(&latest, &previous)
            if !latest.isRead(from: block) { latest = try find(block) }
        }
        return latest
    }

    @inline(never)
    private mutating func find(_ block: BytesInPlace) throws(RecordFormatError) -> NameBlock {
        if block.isEmpty { return .empty }
        let hash = XXH64.hash(block)
        let first = Int(truncatingIfNeeded: hash) & (Self.count - 1)
        if !entries.isEmpty {
            for way in 0..<Self.ways {
                guard let entry = entries[(first + way) & (Self.count - 1)] else { break }
                if entry.hash == hash, entry.isRead(from: block) { return entry }
            }
        }
        return try readBlock(block, hash: hash, first: first)
    }

    @inline(never)
    private mutating func readBlock(
        _ block: BytesInPlace, hash: UInt64, first: Int
    ) throws(RecordFormatError) -> NameBlock {
        let entry = try NameBlock(block, hash: hash)
        guard block.count <= Self.longestBlock else { return entry }
        if entries.isEmpty || bytes + block.count > Self.mostBytes {
            entries = ContiguousArray(repeating: nil, count: Self.count)
            bytes = 0
        }
        let places = (0..<Self.ways).map { (first + $0) & (Self.count - 1) }
        let place = places.first { entries[$0] == nil } ?? places[0]
        bytes += block.count - (entries[place]?.bytes.count ?? 0)
        entries[place] = entry
        return entry
    }
}

extension NameBlock {
    /// Whether the block has these bytes.
    @inline(__always)
    func isRead(from block: BytesInPlace) -> Bool {
        bytes.withBytesInPlace { $0.hasSameBytes(as: block) }
    }
}
