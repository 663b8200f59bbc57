// All that the library and the tool need to know of each kind of value.
//
// A new kind is a case of ``Record/Value``, a case of `Kind` and a row. The compiler then names the functions that read
// the content of every kind: none of them has a `default`.

extension Record.Value {
    /// The kinds of values, in the order in which a set stores elements of several kinds.
    package enum Kind: Int, CaseIterable, Sendable {
        case null, bool, int, double, string, date, bytes, location, reference, list, map, serverTimestamp, asset
    }

    package var kind: Kind {
        switch self {
        case .null: .null
        case .bool: .bool
        case .int: .int
        case .double: .double
        case .string: .string
        case .date: .date
        case .bytes: .bytes
        case .location: .location
        case .reference: .reference
        case .list: .list
        case .map: .map
        case .serverTimestamp: .serverTimestamp
        case .asset: .asset
        }
    }
}

extension Record.Value.Kind {
    private var row: Row {
        switch self {
        case .null: Row("null", "null", nil, 0...0, "0", .hasOwnKey)
        case .bool: Row("a Boolean", "Boolean", nil, 1...2, "1", .hasOwnKey, .mayBeUnique)
        case .int: Row("an integer", "integer", nil, 3...3, "3", .isNumber, .mayBeUnique)
        case .double: Row("a number", "number", "$double", 4...4, "3", .isNumber, .mayBeUnique)
        case .string: Row("a string", "string", nil, 5...5, "5", .hasOwnKey, .mayBeUnique)
        case .date: Row("a date", "date", "$date", 6...6, "4", .hasOwnKey, .mayBeUnique)
        case .bytes: Row("bytes", "bytes", "$bytes", 7...7, "6", .hasOwnKey, .mayBeUnique)
        case .location: Row("a location", "location", "$location", 8...8, "8", .hasOwnKey, .mayBeUnique)
        case .reference: Row("a reference", "reference", "$ref", 12...15, "7", .hasOwnKey, .mayBeUnique)
        case .list: Row("a list", "list", nil, 9...9, "9", .nests)
        case .map: Row("a map", "map", "$map", 10...10, "A", .nests)
        case .serverTimestamp:
            Row("a server timestamp that is not filled in yet", "date", "$serverTimestamp", 11...11, "4")
        case .asset: Row("an asset", "asset", "$asset", 16...16, "B")
        }
    }

    /// The name with its article, as errors name a value that was found.
    package var name: String { row.name }

    /// The kind in a word; several kinds may have the same.
    package var word: String { row.word }

    /// The name of several values.
    package var plural: String { self == .null || self == .bytes ? row.word : row.word + "s" }

    /// The key of an object that is a value of this kind in typed JSON; nil if JSON has a form for each value.
    var mark: String? { row.mark }

    /// The first byte of a value in the binary form; of several ones, each for a form of the value.
    var bytes: ClosedRange<UInt8> { row.bytes }

    /// The first byte of a ``SortKey``, which not-a-number does not have; kinds with the same byte are ordered together.
    var sortByte: UInt8 { row.sortByte }

    /// Whether a value contains other values, each of any kind.
    package var nests: Bool { row.traits.contains(.nests) }

    package var isNumber: Bool { row.traits.contains(.isNumber) }

    /// Whether only equal values have the same ``SortKey``, unless it is cut.
    var hasOwnKey: Bool { row.traits.contains(.hasOwnKey) }

    /// Whether a unique property may have such a value.
    var mayBeUnique: Bool { row.traits.contains(.mayBeUnique) }

    private struct Traits: OptionSet {
        let rawValue: UInt8
        static let nests = Traits(rawValue: 1)
        static let isNumber = Traits(rawValue: 2)
        static let hasOwnKey = Traits(rawValue: 4)
        static let mayBeUnique = Traits(rawValue: 8)
    }

    private struct Row {
        let name: String
        let word: String
        let mark: String?
        let bytes: ClosedRange<UInt8>
        let sortByte: UInt8
        let traits: Traits

        @inline(__always)
        init(
            _ name: String, _ word: String, _ mark: String?, _ bytes: ClosedRange<UInt8>, _ sortByte: Unicode.Scalar,
            _ traits: Traits = [], _ more: Traits = []
        ) {
            (self.name, self.word, self.mark, self.bytes) = (name, word, mark, bytes)
            (self.sortByte, self.traits) = (UInt8(ascii: sortByte), traits.union(more))
        }
    }
}

// MARK: Contents

extension Record.Value {
    /// The values in a list or a map.
    package enum Contents {
        case list([Record.Value])
        case map(Record.Fields)
    }

    /// The values in this one; nil for kinds that do not nest.
    @inline(__always)
    package var contents: Contents? {
        switch self {
        case .list(let values): .list(values)
        case .map(let fields): .map(fields)
        case .null, .bool, .int, .double, .string, .date, .bytes, .location, .reference, .serverTimestamp, .asset: nil
        }
    }

    private static let numberSize = 8

    /// The bytes of the text, bytes and names, and 8 for each number, without those of the values in a list or map.
    var ownSize: Int {
        switch self {
        case .null, .bool: 1
        case .int, .double, .date, .serverTimestamp: Self.numberSize
        case .location: 2 * Self.numberSize
        case .string(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        case .reference(let reference): reference.id.type.utf8.count + reference.id.name.utf8.count
        case .asset(let asset):
            asset.hash.utf8.count + Self.numberSize + (asset.contentType?.utf8.count ?? 0)
                + (asset.fileName?.utf8.count ?? 0)
        case .list(let elements): elements.count
        case .map(let members): members.reduce(0) { $0 + $1.name.utf8.count }
        }
    }
}

extension Record {
    /// The bytes of the names and values: of the text and bytes in them, and 8 for each number.
    var valueSize: Int {
        var size = id.type.utf8.count + id.name.utf8.count
        for (name, value) in fields {
            size += name.utf8.count
            _ = value.contains { value, _ in
                size += value.ownSize
                return false
            }
        }
        return size
    }
}
