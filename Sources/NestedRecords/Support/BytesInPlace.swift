#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A view of bytes in their storage, which it neither retains nor copies.
///
/// Invariant: another object holds the bytes and does not change them for as long as the view is used. A view is
/// therefore passed to closures and to visitors of records; code that keeps one for longer documents what holds the
/// bytes. Every position is checked: reading never leaves the bytes.
///
/// It is Sendable because the bytes are only read.
package struct BytesInPlace: @unchecked Sendable {
    /// The address of the first of ``count`` bytes; any address, which is never read, if there are none.
    private let start: UnsafeRawPointer

    package let count: Int

    @inline(__always)
    package init(_ bytes: UnsafeRawBufferPointer) {
        // A non-nil address needs no check when the bytes are read.
        start = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1).unsafelyUnwrapped
        count = bytes.count
    }

    @inline(__always)
    package init(rebasing bytes: Slice<UnsafeRawBufferPointer>) { self.init(UnsafeRawBufferPointer(rebasing: bytes)) }

    @inline(__always)
    fileprivate init(_ bytes: UnsafeBufferPointer<UInt8>) { self.init(UnsafeRawBufferPointer(bytes)) }

    @inline(__always)
    private init(start: UnsafeRawPointer, count: Int) { (self.start, self.count) = (start, count) }

    package init() { self.init(UnsafeRawBufferPointer(start: nil, count: 0)) }

    private var buffer: UnsafeRawBufferPointer {
        @inline(__always) get { UnsafeRawBufferPointer(start: start, count: count) }
    }

    /// Whether at least this many bytes follow a position.
    ///
    /// As unsigned numbers, negative ones are greater than every count.
    @inline(__always)
    private func has(_ length: Int, at position: Int) -> Bool {
        UInt(bitPattern: position) <= UInt(bitPattern: count)
            && UInt(bitPattern: length) <= UInt(bitPattern: count &- position)
    }

    /// The byte at a position; nil after the last byte.
    @inline(__always)
    package func byte(at position: Int) -> UInt8? {
        guard UInt(bitPattern: position) < UInt(bitPattern: count) else { return nil }
        return start.load(fromByteOffset: position, as: UInt8.self)
    }

    // Not one generic function: without optimization it looks types up in each call, and takes three times as long. Hashes
    // read millions of numbers.

    /// The little-endian number of eight bytes at a position; nil if too few bytes are left.
    @inline(__always)
    package func number(_: UInt64.Type, at position: Int) -> UInt64? {
        guard has(8, at: position) else { return nil }
        return UInt64(littleEndian: start.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    /// The little-endian number of four bytes at a position; nil if too few bytes are left.
    @inline(__always)
    package func number(_: UInt32.Type, at position: Int) -> UInt32? {
        guard has(4, at: position) else { return nil }
        return UInt32(littleEndian: start.loadUnaligned(fromByteOffset: position, as: UInt32.self))
    }

    /// The bytes from a position on; nil if fewer are left.
    @inline(__always)
    package func part(at position: Int, count: Int) -> Self? {
        guard has(count, at: position) else { return nil }
        return Self(start: start + position, count: count)
    }

    /// The bytes in a range of positions, which must be below ``count``.
    @inline(__always)
    package func part(_ positions: Range<Int>) -> Self {
        guard let part = part(at: positions.lowerBound, count: positions.count) else {
            preconditionFailure("positions out of range")
        }
        return part
    }

    /// Calls the closure with the address of the bytes, for system functions.
    @inline(__always)
    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(buffer)
    }
}

extension BytesInPlace: RandomAccessCollection {
    package var startIndex: Int { 0 }

    package var endIndex: Int {
        @inline(__always) get { count }
    }

    /// The byte at a position, which must be below ``count``.
    package subscript(position: Int) -> UInt8 {
        @inline(__always)
        get {
            guard let byte = byte(at: position) else { preconditionFailure("position out of range") }
            return byte
        }
    }

    package struct Iterator: IteratorProtocol {
        fileprivate let bytes: BytesInPlace
        private var position = 0

        @inline(__always)
        fileprivate init(_ bytes: BytesInPlace) { self.bytes = bytes }

        @inline(__always)
        package mutating func next() -> UInt8? {
            guard let byte = bytes.byte(at: position) else { return nil }
            position &+= 1
            return byte
        }
    }

    @inline(__always)
    package func makeIterator() -> Iterator { Iterator(self) }

    @inline(__always)
    package func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? {
        try buffer.withMemoryRebound(to: UInt8.self, body)
    }
}

// MARK: Copies

extension BytesInPlace {
    /// The string with these bytes as its UTF-8; nil if they are not UTF-8.
    package var string: String? {
        @inline(__always)
        get {
            // Several times faster than the validating initializer. A repaired string has other bytes.
            if count <= 15 {
                let string = repairedString
                return isASCII || string.hasSameBytes(as: self) ? string : nil
            }
            let string = String(decoding: buffer, as: UTF8.self)
            return string.hasSameBytes(as: self) ? string : nil
        }
    }

    /// The string with these bytes as its UTF-8; invalid sequences are replaced.
    ///
    /// A string of up to 15 bytes needs no heap memory, and is made in a third of the time of a longer one.
    var repairedString: String {
        @inline(__always)
        get {
            String(unsafeUninitializedCapacity: count) { string in
                UnsafeMutableRawBufferPointer(string).copyMemory(from: buffer)
                return count
            }
        }
    }

    var data: Data {
        @inline(__always) get { Data(buffer) }
    }
}

