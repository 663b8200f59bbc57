/// Writes records in their binary form, for databases that store bytes.
///
/// ```swift
/// var writer = RecordWriter()
/// let bytes = try writer.bytes(of: record)
/// ```
///
/// The form is lossless; the article <doc:FileFormat> describes it byte by byte. A writer remembers field names, which
/// records of one shape share: use one writer for many records.
@_spi(Engines) public struct RecordWriter: Sendable {
    private var writtenNames = WrittenNames()

    /// Makes a writer.
    public init() {}

    /// Returns the binary form of a record, with its ID and its metadata.
    ///
    /// - Parameter record: The record.
    /// - Returns: The bytes, which are not self-delimiting: store their number as well.
    /// - Throws: `RecordError.Code.depthLimitExceeded` or `RecordError.Code.invalidKey` for a
    ///   record that could not be read back.
    /// - Complexity: O(*n*) for *n* bytes.
    public mutating func bytes(of record: Record) throws(RecordError) -> [UInt8] {
        var bytes = GrowingBytes(capacity: 512)
        try append(record, metadata: record.metadata, to: &bytes)
        return bytes.withBytes { Array($0) }
    }

    /// Throws if one of the records cannot be written, before any is written.
    ///
    /// Fields cannot have equal names, so that names are not compared here: that takes as long as writing the record.
    package static func check(_ records: [Record]) throws(RecordError) {
        // By position: taking a record out of the array would copy ten references.
        for position in records.indices where !records[position].canBeWritten {
            var writer = RecordWriter()
            _ = try writer.bytes(of: records[position])
        }
    }

    /// Appends a record, with metadata in place of its own; the buffer is unchanged if this throws.
    package mutating func append(
        _ record: Record, metadata: Record.Metadata?, to bytes: inout GrowingBytes
    ) throws(RecordError) {
        let start = bytes.count
        do throws(RecordError) {
            bytes.append(byte: BinaryFormat.version)
            bytes.append(record.id)
            bytes.append(metadata)
            try append(names: record.fields.shape, of: record.id, to: &bytes)
            try appendValues(of: record, to: &bytes)
        } catch {
            bytes.truncate(to: start)
            throw error
        }
    }

    mutating func append(
        names: FieldNames?, of record: Record.ID, to bytes: inout GrowingBytes
    ) throws(RecordError) {
        switch writtenNames.append(names, to: &bytes) {
        case .valid: return
        case .withEmptyName:
            throw .invalidKey("", reason: "a field's name must not be empty", context: RecordContext(record: record))
        case .unreadable(let name, let reason):
            throw .invalidKey(name, reason: reason, context: RecordContext(record: record))
        }
    }

    /// Without recursion: values may be nested more deeply than a stack holds.
    mutating func appendValues(of record: Record, to bytes: inout GrowingBytes) throws(RecordError) {
        var current = OpenCollection(record.fields)
        var outer: [OpenCollection] = []
        while true {
            guard let value = current.takeNext() else {
                guard let last = outer.popLast() else { return }
                current = last
                continue
            }
            guard let inner = bytes.append(value) else { continue }
            if !inner.isMap {
                bytes.append(varint: UInt64(truncatingIfNeeded: inner.values.count))
            } else if case .unreadable(let name, let reason) = writtenNames.append(inner.shape, to: &bytes) {
                throw .invalidKey(name, reason: reason, context: place(in: record, outer.first ?? current))
            }
            guard outer.count < BinaryFormat.maximumNesting else {
                throw .depthLimitExceeded(
                    BinaryFormat.maximumNesting, context: place(in: record, outer.first ?? current))
            }
            outer.append(current)
            current = inner
        }
    }

    private func place(in record: Record, _ fields: OpenCollection) -> RecordContext {
        RecordContext(record: record.id, field: record.fields.names[fields.position - 1])
    }
}

extension Record {
    fileprivate var canBeWritten: Bool {
        if fields.names.contains(where: \.hasTooManyMarks) { return false }
        return !fields.values.contains { value in
            guard value.isCollection else { return false }
            return value.contains { value, depth in
                if case .map(let fields) = value, fields.names.contains(where: \.hasTooManyMarks) { return true }
                return depth >= BinaryFormat.maximumNesting && value.isCollection
            }
        }
    }
}
