#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The lines of a file, read in blocks.
struct LineInput: ~Copyable {
    private let descriptor: Int32
    private let blockSize: Int
    private var buffer: [UInt8] = []

    /// The bytes that were read and not given out.
    private var start = 0
    private var isAtEnd = false

    /// Begins where the file stands.
    init(descriptor: Int32, blockSize: Int) {
        self.descriptor = descriptor
        self.blockSize = max(1, blockSize)
    }

    /// Where the next line stands in the buffer, without the line feed; nil behind the last one.
    ///
    /// - Throws: ``ReadError``.
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
                searched -= start
                start = 0
            }
            try fill()
        }
    }

    /// Calls the closure with bytes of the buffer.
    func withBytes<Result>(_ range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try buffer.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    private func lineFeed(from position: Int) -> Int? {
        buffer.withUnsafeBytes { bytes in
            guard position < bytes.count, let base = bytes.baseAddress else { return nil }
            guard let found = memchr(base + position, 0x0A, bytes.count - position) else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }

    private mutating func fill() throws {
        let count = buffer.count
        buffer.append(contentsOf: repeatElement(0, count: blockSize))
        var received = 0
        // Also where reading fails: zeros are no bytes of the file.
        defer { buffer.removeLast(blockSize - received) }
        received = try buffer.withUnsafeMutableBytes {
            try systemRead(descriptor, into: UnsafeMutableRawBufferPointer(rebasing: $0[count...]))
        }
        if received == 0 { isAtEnd = true }
    }
}

/// Why a file could not be read.
struct ReadError: Error, Hashable, CustomStringConvertible {
    /// The system's number for the reason.
    let code: Int32

    /// The reason in the system's words.
    var description: String { "cannot read: \(String(cString: strerror(code)))" }
}
