/// A buffer of bytes in the binary form, which grows at the end.
package struct GrowingBytes: ~Copyable {
    private var list = GrowingList<UInt8>()

    package init(capacity: Int = 4_096) { list.reserve(capacity) }

    package var count: Int { list.count }

    package mutating func truncate(to count: Int) { list.truncate(to: count) }

    package borrowing func withBytes<Result, Failure: Error>(
        _ body: (BytesInPlace) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try list.withBytesInPlace(body)
    }

    /// Overwrites the four bytes at a position with a little-endian number, for values that are known only afterwards.
    package mutating func set(_ number: UInt32, at position: Int) { list.set(bytesOf: number, at: position) }
}

extension GrowingBytes {
    @inline(__always)
    package mutating func append(byte: UInt8) { list.append(byte) }

    @inline(__always)
    package mutating func append(word: UInt64) { list.append(bytesOf: word) }

    @inline(__always)
    package mutating func append(varint: UInt64) {
        var rest = varint
        while rest >= 0x80 {
            append(byte: UInt8(truncatingIfNeeded: rest) | 0x80)
            rest &>>= 7
        }
        append(byte: UInt8(truncatingIfNeeded: rest))
    }

    @inline(__always)
    package mutating func append(contentsOf bytes: BytesInPlace) { list.append(contentsOf: bytes) }

    @inline(__always)
    package mutating func append(text: String) {
        append(varint: UInt64(truncatingIfNeeded: text.utf8.count))
        append(utf8Of: text)
    }

    @inline(__always)
    package mutating func append(utf8Of text: String) { text.withBytesInPlace { append(contentsOf: $0) } }

    @inline(__always)
    package mutating func append(_ id: Record.ID) {
        append(byte: UInt8(truncatingIfNeeded: id.type.utf8.count))
        append(utf8Of: id.type)
        append(byte: UInt8(truncatingIfNeeded: id.name.utf8.count))
        append(utf8Of: id.name)
    }
}
