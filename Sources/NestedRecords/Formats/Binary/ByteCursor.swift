#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

package struct ByteCursor {
    private let bytes: BytesInPlace
    package private(set) var offset = 0

    package init(_ bytes: BytesInPlace) { self.bytes = bytes }

    package init(_ bytes: BytesInPlace, at offset: Int) { (self.bytes, self.offset) = (bytes, offset) }

    package var remaining: Int {
        @inline(__always) get { bytes.count &- offset }
    }

    @inline(__always)
    package mutating func byte() throws(RecordFormatError) -> UInt8 {
        guard let byte = bytes.byte(at: offset) else { throw RecordFormatError(.truncated, at: offset) }
        offset &+= 1
        return byte
    }

    @inline(__always)
    package mutating func word() throws(RecordFormatError) -> UInt64 {
        guard let word = bytes.number(UInt64.self, at: offset) else { throw RecordFormatError(.truncated, at: offset) }
        offset &+= 8
        return word
    }

    /// A number with seven bits in each byte, in as few bytes as possible.
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

    /// A count of bytes, or of elements of at least one byte; `reserved` bytes are needed for other values.
    @inline(__always)
    package mutating func length(reserved: Int = 0) throws(RecordFormatError) -> Int {
        let start = offset
        let length = try varint()
        guard length <= UInt64(truncatingIfNeeded: remaining), Int(truncatingIfNeeded: length) <= remaining - reserved
        else { throw RecordFormatError(.truncated, at: start) }
        return Int(truncatingIfNeeded: length)
    }

    @inline(__always)
    package mutating func slice(_ length: Int) throws(RecordFormatError) -> BytesInPlace {
        guard let slice = bytes.part(at: offset, count: length) else { throw RecordFormatError(.truncated, at: offset) }
        offset &+= length
        return slice
    }

    @inline(__always)
    func bytes(from start: Int) -> BytesInPlace { bytes.part(start..<offset) }

    @inline(__always)
    package mutating func text(_ length: Int) throws(RecordFormatError) -> String {
        let start = offset
        return try Self.text(try slice(length), at: start)
    }

    @inline(__always)
    static func text(_ bytes: BytesInPlace, at start: Int) throws(RecordFormatError) -> String {
        guard let text = bytes.string else { throw RecordFormatError(.invalidUTF8, at: start) }
        return text
    }

    @inline(__always)
    package mutating func text() throws(RecordFormatError) -> String { try text(try length()) }

    /// A string, which shares the memory of another string with the same bytes.
    @inline(__always)
    mutating func text(sharing other: String) throws(RecordFormatError) -> String {
        let length = try length()
        let start = offset
        let bytes = try slice(length)
        // Shorter strings need no heap memory.
        if length > 15, other.hasSameBytes(as: bytes) { return other }
        return try Self.text(bytes, at: start)
    }

    @inline(__always)
    package mutating func double() throws(RecordFormatError) -> Double { Double(bitPattern: try word()) }

    @inline(__always)
    package mutating func date() throws(RecordFormatError) -> Date {
        Date(timeIntervalSinceReferenceDate: try double())
    }
}
