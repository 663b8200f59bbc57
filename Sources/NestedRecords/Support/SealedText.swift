#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Bytes as opaque text: letters, digits, `-` and `_`, with a hash that detects changes.
///
/// The bytes are the parts, each after its length, and the hash; numbers have eight bytes, little-endian.
enum SealedText {
    /// The base-64 characters with a special meaning elsewhere, and their replacements.
    private static let marks = [
        (base64: UInt8(ascii: "+"), sealed: UInt8(ascii: "-")), (base64: UInt8(ascii: "/"), sealed: UInt8(ascii: "_")),
    ]

    static func text(of parts: [[UInt8]]) -> String {
        var bytes: [UInt8] = []
        for part in parts { bytes += UInt64(part.count).bytes + part }
        bytes += XXH64.hash(bytes).bytes
        let base64 = Data(bytes).base64EncodedString().utf8.filter { $0 != UInt8(ascii: "=") }
        return String(decoding: base64.map { byte in marks.first { $0.base64 == byte }?.sealed ?? byte }, as: UTF8.self)
    }

    /// The parts of a string; nil for a string that ``text(of:)`` does not make.
    static func parts(of text: String) -> [[UInt8]]? {
        var base64 = Data(text.utf8.map { byte in marks.first { $0.sealed == byte }?.base64 ?? byte })
        base64 += Data(repeating: UInt8(ascii: "="), count: (4 - base64.count % 4) % 4)
        guard let data = Data(base64Encoded: base64), data.count >= 8 else { return nil }
        let bytes = Array(data)
        var rest = bytes[..<(bytes.count - 8)]
        guard UInt64(bytes: bytes.suffix(8)) == XXH64.hash(Array(rest)) else { return nil }
        var parts: [[UInt8]] = []
        while !rest.isEmpty {
            guard let count = UInt64(bytes: rest.prefix(8)), count <= rest.count - 8 else { return nil }
            parts.append(Array(rest.dropFirst(8).prefix(Int(count))))
            rest = rest.dropFirst(8 + Int(count))
        }
        // The last character may have unused bits.
        return self.text(of: parts) == text ? parts : nil
    }
}

extension UInt64 {
    var bytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) } }

    /// Reads eight bytes; nil if there are more or fewer.
    init?(bytes: ArraySlice<UInt8>) {
        guard bytes.count == 8 else { return nil }
        self = bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
