/// Lines of an input that is read in blocks.
///
/// The reading closure receives the address of a part of the buffer. Invariant: it points to initialized bytes of an
/// array, and is valid for the call.
struct LineInput: ~Copyable {
    private let read: (UnsafeMutableRawBufferPointer) throws -> Int
    private let blockSize: Int
    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false
    private var offset = 0

    init(blockSize: Int, read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) {
        self.blockSize = max(1, blockSize)
        self.read = read
    }

    init(_ bytes: [UInt8]) {
        self.init(blockSize: 1) { _ in 0 }
        buffer = bytes
        isAtEnd = true
    }

    /// The range of the next line in the buffer, without the line feed; nil after the last line.
    mutating func nextLine() throws -> Range<Int>? {
        var searched = start
        while true {
            if let end = lineFeed(from: searched) {
                defer { start = end + 1 }
                return start..<end
            }
            searched = buffer.count
            if isAtEnd {
                guard start < buffer.count else { return nil }
                defer { start = buffer.count }
                return start..<buffer.count
            }
            if start > 0 {
                buffer.removeSubrange(..<start)
                offset += start
                searched -= start
                start = 0
            }
            try fill()
        }
    }

    func offset(of line: Range<Int>) -> Int { offset + line.lowerBound }

    func withBytes<Result>(_ range: Range<Int>, _ body: (BytesInPlace) throws -> Result) rethrows -> Result {
        try buffer.withBytesInPlace { try body($0.part(range)) }
    }

    private func lineFeed(from position: Int) -> Int? {
        buffer.withBytesInPlace { $0.firstPosition(of: 0x0A, from: position) }
    }

    private mutating func fill() throws {
        let count = buffer.count
        // Not `repeatElement`, which builds without optimization append one by one.
        buffer += [UInt8](repeating: 0, count: blockSize)
        var received = 0
        // Also if reading fails: the zeros are not bytes of the file.
        defer { buffer.removeLast(blockSize - received) }
        let number = try buffer.withUnsafeMutableBytes {
            try read(UnsafeMutableRawBufferPointer(rebasing: $0[count...]))
        }
        guard (0...blockSize).contains(number) else {
            throw RecordFormatError(
                .truncated, at: offset + count,
                reason: "the closure that reads returned \(number) for \(blockSize) bytes")
        }
        received = number
        if received == 0 { isAtEnd = true }
    }
}

extension RecordLineReader {
    /// Makes a reader of bytes from another source, such as a file.
    ///
    /// - Parameters:
    ///   - blockSize: The number of bytes to read at a time.
    ///   - read: Fills a buffer with the next bytes, and returns their number: 0 only at the end. ``next()`` throws its
    ///     errors, and ``RecordFormatError`` with the code `truncated` for a number below 0 or above that of the buffer.
    public init(blockSize: Int = 1 << 18, reading read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) {
        self.init(LineInput(blockSize: blockSize, read: read))
    }
}