extension String {
    /// A string, and after it a number in base 36.
    ///
    /// Made in one piece: a concatenation would take 8 % of the time in which many records are fetched from SQLite.
    init(_ start: String, base36 number: UInt64) {
        let count = start.utf8.count
        self.init(unsafeUninitializedCapacity: count + 13) { text in
            var end = text.update(fromContentsOf: start.utf8)
            var rest = number
            repeat { (end, rest) = (end + 1, rest / 36) } while rest > 0
            rest = number
            for position in (count..<end).reversed() {
                let digit = UInt8(truncatingIfNeeded: rest % 36)
                text[position] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
                rest /= 36
            }
            return end
        }
    }
}

extension [UInt8] {
    @inline(__always)
    mutating func append(contentsOf bytes: BytesInPlace) { bytes.withUnsafeBytes { append(contentsOf: $0) } }

    @inline(__always)
    mutating func append(utf8Of text: String) { text.withBytesInPlace { append(contentsOf: $0) } }
}

// MARK: Access to stored bytes

extension [UInt8] {
    /// Calls the closure with the bytes, which are valid until it returns.
    @inline(__always)
    package func withBytesInPlace<Result, Failure: Error>(
        _ body: (BytesInPlace) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBufferPointer { bytes throws(Failure) in try body(BytesInPlace(bytes)) }
    }
}

extension ContiguousBytes {
    /// Calls the closure with the bytes, which are valid until it returns.
    @inline(__always)
    package func withBytesInPlace<Result, Failure: Error>(
        _ body: (BytesInPlace) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBytes { bytes in
            Swift.Result { () throws(Failure) in try body(BytesInPlace(bytes)) }
        }.get()
    }
}

extension String {
    /// Calls the closure with the UTF-8 of this string, which is valid until it returns.
    @inline(__always)
    package func withBytesInPlace<Result>(_ body: (BytesInPlace) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable({ body(BytesInPlace($0)) }) { return result }
        return withCopiedBytes(body)
    }

    /// The slow path for Objective-C strings, whose UTF-8 is not stored contiguously.
    @inline(never)
    private func withCopiedBytes<Result>(_ body: (BytesInPlace) -> Result) -> Result {
        Array(utf8).withBytesInPlace(body)
    }

    /// Equality of bytes; `==` compares by canonical equivalence.
    @inline(__always)
    package func hasSameBytes(as other: String) -> Bool {
        hasSameBits(as: other) || hasSameBytesElsewhere(as: other)
    }

    @inline(never)
    private func hasSameBytesElsewhere(as other: String) -> Bool {
        withBytesInPlace { bytes in other.withBytesInPlace { bytes.hasSameBytes(as: $0) } }
    }

    /// Whether these bytes are the UTF-8 of this string.
    @inline(__always)
    package func hasSameBytes(as bytes: BytesInPlace) -> Bool { withBytesInPlace { $0.hasSameBytes(as: bytes) } }

    /// The bytes after a prefix of this string, compared byte by byte; nil if the string does not begin with it.
    func bytes(after beginning: String) -> String? {
        guard utf8.starts(with: beginning.utf8) else { return nil }
        return String(Substring(utf8.dropFirst(beginning.utf8.count)))
    }

    func foldBytes(into hash: UInt64) -> UInt64 { withBytesInPlace { $0.foldBytes(into: hash) } }

    /// Mixes the bytes into a hash as ``foldBytes(into:)`` does, and returns whether the string has 1 to 255 bytes, all
    /// from space to tilde, like most names.
    func foldPlainBytes(into hash: UInt64) -> (hash: UInt64, isPlain: Bool) {
        withBytesInPlace { $0.foldPlainBytes(into: hash) }
    }
}

extension XXH64 {
    package static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
        hash(BytesInPlace(bytes), seed: seed)
    }
}

// MARK: Hashing

extension BytesInPlace {
    /// Mixes the bytes into a hash: eight at a time, each group multiplied into 128 bits and folded.
    func foldBytes(into hash: UInt64) -> UInt64 { fold(into: hash) }

    /// Mixes the bytes into a hash as ``foldBytes(into:)`` does, and returns whether they are plain, as defined for
    /// ``String/foldPlainBytes(into:)``.
    @inline(__always)
    func foldPlainBytes(into start: UInt64) -> (hash: UInt64, isPlain: Bool) {
        // The highest bit of each byte of `others` is set if the byte, below 0x80 itself, is below space or above tilde.
        var others: UInt64 = (1...255).contains(count) ? 0 : .max
        let hash = fold(into: start) { word in
            others |= word | (word &+ 0x0101_0101_0101_0101)
            others |= ~((word | 0x8080_8080_8080_8080) &- 0x2020_2020_2020_2020)
        }
        return (hash, others & 0x8080_8080_8080_8080 == 0)
    }

    /// Calls the closure with all bytes, eight at a time; the last group may include bytes of the one before.
    @inline(__always)
    private func forEachWord(_ body: (UInt64) -> Void) {
        var offset = 0
        while let word = number(UInt64.self, at: offset) {
            body(word)
            offset += 8
        }
        if offset < count, let word = number(UInt64.self, at: count - 8) { body(word) }
    }

    @inline(__always)
    private func fold(into start: UInt64, _ look: (UInt64) -> Void = { _ in }) -> UInt64 {
        var hash = start ^ UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15
        func mix(_ word: UInt64) {
            let product = (hash ^ word).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
            hash = product.high ^ product.low ^ 0xA24B_AED4_963E_E407
        }
        if count < 8 {
            let word = reduce(0) { $0 << 8 | UInt64($1) }
            mix(word)
            // The unused bytes are spaces.
            look(word | 0x2020_2020_2020_2020 << UInt64(truncatingIfNeeded: count * 8))
        } else {
            forEachWord {
                mix($0)
                look($0)
            }
        }
        return hash
    }
}
