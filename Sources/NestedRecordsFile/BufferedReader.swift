import NestedRecords

/// The part of a file that is being read: large pieces, one after the other.
struct BufferedReader {
    static let size = 1 << 20

    private let file: StorageFile
    private let end: Int
    private var bytes: [UInt8] = []
    private var start = 0
    private var count = 0

    /// - Parameters:
    ///   - file: The file.
    ///   - end: Where to take the file for ended.
    init(file: StorageFile, end: Int) {
        self.file = file
        self.end = end
    }

    /// Calls the closure with bytes, which must be within the file.
    mutating func withBytes<Result>(
        _ length: Int, at offset: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        if offset < start || offset + length > start + count { try load(length, at: offset) }
        let first = offset - start
        return try bytes.withUnsafeBytes {
            try body(UnsafeRawBufferPointer(rebasing: $0[first..<(first + length)]))
        }
    }

    private mutating func load(_ length: Int, at offset: Int) throws {
        guard length <= end - offset else {
            throw FileRecordDatabaseError.corrupt(
                path: file.path, offset: offset, what: "a place behind the end of the file")
        }
        let wanted = min(max(length, Self.size), end - offset)
        if bytes.count < wanted { bytes = Array(repeating: 0, count: wanted) }
        (start, count) = (offset, 0)
        let file = file
        count = try bytes.withUnsafeMutableBytes {
            try file.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[..<wanted]), at: offset)
        }
        guard count >= length else {
            throw FileRecordDatabaseError.corrupt(
                path: file.path, offset: offset + count, what: "the file has become shorter")
        }
    }

    /// The length of the entry at an offset with its header; nil if there is no room for it before the end.
    mutating func entryLength(at offset: Int, end: Int) throws -> Int? {
        guard end - offset > LogEntry.headerSize else { return nil }
        let length = try withBytes(4, at: offset) { LogEntry.headerSize + Int($0.fixed(UInt32.self, at: 0)) }
        return length > LogEntry.headerSize && length <= end - offset ? length : nil
    }
}

extension BufferedReader {
    /// The offset of the first block header, from an offset on, that the closure accepts.
    mutating func nextHeader(from offset: Int, seed: UInt64, where accepts: (BlockHeader) -> Bool) throws -> Int? {
        var start = offset
        while end - start >= BlockHeader.size {
            let length = min(end - start, Self.size)
            let first = start
            let found = try withBytes(length, at: start) { bytes in
                (0...(length - BlockHeader.size)).first { position in
                    guard bytes[position] == BlockHeader.firstByte else { return false }
                    let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
                    return BlockHeader(rest, seed: seed, at: first + position).map(accepts) ?? false
                }
            }
            if let found { return start + found }
            start += length - BlockHeader.size + 1
        }
        return nil
    }
}
