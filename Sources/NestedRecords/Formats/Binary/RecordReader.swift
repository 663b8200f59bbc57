#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads records in their binary form, whatever the bytes are.
///
/// A reader remembers the names of the fields that it read, so that all records of one shape share them: keep it for
/// many records. Time and memory grow with the number of bytes, not with what they claim.
public struct RecordReader: Sendable {
    private var cache = NameBlocks()
    private var lastType = ""
    private var lastTargetType = ""

    /// Makes a reader.
    public init() {}

    /// Reads a record.
    ///
    /// - Parameter bytes: All bytes of the record, and no more.
    /// - Returns: The record, the same to the last bit as the one that was written.
    /// - Throws: ``RecordFormatError``: what is wrong with the bytes, where, and in which record and field.
    /// - Complexity: O(*n*) for *n* bytes.
    public mutating func record(from bytes: [UInt8]) throws(RecordFormatError) -> Record {
        try bytes.withUnsafeBytes { bytes in
            Result { () throws(RecordFormatError) in try record(from: bytes) }
        }.get()
    }

    /// Reads a record.
    ///
    /// - Parameter bytes: All bytes of the record, and no more.
    /// - Returns: The record, the same to the last bit as the one that was written.
    /// - Throws: ``RecordFormatError``: what is wrong with the bytes, where, and in which record and field.
    /// - Complexity: O(*n*) for *n* bytes.
    public mutating func record(from bytes: UnsafeRawBufferPointer) throws(RecordFormatError) -> Record {
        var cursor = ByteCursor(bytes)
        try cursor.version()
        return try record(cursor.id(&lastType), &cursor)
    }

    /// Reads the record with an ID, and shares the texts of the ID with it; nil if the bytes are those of another one.
    package mutating func record(
        _ id: Record.ID, from bytes: UnsafeRawBufferPointer
    ) throws(RecordFormatError) -> Record? {
        var cursor = ByteCursor(bytes)
        try cursor.version()
        return try cursor.isID(id) ? record(id, &cursor) : nil
    }

    /// Reads what follows the ID.
    @inline(__always)
    private mutating func record(_ id: Record.ID, _ cursor: inout ByteCursor) throws(RecordFormatError) -> Record {
        do throws(RecordFormatError) {
            let metadata = try cursor.metadata()
            let start = cursor.offset
            let block = try names(&cursor)
            if block.hasEmptyName { throw RecordFormatError(.emptyFieldName, at: start) }
            let values = try values(&cursor, of: block, in: id)
            guard cursor.remaining == 0 else {
                throw RecordFormatError(.trailingBytes, at: cursor.offset, number: cursor.remaining)
            }
            return Record(id: id, checkedFields: Record.Fields(block.names, values: values), metadata: metadata)
        } catch {
            var error = error
            error.recordID = id
            throw error
        }
    }

    /// The block of names at the cursor.
    @inline(__always)
    private mutating func names(
        _ cursor: inout ByteCursor, reserved: Int = 0
    ) throws(RecordFormatError) -> NameBlock {
        let block = try cursor.slice(try cursor.length(reserved: reserved))
        do throws(RecordFormatError) {
            return try cache.names(in: block)
        } catch {
            var error = error
            error.offset += cursor.offset - block.count
            throw error
        }
    }

    /// A list or a map that is being read.
    private struct Level {
        /// Nil in a list.
        let block: NameBlock?
        var missing: Int
        var values: [Record.Value] = []

        @inline(__always)
        init(_ block: NameBlock?, count: Int) {
            self.block = block
            missing = count
            values.reserveCapacity(count)
        }

        var value: Record.Value {
            guard let block else { return .list(values) }
            return .map(Record.Fields(block.names, values: values))
        }
    }

    /// Without recursion: the bytes say how deeply values are nested.
    private mutating func values(
        _ cursor: inout ByteCursor, of block: NameBlock, in id: Record.ID
    ) throws(RecordFormatError) -> [Record.Value] {
        guard block.count <= cursor.remaining else { throw RecordFormatError(.truncated, at: cursor.offset) }
        // Each value that is still to come takes a byte or more, so together they bound every count.
        var missing = block.count
        var current = Level(block, count: missing)
        var outer: [Level] = []
        do throws(RecordFormatError) {
            while true {
                guard current.missing > 0 else {
                    guard var last = outer.popLast() else { return current.values }
                    last.values.append(current.value)
                    current = last
                    continue
                }
                current.missing -= 1
                missing -= 1
                let start = cursor.offset
                let kind = try cursor.kind()
                if kind == .string {
                    // Most records whose name is long have it in a field too.
                    current.values.append(.string(try cursor.text(sharing: id.name)))
                    continue
                }
                if let value = try cursor.scalar(kind, &lastTargetType) {
                    current.values.append(value)
                    continue
                }
                guard outer.count < BinaryFormat.maximumNesting else {
                    throw RecordFormatError(.nestedTooDeeply, at: start)
                }
                let inner: Level
                if kind == .map {
                    let block = try names(&cursor, reserved: missing)
                    guard block.count <= cursor.remaining - missing else {
                        throw RecordFormatError(.truncated, at: cursor.offset)
                    }
                    inner = Level(block, count: block.count)
                } else {
                    inner = Level(nil, count: try cursor.length(reserved: missing))
                }
                missing += inner.missing
                outer.append(current)
                current = inner
            }
        } catch {
            var error = error
            let position = (outer.first ?? current).values.count
            if position < block.count { error.field = block.names?.names[position] }
            throw error
        }
    }
}

extension RecordReader {
    /// The ID of a record, of whose bytes the others may be missing.
    package static func id(from bytes: UnsafeRawBufferPointer) throws(RecordFormatError) -> Record.ID {
        var cursor = ByteCursor(bytes)
        var type = ""
        try cursor.version()
        return try cursor.id(&type)
    }

    /// Whether the bytes of a record or a deletion are those of the record with this ID.
    package static func hasID(
        _ id: Record.ID, in bytes: UnsafeRawBufferPointer
    ) throws(RecordFormatError) -> Bool {
        var cursor = ByteCursor(bytes)
        try cursor.version()
        return try cursor.isID(id)
    }

    /// The bytes of a record's ID, which are those that ``GrowingBytes`` appends for it; they may be no valid ID.
    package static func idBytes(in bytes: UnsafeRawBufferPointer) throws(RecordFormatError) -> UnsafeRawBufferPointer {
        var cursor = ByteCursor(bytes)
        try cursor.version()
        let start = cursor.offset
        for _ in 1...2 { _ = try cursor.slice(Int(try cursor.byte())) }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<cursor.offset])
    }
}
