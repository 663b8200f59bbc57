/// The names of the fields of a record, read from their binary form.
package final class NameBlock: Sendable {
    private let bytes: [UInt8]
    let names: FieldNames?
    let hasEmptyName: Bool

    var count: Int { names?.names.count ?? 0 }

    package static let empty = NameBlock()

    private init() { (bytes, names, hasEmptyName) = ([], nil, false) }

    /// Reads the names in a block; errors have an offset in the block.
    package init(_ block: BytesInPlace) throws(RecordFormatError) {
        var cursor = ByteCursor(block)
        var names: [String] = []
        while cursor.remaining > 0 {
            let start = cursor.offset
            let name = try cursor.text()
            if name.hasTooManyMarks { throw RecordFormatError(.tooManyMarks, at: start) }
            names.append(name)
        }
        if let repetition = names.firstRepetition {
            throw RecordFormatError(
                .repeatedFieldName, at: names[..<repetition].lengthAsBlock, repeatedName: names[repetition])
        }
        bytes = Array(block)
        self.names = FieldNames(names)
        hasEmptyName = names.contains(where: \.isEmpty)
    }

    @inline(__always)
    func isRead(from block: BytesInPlace) -> Bool {
        bytes.withBytesInPlace { $0.hasSameBytes(as: block) }
    }
}

struct NameBlocks {
    /// The cache does not keep all names, since names that always differ are data.
    private static let longestBlock = 4_096
    private static let mostBytes = 65_536
    private var entries: [UInt64: NameBlock] = [:]
    private var byteCount = 0

    /// The block of the last call: most records have the shape of the record before.
    private var latest = NameBlock.empty

    /// The block before it: records with and without an optional property alternate.
    private var previous = NameBlock.empty

    @inline(__always)
    mutating func names(in block: BytesInPlace) throws(RecordFormatError) -> NameBlock {
        if !latest.isRead(from: block) {
            swap(&latest, &previous)
            if !latest.isRead(from: block) { latest = try find(block) }
        }
        return latest
    }

    @inline(never)
    private mutating func find(_ block: BytesInPlace) throws(RecordFormatError) -> NameBlock {
        if block.isEmpty { return .empty }
        let hash = XXH64.hash(block)
        if let entry = entries[hash], entry.isRead(from: block) { return entry }
        let entry = try NameBlock(block)
        guard block.count <= Self.longestBlock else { return entry }
        byteCount += block.count
        if byteCount > Self.mostBytes { (entries, byteCount) = ([:], block.count) }
        entries[hash] = entry
        return entry
    }
}
