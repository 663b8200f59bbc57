#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The position of a value in the order of all values, as a string: the byte order of keys is the order of the values.
///
/// Every database sorts and compares by this order, also one without a notion of records: it stores or computes the
/// ``text`` and compares its UTF-8 bytes.
///
/// | kind | text |
/// | --- | --- |
/// | missing | empty |
/// | null | `0` |
/// | Boolean | `1f`, `1t` |
/// | not-a-number | `2` |
/// | number | `3`, 16 digits of the nearest double, 4 digits of the integer's difference to it |
/// | date | `4`, 16 digits of the seconds since 2001 as a double |
/// | string | `5`, the string |
/// | bytes | `6`, two digits for each byte |
/// | reference | `7`, the type, `/`, the name |
/// | location | `8`, 16 digits of the latitude, 16 of the longitude |
/// | list | `9`, for each element: its key, U+0001 twice |
/// | map | `A`, for each field, in the order of the names' bytes: the key of its name, U+0001 twice, the key of its value, U+0001 twice |
/// | asset | `B`, the hash |
///
/// Digits are hexadecimal, of the bits of the double: with the sign bit inverted if it is positive, else with all bits
/// inverted; −0 is 0. The 4 digits are the difference plus 8000. In strings and names, U+0000 is written as U+0001
/// U+0002, and U+0001 as U+0001 U+0003. Content of more than 480 bytes is cut before a scalar, and followed by U+0001
/// U+0004 and the 16 digits of the XXH64 of the whole: for a string of its UTF-8, for bytes of the bytes, for lists and
/// maps of the text after the first character.
///
/// Of the numbers that no number of a field holds, integers up to `UInt64.max` are ordered as other integers, and the
/// rest as the nearest double. Different values may therefore have the same key: strings, bytes, lists and maps that
/// differ only after 480 bytes and have the same hash, the rest of those numbers, and assets with equal bytes.
@_spi(Engines) public struct SortKey: Sendable, Hashable {
    /// The UTF-8 of the text.
    package let bytes: [UInt8]

    /// Makes the key of a value.
    ///
    /// - Parameter value: The value; nil for a missing field.
    /// - Complexity: O(*n*) for *n* bytes and elements of the value, O(*m* log *m*) for *m* fields of maps.
    public init(_ value: Record.Value?) {
        var writer = SortKeyWriter()
        if let value { writer.append(value) }
        bytes = writer.bytes
    }

    init(_ writer: SortKeyWriter) { bytes = writer.bytes }

    /// Makes a bound of a range of keys, which need not be the key of a value.
    init(bound bytes: [UInt8]) { self.bytes = bytes }

    /// Makes a key from its stored bytes; nil if they are not a key.
    init?(bytes: [UInt8]) {
        guard String(validUTF8: bytes) != nil else { return nil }
        self.bytes = bytes
    }

    /// The key as a string, for comparison byte by byte.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// A bound that is greater than the key of every value, of all kinds.
    package static let end = SortKey(bound: [1 + Record.Value.Kind.allCases.reduce(0) { max($0, $1.sortByte) }])

    /// The maximum length in bytes before content is cut.
    static let longest = 480

    static func kept(of text: String) -> Substring {
        guard text.utf8.count > longest else { return text[...] }
        var end = text.utf8.index(text.utf8.startIndex, offsetBy: longest)
        while end.samePosition(in: text.unicodeScalars) == nil { text.utf8.formIndex(before: &end) }
        return text[..<end]
    }
}

@_spi(Engines) extension SortKey: Comparable {
    /// Compares the bytes.
    public static func < (left: Self, right: Self) -> Bool { left.bytes.isBefore(right.bytes) }
}

@_spi(Engines) extension SortKey: CustomStringConvertible {
    /// The text.
    public var description: String { text }
}

extension [UInt8] {
    func isBefore(_ other: Self) -> Bool {
        withBytesInPlace { bytes in other.withBytesInPlace { bytes.isBefore($0) } }
    }
}

struct SortKeyWriter {
    private(set) var bytes: [UInt8] = []
    private(set) var isAmbiguous = false

    private enum Step {
        case value(Record.Value)
        case name(String)
        case end
    }

    mutating func append(_ value: Record.Value) {
        guard value.isCollection else { return appendScalar(value) }
        let start = bytes.count + 1
        appendCollection(value)
        cut(from: start)
    }

    mutating func appendEnd() {
        bytes.append(1)
        bytes.append(1)
    }

    mutating func appendName(of source: inout some FieldSource) { source.appendName(to: &bytes) }

    mutating func reset() {
        bytes.removeAll(keepingCapacity: true)
        isAmbiguous = false
    }

    mutating func appendEscaped(_ text: Substring.UTF8View) {
        if text.allSatisfy({ $0 > 1 }) {
            bytes.append(contentsOf: text)
            return
        }
        for byte in text {
            if byte > 1 { bytes.append(byte) } else { bytes += [1, byte + 2] }
        }
    }

    mutating func invert(from start: Int) {
        for position in start..<bytes.count { bytes[position] = ~bytes[position] }
    }

