/// Writes records in their binary form, for databases that store bytes.
///
/// ```swift
/// var writer = RecordWriter()
/// let bytes = try writer.bytes(of: record)
/// ```
///
/// The form is lossless; the article <doc:FileFormat> describes it byte by byte. A writer remembers field names, which
/// records of one shape share: use one writer for many records.
public struct RecordWriter: Sendable {
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

    /// Appends a record.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - metadata: The metadata to write in place of the record's own.
    ///   - bytes: The buffer to append to; unchanged if this throws.
    /// - Throws: `RecordError.Code.depthLimitExceeded` or `RecordError.Code.invalidKey` for a
    ///   record that could not be read back.
    package mutating func append(
        _ record: Record, metadata: Record.Metadata?, to bytes: inout GrowingBytes
    ) throws(RecordError) {
        let start = bytes.count
        do throws(RecordError) {
            bytes.append(byte: BinaryFormat.version)
            bytes.append(record.id)
            bytes.append(metadata)
            try append(names: record.fields.shape, of: record.id, to: &bytes)
            try append(values: record.fields.values, of: record, to: &bytes)
        } catch {
            bytes.truncate(to: start)
            throw error
        }
    }

    private mutating func append(
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

    private struct Level {
        let values: [Record.Value]
        var next = 0
    }

    /// Without recursion: values may be nested more deeply than a stack holds.
    private mutating func append(
        values: [Record.Value], of record: Record, to bytes: inout GrowingBytes
    ) throws(RecordError) {
        var current = Level(values: values)
        var outer: [Level] = []
        while true {
            guard current.next < current.values.count else {
                guard let last = outer.popLast() else { return }
                current = last
                continue
            }
            let value = current.values[current.next]
            current.next += 1
            guard let collection = bytes.append(value) else { continue }
            let inner: [Record.Value]
            switch collection {
            case .list(let values):
                bytes.append(varint: UInt64(truncatingIfNeeded: values.count))
                inner = values
            case .map(let fields):
                if case .unreadable(let name, let reason) = writtenNames.append(fields.shape, to: &bytes) {
                    throw .invalidKey(name, reason: reason, context: place(in: record, outer.first ?? current))
                }
                inner = fields.values
            }
            guard outer.count < BinaryFormat.maximumNesting else {
                throw .depthLimitExceeded(
                    BinaryFormat.maximumNesting, context: place(in: record, outer.first ?? current))
            }
            outer.append(current)
            current = Level(values: inner)
        }
    }

    /// The place of the last written field, at the level of the record's own fields.
    private func place(in record: Record, _ fields: Level) -> RecordContext {
        RecordContext(record: record.id, field: record.fields.names[fields.next - 1])
    }
}
