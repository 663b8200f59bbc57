#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Reads values from untrusted bytes, and rejects what is malformed.
package struct ByteCursor {
    package let bytes: UnsafeRawBufferPointer
    package private(set) var offset = 0

    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// A cursor at an offset that another one had in these bytes.
    init(_ bytes: UnsafeRawBufferPointer, at offset: Int) { (self.bytes, self.offset) = (bytes, offset) }

    package var remaining: Int {
        @inline(__always) get { bytes.count &- offset }
    }

    /// The address of the next byte; only where there is one.
    private var next: UnsafeRawPointer? { bytes.baseAddress?.advanced(by: offset) }

    @inline(__always)
    package mutating func byte() throws(RecordFormatError) -> UInt8 {
        guard remaining > 0, let next else { throw RecordFormatError(.truncated, at: offset) }
        offset &+= 1
        return next.load(as: UInt8.self)
    }

    /// Eight bytes, the lowest first.
    @inline(__always)
    package mutating func word() throws(RecordFormatError) -> UInt64 {
        guard remaining >= 8, let next else { throw RecordFormatError(.truncated, at: offset) }
        offset &+= 8
        return UInt64(littleEndian: next.loadUnaligned(as: UInt64.self))
    }

    /// A number of seven bits in each byte, in no more bytes than it needs.
    @inline(__always)
    package mutating func varint() throws(RecordFormatError) -> UInt64 {
        let first = try byte()
        return first < 0x80 ? UInt64(first) : try longVarint(first)
    }

    @inline(never)
    private mutating func longVarint(_ first: UInt8) throws(RecordFormatError) -> UInt64 {
        let start = offset - 1
        var result = UInt64(first & 0x7F)
        var shift: UInt64 = 7
        while true {
            let byte = try byte()
            result |= UInt64(byte & 0x7F) &<< shift
            if byte < 0x80 {
                let isShortest = byte != 0
                let fits = shift < 63 || byte == 1
                guard isShortest, fits else { throw RecordFormatError(.invalidNumber, at: start) }
                return result
            }
            guard shift < 63 else { throw RecordFormatError(.invalidNumber, at: start) }
            shift += 7
        }
    }

    /// A number of bytes, or of things of at least one byte, of which this many are spoken for.
    @inline(__always)
    package mutating func length(reserved: Int = 0) throws(RecordFormatError) -> Int {
        let start = offset
        let length = try varint()
        guard length <= UInt64(truncatingIfNeeded: remaining), Int(truncatingIfNeeded: length) <= remaining - reserved
        else { throw RecordFormatError(.truncated, at: start) }
        return Int(truncatingIfNeeded: length)
    }

    @inline(__always)
    package mutating func slice(_ length: Int) throws(RecordFormatError) -> UnsafeRawBufferPointer {
        guard length <= remaining else { throw RecordFormatError(.truncated, at: offset) }
        defer { offset &+= length }
        return UnsafeRawBufferPointer(start: next, count: length)
    }

    @inline(__always)
    package mutating func text(_ length: Int) throws(RecordFormatError) -> String {
        let start = offset
        return try Self.text(try slice(length), at: start)
    }

    @inline(__always)
    static func text(_ bytes: UnsafeRawBufferPointer, at start: Int) throws(RecordFormatError) -> String {
        // Several times faster than the initialiser that validates. What is repaired has other bytes.
        let text = bytes.count > 15 ? String(decoding: bytes, as: UTF8.self) : shortText(bytes)
        guard text.isText(of: bytes) else { throw RecordFormatError(.invalidText, at: start) }
        return text
    }

    /// A text without memory of its own, made in a third of the time that another one takes.
    @inline(__always)
    private static func shortText(_ bytes: UnsafeRawBufferPointer) -> String {
        String(unsafeUninitializedCapacity: bytes.count) { text in
            UnsafeMutableRawBufferPointer(text).copyMemory(from: bytes)
            return bytes.count
        }
    }

    @inline(__always)
    package mutating func text() throws(RecordFormatError) -> String { try text(try length()) }

    /// A text, which shares the memory of another one with the same bytes.
    @inline(__always)
    mutating func text(sharing other: String) throws(RecordFormatError) -> String {
        let length = try length()
        let start = offset
        let bytes = try slice(length)
        // Shorter strings have no memory of their own.
        if length > 15, other.isText(of: bytes) { return other }
        return try Self.text(bytes, at: start)
    }

    @inline(__always)
    package mutating func double() throws(RecordFormatError) -> Double { Double(bitPattern: try word()) }

    @inline(__always)
    package mutating func date() throws(RecordFormatError) -> Date {
        Date(timeIntervalSinceReferenceDate: try double())
    }
}

extension String {
    /// Whether these bytes are the UTF-8 of this string, whatever it is kept in.
    @inline(__always)
    func isText(of bytes: UnsafeRawBufferPointer) -> Bool {
        utf8.withContiguousStorageIfAvailable { UnsafeRawBufferPointer($0).isSame(as: bytes) }
            ?? utf8.elementsEqual(bytes)
    }
}

extension UnsafeRawBufferPointer {
    /// Whether both have the same bytes.
    ///
    /// Most texts in records are short: comparing them byte by byte took a tenth of the time to read a record.
    @inline(__always)
    func isSame(as other: Self) -> Bool {
        if count != other.count { return false }
        if count >= 8 { return hasSameBytes(as: other) }
        if count >= 4 {
            // The halves overlap where there are fewer than eight.
            return loadUnaligned(as: UInt32.self) == other.loadUnaligned(as: UInt32.self)
                && loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)
                    == other.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)
        }
        for position in 0..<count where self[position] != other[position] { return false }
        return true
    }
}
