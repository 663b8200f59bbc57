@_spi(Engines) import NestedRecords

struct BufferedReader {
    static let size = 1 << 20
    private let file: StorageFile
    private let end: Int
    private var bytes: [UInt8] = []
    private var start = 0
    private var count = 0

    var memory: Int { bytes.count }

    init(file: StorageFile, end: Int) {
        self.file = file
        self.end = end
    }

    func holds(_ length: Int, at offset: Int) -> Bool { offset >= start && offset + length <= start + count }

    mutating func withBytes<Result>(
        _ length: Int, at offset: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        if !holds(length, at: offset) { try load(length, at: offset) }
        let first = offset - start
        return try bytes.withUnsafeBytes {
            try body(UnsafeRawBufferPointer(rebasing: $0[first..<(first + length)]))
        }
    }

    private mutating func load(_ length: Int, at offset: Int) throws {
        guard length <= end - offset else {
            throw file.damage(at: offset, "a location after the end of the file")
        }
        let wanted = min(max(length, Self.size), end - offset)
        // A long part must not keep its memory while others are read.
        if bytes.count < wanted || bytes.count > max(wanted, Self.size) { bytes = Array(repeating: 0, count: wanted) }
        (start, count) = (offset, 0)
        let file = file
        count = try bytes.withUnsafeMutableBytes {
            try file.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[..<wanted]), at: offset)
        }
        guard count >= length else {
            throw file.damage(at: offset + count, "the file has become shorter")
        }
    }

    /// The length of the entry at an offset, with its header; nil if it does not fit before the end.
    mutating func entryLength(at offset: Int, end: Int) throws -> Int? {
        guard end - offset > LogEntry.headerSize else { return nil }
        let length = try withBytes(4, at: offset) { LogEntry.length($0.fixed(UInt32.self, at: 0)) }
        return length > LogEntry.headerSize && length <= end - offset ? length : nil
    }
}

extension BufferedReader {
    /// Whether the bytes after an offset prove that a batch there was acknowledged: they have the header of a later
    /// one.
    ///
    /// If bytes are missing or were inserted, a header is not at its offset. The header of a batch whose save waited
    /// for the disk has its own offset in it; a copy in a record comes later in the file.
    ///
    /// - Parameter searchedEnd: The end of an earlier search that found no proof.
    mutating func hasProof(from offset: Int, seed: UInt64, searchedEnd: Int = 0) throws -> Bool {
        try firstHeader(from: max(offset + 1, searchedEnd - BlockHeader.size + 1)) { bytes, position in
            if let header = BlockHeader(bytes, seed: seed, at: position) { return header.durableEnd > UInt64(offset) }
            let claimed = BlockHeader.durableEnd(in: bytes)
            guard claimed >= UInt64(offset), let claimed = Int(exactly: claimed) else { return false }
            return BlockHeader(bytes, seed: seed, at: claimed) != nil
        } != nil
    }

    /// The first offset from which bytes begin like a header that the closure accepts.
    mutating func firstHeader(
        from offset: Int, where accepts: (_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Bool
    ) throws -> Int? {
        var start = offset
        while end - start >= BlockHeader.size {
            let length = min(end - start, Self.size)
            let first = start
            let found = try withBytes(length, at: start) { bytes in
                (0...(length - BlockHeader.size)).first { position in
                    guard bytes[position] == BlockHeader.firstByte else { return false }
                    return accepts(UnsafeRawBufferPointer(rebasing: bytes[position...]), first + position)
                }
            }
            if let found { return start + found }
            start += length - BlockHeader.size + 1
        }
        return nil
    }
}