    // A list may be nested more deeply than a stack allows.
    private mutating func appendCollection(_ value: Record.Value) {
        var open: [Step] = [.value(value)]
        while let step = open.popLast() {
            switch step {
            case .end: appendEnd()
            case .name(let name): appendString(name)
            case .value(let value):
                switch value.contents {
                case .list(let values)?:
                    append(kind: .list)
                    for value in values.reversed() { open += [.end, .value(value)] }
                case .map(let fields)? where !fields.areDecimal:
                    append(kind: .map)
                    let sorted = fields.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
                    for field in sorted.reversed() { open += [.end, .value(field.value), .end, .name(field.name)] }
                case .map?, nil: appendScalar(value)
                }
            }
        }
    }

    private mutating func appendScalar(_ value: Record.Value) {
        switch value {
        case .null: append(kind: .null)
        case .bool(let value):
            append(kind: .bool)
            append(value ? "t" : "f")
        case .int(let value): appendInteger(value)
        case .double(let value): appendNumber(value)
        case .date(let value):
            append(kind: .date)
            appendDigits(of: value.timeIntervalSinceReferenceDate)
        // The time of the save: later than every saved date.
        case .serverTimestamp:
            append(kind: .serverTimestamp)
            append("g")
        case .string(let value): appendString(value)
        case .bytes(let value): appendBytes(value)
        case .reference(let value):
            append(kind: .reference)
            append(value.id.type)
            append("/")
            appendEscaped(value.id.name[...].utf8)
        case .location(let value):
            append(kind: .location)
            appendDigits(of: value.latitude)
            appendDigits(of: value.longitude)
        case .asset(let value):
            append(kind: .asset)
            append(value.hash)
            isAmbiguous = true
        case .map(let fields):
            appendNumber(digits: fields.first?.value)
        case .list: append(kind: .list)
        }
    }

    private mutating func append(kind: Record.Value.Kind) { bytes.append(kind.sortByte) }

    private mutating func append(_ text: String) { bytes += text.utf8 }

    private mutating func appendNumber(_ value: Double) {
        if value.isNaN { return append("2") }
        append(kind: .double)
        appendDigits(of: value)
        appendDigits(0x8000, count: 4)
    }

    private mutating func appendNumber(digits: Record.Value?) {
        guard case .string(let digits)? = digits, let nearest = Double(digits) else {
            isAmbiguous = true
            return append("2")
        }
        guard let value = UInt64(digits), value > Int64.max, "\(value)".hasSameBytes(as: digits) else {
            isAmbiguous = true
            return appendNumber(nearest)
        }
        // 2^64, to which the largest integers are rounded, is no UInt64: modulo 2^64 it is 0.
        let rounded = UInt64(exactly: nearest) ?? 0
        appendInteger(nearest, difference: Int64(truncatingIfNeeded: value &- rounded))
    }

    private mutating func appendInteger(_ value: Int64) {
        let nearest = Double(value)
        // 2^63, to which the largest integers are rounded, is no Int64.
        appendInteger(nearest, difference: nearest < 0x1p63 ? value - Int64(nearest) : value - Int64.max - 1)
    }

    private mutating func appendInteger(_ nearest: Double, difference: Int64) {
        append(kind: .int)
        appendDigits(of: nearest)
        appendDigits(UInt64(truncatingIfNeeded: 0x8000 + difference), count: 4)
    }

    /// Appends digits in the order of the numbers; not-a-number, which a date may be, comes first.
    mutating func appendDigits(of value: Double) {
        let bits = (value + 0).bitPattern
        let isNegative = bits >> 63 == 1
        appendDigits(value.isNaN ? 0 : isNegative ? ~bits : bits | 1 << 63, count: 16)
    }

    private mutating func appendDigits(_ value: UInt64, count: Int) {
        for position in (0..<count).reversed() {
            let digit = UInt8(truncatingIfNeeded: value >> UInt64(4 * position)) & 15
            bytes.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
        }
    }

    private mutating func appendString(_ text: String) {
        append(kind: .string)
        appendEscaped(SortKey.kept(of: text).utf8)
        if text.utf8.count <= SortKey.longest { return }
        appendCut(hash: text.withBytesInPlace { XXH64.hash($0) })
    }

    private mutating func appendBytes(_ data: Data) {
        append(kind: .bytes)
        for byte in data.prefix(SortKey.longest / 2) { appendDigits(UInt64(byte), count: 2) }
        if data.count > SortKey.longest / 2 { appendCut(hash: data.withBytesInPlace { XXH64.hash($0) }) }
    }

    private mutating func cut(from start: Int) {
        guard bytes.count - start > SortKey.longest else { return }
        let hash = XXH64.hash(Array(bytes[start...]))
        var end = start + SortKey.longest
        // Before a scalar, and not within an escape.
        while end > start, bytes[end] & 0xC0 == 0x80 || bytes[end - 1] == 1 { end -= 1 }
        bytes.removeSubrange(end...)
        appendCut(hash: hash)
    }

    private mutating func appendCut(hash: UInt64) {
        isAmbiguous = true
        bytes += [1, 4]
        appendDigits(hash, count: 16)
    }
}
