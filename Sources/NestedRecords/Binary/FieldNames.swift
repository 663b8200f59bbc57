/// The names of the fields of all records of one shape, read from their block.
final class FieldNames: Sendable {
    /// The bytes that the names were read from, and their hash.
    let block: [UInt8]
    let hash: UInt64

    let names: [String]

    /// Where each name stands, for ``Record/Fields``.
    let positions: [String: Int]?

    let hasEmptyName: Bool

    static let empty = FieldNames()

    private init() {
        (block, hash, names, positions, hasEmptyName) = ([], 0, [], nil, false)
    }

    /// Reads the names in a block.
    ///
    /// - Throws: An error whose offset counts from the beginning of the block.
    init(_ bytes: UnsafeRawBufferPointer, hash: UInt64) throws(RecordFormatError) {
        var cursor = ByteCursor(bytes)
        var names: [String] = []
        while cursor.remaining > 0 {
            let start = cursor.offset
            let name = try cursor.text()
            if name.hasTooManyMarks { throw RecordFormatError(.tooManyMarks, at: start) }
            names.append(name)
        }
        if let repetition = names.firstRepetition {
            throw RecordFormatError(
                .repeatedFieldName(names[repetition]), at: names[..<repetition].lengthAsBlock)
        }
        block = Array(bytes)
        self.hash = hash
        self.names = names
        positions = Record.Fields.positions(of: names)
        hasEmptyName = names.contains(where: \.isEmpty)
    }
}

/// The names that were read before, by the bytes of their blocks.
struct FieldNamesCache {
    /// A block may stand in this many places, so that two shapes seldom drive each other out.
    private static let ways = 4
    private static let count = 512

    /// Names that come in ever new combinations are data: the cache must not keep all of them.
    private static let longestBlock = 4_096
    private static let mostBytes = 65_536

    private var entries: ContiguousArray<FieldNames?> = []
    private var bytes = 0

    /// The names in a block.
    ///
    /// - Throws: An error whose offset counts from the beginning of the block.
    @inline(__always)
    mutating func names(in block: UnsafeRawBufferPointer) throws(RecordFormatError) -> FieldNames {
        if block.isEmpty { return .empty }
        let hash = XXH64.hash(block)
        let first = Int(truncatingIfNeeded: hash) & (Self.count - 1)
        if !entries.isEmpty {
            for way in 0..<Self.ways {
                guard let names = entries[(first + way) & (Self.count - 1)] else { break }
                if names.hash == hash, names.isRead(from: block) { return names }
            }
        }
        return try readNames(in: block, hash: hash, first: first)
    }

    @inline(never)
    private mutating func readNames(
        in block: UnsafeRawBufferPointer, hash: UInt64, first: Int
    ) throws(RecordFormatError) -> FieldNames {
        let names = try FieldNames(block, hash: hash)
        guard block.count <= Self.longestBlock else { return names }
        if entries.isEmpty || bytes + block.count > Self.mostBytes {
            entries = ContiguousArray(repeating: nil, count: Self.count)
            bytes = 0
        }
        let places = (0..<Self.ways).map { (first + $0) & (Self.count - 1) }
        let place = places.first { entries[$0] == nil } ?? places[0]
        bytes += block.count - (entries[place]?.block.count ?? 0)
        entries[place] = names
        return names
    }
}

extension FieldNames {
    @inline(__always)
    fileprivate func isRead(from bytes: UnsafeRawBufferPointer) -> Bool {
        block.withUnsafeBytes { $0.hasSameBytes(as: bytes) }
    }
}
