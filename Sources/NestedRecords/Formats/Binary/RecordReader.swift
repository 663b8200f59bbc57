#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Reads records in their binary form, from untrusted bytes.
///
/// A reader remembers field names, so that all records of one shape share them: use one reader for many records. Time
/// and memory grow with the number of bytes, not with the sizes that they claim.
@_spi(Engines) public struct RecordReader: Sendable {
    private var cache = NameBlocks()
    private var types = TypeTexts()
    private var targetTypes = TypeTexts()

    /// Makes a reader.
    public init() {}

    /// Reads a record.
    ///
    /// - Parameter bytes: The bytes of exactly one record.
    /// - Returns: The record, identical to the one that was written.
    /// - Throws: ``RecordFormatError``, with the position, the record and the field.
    /// - Complexity: O(*n*) for *n* bytes.
    public mutating func record(from bytes: some ContiguousBytes) throws(RecordFormatError) -> Record {
        try bytes.withBytesInPlace { bytes throws(RecordFormatError) in try record(from: bytes) }
    }

    package mutating func record(from bytes: BytesInPlace) throws(RecordFormatError) -> Record {
        var cursor = ByteCursor(bytes)
        try cursor.version()
        return try record(cursor.id(&types), &cursor)
    }

    /// Reads the record with an ID, and shares the strings of the ID with it; nil if the bytes are another record's.
    package mutating func record(
        _ id: consuming Record.ID, from bytes: BytesInPlace
    ) throws(RecordFormatError) -> Record? {
        var cursor = ByteCursor(bytes)
        try cursor.version()
        return try BinaryID(&cursor).isSame(as: id) ? record(id, &cursor) : nil
    }

    @inline(__always)
    private mutating func record(
        _ id: consuming Record.ID, _ cursor: inout ByteCursor
    ) throws(RecordFormatError) -> Record {
        let metadata: Record.Metadata?
        let fields: Record.Fields
        do throws(RecordFormatError) {
            metadata = try cursor.metadata()
            let start = cursor.offset
            let block = try names(&cursor)
            if block.hasEmptyName { throw RecordFormatError(.emptyFieldName, at: start) }
            fields = try self.fields(&cursor, of: block, in: id)
        } catch {
            var error = error
            error.recordID = id
            throw error
        }
        return Record(id: id, checkedFields: fields, metadata: metadata)
    }

    /// The ID of a record whose type is known to be valid.
    @inline(__always)
    package static func id(checkedType type: String, name: BytesInPlace) throws(RecordFormatError) -> Record.ID {
        let text = try ByteCursor.text(name, at: 0)
        if !name.isPlainName, let fault = Record.ID.validationError(forName: text) {
            throw RecordFormatError(.invalidID, at: 0, reason: fault)
        }
        return Record.ID(checkedType: type, name: text)
    }

    /// Reads a record that is stored in parts, whose ID and metadata were read already.
    package mutating func record(
        _ id: consuming Record.ID, _ metadata: consuming Record.Metadata?, _ parts: RecordParts
    ) throws(RecordFormatError) -> Record {
        let fields: Record.Fields
        do throws(RecordFormatError) {
            if parts.names.hasEmptyName { throw RecordFormatError(.emptyFieldName, at: 0) }
            var cursor = ByteCursor(parts.values)
            fields = try self.fields(&cursor, of: parts.names, in: id)
        } catch {
            var error = error
            error.recordID = id
            throw error
        }
        return Record(id: id, checkedFields: fields, metadata: metadata)
    }

    /// The fields, whose values end the bytes.
    @inline(__always)
    private mutating func fields(
        _ cursor: inout ByteCursor, of block: NameBlock, in id: borrowing Record.ID
    ) throws(RecordFormatError) -> Record.Fields {
        let values = try values(&cursor, of: block, in: id)
        guard cursor.remaining == 0 else {
            throw RecordFormatError(.trailingBytes, at: cursor.offset, number: cursor.remaining)
        }
        return Record.Fields(block.names, values: values)
    }

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

    @inline(__always)
    mutating func readNames(_ cursor: inout ByteCursor, into block: inout NameBlock) throws(RecordFormatError) {
        var ahead = cursor
        let bytes = try ahead.slice(try ahead.length())
        if block.isRead(from: bytes) { cursor = ahead } else { block = try names(&cursor) }
    }

    mutating func value(_ cursor: inout ByteCursor) throws(RecordFormatError) -> Record.Value {
        let kind = try cursor.kind()
        if let scalar = try cursor.scalar(kind, &targetTypes) { return scalar }
        return try collection(kind, &cursor, reserved: 0)
    }

    private mutating func values(
        _ cursor: inout ByteCursor, of block: NameBlock, in id: borrowing Record.ID
    ) throws(RecordFormatError) -> [Record.Value] {
        guard block.count <= cursor.remaining else { throw RecordFormatError(.truncated, at: cursor.offset) }
        var values: [Record.Value] = []
        values.reserveCapacity(block.count)
        do throws(RecordFormatError) {
            while values.count < block.count {
                let kind = try cursor.kind()
                if kind == .string {
                    // Most records with a long name have it in a field too.
                    values.append(.string(try cursor.text(sharing: id.name)))
                } else if let scalar = try cursor.scalar(kind, &targetTypes) {
                    values.append(scalar)
                } else {
                    values.append(try collection(kind, &cursor, reserved: block.count - values.count - 1))
                }
            }
        } catch {
            var error = error
            error.field = block.names?.names[values.count]
            throw error
        }
        return values
    }

    /// A list, without a block, or a map that is being read.
    private struct Level {
        let block: NameBlock?
        var missing: Int
        var values: [Record.Value] = []

        @inline(__always)
        init(_ block: NameBlock?, count: Int) {
            (self.block, missing) = (block, count)
            values.reserveCapacity(count)
        }

        var value: Record.Value {
            guard let block else { return .list(values) }
            return .map(Record.Fields(block.names, values: values))
        }
    }

    /// Reads a list or a map, which `reserved` values follow; without recursion, since the bytes determine the depth.
    private mutating func collection(
        _ kind: BinaryFormat.Kind, _ cursor: inout ByteCursor, reserved: Int
    ) throws(RecordFormatError) -> Record.Value {
        // Each value to come takes at least a byte, so together they bound every count.
        var missing = reserved
        var current = try level(kind, &cursor, &missing)
        var outer: [Level] = []
        while true {
            guard current.missing > 0 else {
                guard var last = outer.popLast() else { return current.value }
                last.values.append(current.value)
                current = last
                continue
            }
            current.missing -= 1
            missing -= 1
            let start = cursor.offset
            let kind = try cursor.kind()
            if let value = try cursor.scalar(kind, &targetTypes) {
                current.values.append(value)
                continue
            }
            guard outer.count + 1 < BinaryFormat.maximumNesting else {
                throw RecordFormatError(.nestedTooDeeply, at: start)
            }
            outer.append(current)
            current = try level(kind, &cursor, &missing)
        }
    }

    @inline(__always)
    private mutating func level(
        _ kind: BinaryFormat.Kind, _ cursor: inout ByteCursor, _ missing: inout Int
    ) throws(RecordFormatError) -> Level {
        let level: Level
        if kind == .map {
            let block = try names(&cursor, reserved: missing)
            guard block.count <= cursor.remaining - missing else {
                throw RecordFormatError(.truncated, at: cursor.offset)
            }
            level = Level(block, count: block.count)
        } else {
            level = Level(nil, count: try cursor.length(reserved: missing))
        }
        missing += level.missing
        return level
    }
}
