/// Bytes in memory that grow at the end.
///
/// An array would first fill with zeros what is about to be written.
package struct GrowingBytes: ~Copyable {
    private var start: UnsafeMutableRawPointer
    private var capacity: Int

    /// The number of bytes.
    package private(set) var count = 0

    package init(capacity: Int = 4_096) {
        self.capacity = max(capacity, 64)
        start = .allocate(byteCount: self.capacity, alignment: 16)
    }

    deinit { start.deallocate() }

    /// Makes sure that this many bytes more can be written without growing.
    @inline(__always)
    package mutating func reserve(_ more: Int) {
        if capacity - count < more { grow(more) }
    }

    @inline(never)
    private mutating func grow(_ more: Int) {
        let capacity = max(capacity * 2, count + more)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
        memory.copyMemory(from: start, byteCount: count)
        start.deallocate()
        (start, self.capacity) = (memory, capacity)
    }

    /// Forgets all bytes from a position on, and keeps their memory.
    package mutating func truncate(to count: Int) {
        if count >= 0, count < self.count { self.count = count }
    }

    /// Calls the closure with the bytes, which are valid until it returns.
    package borrowing func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Calls the closure with the bytes, to change those whose value is known only later.
    package mutating func withMutableBytes<Result, Failure: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeMutableRawBufferPointer(start: start, count: count))
    }
}

extension GrowingBytes {
    @inline(__always)
    package mutating func append(byte: UInt8) {
        reserve(1)
        start.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    /// Appends eight bytes, the lowest first.
    @inline(__always)
    package mutating func append(word: UInt64) {
        reserve(8)
        start.storeBytes(of: word.littleEndian, toByteOffset: count, as: UInt64.self)
        count += 8
    }

    /// Appends a number in as few bytes as hold it: seven bits each, the lowest first, all but the last marked.
    @inline(__always)
    package mutating func append(varint: UInt64) {
        reserve(10)
        var rest = varint
        while rest >= 0x80 {
            start.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: count, as: UInt8.self)
            count += 1
            rest &>>= 7
        }
        start.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: count, as: UInt8.self)
        count += 1
    }

    @inline(__always)
    package mutating func append(contentsOf bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        reserve(bytes.count)
        (start + count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }

    /// Appends the length of a string as a varint, and its UTF-8.
    @inline(__always)
    package mutating func append(text: String) {
        append(varint: UInt64(truncatingIfNeeded: text.utf8.count))
        append(utf8Of: text)
    }

    @inline(__always)
    package mutating func append(utf8Of text: String) {
        let isDone: Void? = text.utf8.withContiguousStorageIfAvailable {
            append(contentsOf: UnsafeRawBufferPointer($0))
        }
        if isDone == nil { Array(text.utf8).withUnsafeBytes { append(contentsOf: $0) } }
    }

    /// Appends an ID: its type, then its name, each behind its length in one byte.
    @inline(__always)
    package mutating func append(_ id: Record.ID) {
        append(byte: UInt8(truncatingIfNeeded: id.type.utf8.count))
        append(utf8Of: id.type)
        append(byte: UInt8(truncatingIfNeeded: id.name.utf8.count))
        append(utf8Of: id.name)
    }
}
