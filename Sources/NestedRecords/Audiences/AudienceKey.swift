/// A value of an audience: a reader, a container, or everybody, for the records of one type.
package struct AudienceKey: Sendable, Hashable {
    /// How a record has the value.
    package enum Kind: UInt8, Sendable, CaseIterable {
        /// The value of the field is the reader.
        case reader

        /// An element of the list in the field is the reader.
        case listedReader

        /// The field refers to the container.
        case container

        /// The field is true.
        case everybody

        /// The record is of the type.
        case type
    }

    /// The type with its length, the kind, and the value.
    package let bytes: [UInt8]

    /// Longer values are replaced by their hash.
    private static let longestValue = 64

    package init(_ type: String, _ kind: Kind, _ value: String = "") {
        var bytes = [UInt8(truncatingIfNeeded: type.utf8.count)] + type.utf8 + [kind.rawValue]
        let isLong = value.utf8.count >= Self.longestValue
        bytes += isLong ? Array(SHA256.digest(of: Array(value.utf8)).utf8) : Array(value.utf8)
        self.bytes = bytes
    }

    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// The type of which all records have the value; nil for other values.
    package var wholeType: String? {
        guard let count = bytes.first.map(Int.init), bytes.count == count + 2, bytes[count + 1] == Kind.type.rawValue
        else { return nil }
        return String(validUTF8: Array(bytes[1..<count + 1]))
    }
}
