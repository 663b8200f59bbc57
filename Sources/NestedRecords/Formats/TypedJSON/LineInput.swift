/// Lines, read in blocks.
///
/// Who reads gets the address of a part of the buffer. Invariant: it is that of initialized bytes of an array, and is
/// there for the call.
struct LineInput: ~Copyable {
    private let read: (UnsafeMutableRawBufferPointer) throws -> Int
    private let blockSize: Int
    private var buffer: [UInt8] = []

    /// The bytes that were read and not given out.
    private var start = 0
    private var isAtEnd = false

    /// How many bytes there were before those of the buffer.
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

    /// Where the next line is in the buffer, without the line feed; nil behind the last one.
    ///
    /// - Throws: What reading throws.
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

    /// How many bytes of the input are before a line.
    func offset(of line: Range<Int>) -> Int { offset + line.lowerBound }

    /// Calls the closure with bytes of the buffer.
    func withBytes<Result>(_ range: Range<Int>, _ body: (BytesInPlace) throws -> Result) rethrows -> Result {
        try buffer.withBytesInPlace { try body($0.part(range)) }
    }

    private func lineFeed(from position: Int) -> Int? {
        buffer.withBytesInPlace { $0.firstPosition(of: 0x0A, from: position) }
    }

    private mutating func fill() throws {
        let count = buffer.count
        buffer.append(contentsOf: repeatElement(0, count: blockSize))
        var received = 0
        // Also where reading fails: zeros are no bytes of the file.
        defer { buffer.removeLast(blockSize - received) }
        received = try buffer.withUnsafeMutableBytes {
            try read(UnsafeMutableRawBufferPointer(rebasing: $0[count...]))
        }
        if received == 0 { isAtEnd = true }
    }
}

extension RecordLineReader {
    /// Makes a reader of bytes from elsewhere, such as a file.
    ///
    /// - Parameters:
    ///   - blockSize: How many bytes to read at once.
    ///   - read: Puts the next bytes into a buffer, and returns how many they are: 0 only at the end. Its errors are
    ///     thrown by ``next()``.
    public init(blockSize: Int = 1 << 18, reading read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) {
        self.init(LineInput(blockSize: blockSize, read: read))
    }
}
