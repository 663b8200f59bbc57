import NestedRecords

extension RecordReader {
    /// Whether the bytes of a record or a deletion are those of the record with this ID.
    static func hasID(_ id: Record.ID, in bytes: UnsafeRawBufferPointer) throws(RecordFormatError) -> Bool {
        var rest = try idBytes(in: bytes)[...]
        for text in [id.type, id.name] {
            let count = text.utf8.count
            guard rest.first == UInt8(truncatingIfNeeded: count) else { return false }
            rest = rest.dropFirst()
            guard rest.prefix(count).elementsEqual(text.utf8) else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// What the database knows of the record that the bytes are.
    static func metadata(of bytes: UnsafeRawBufferPointer) throws(RecordFormatError) -> Record.Metadata? {
        let start = 1 + (try idBytes(in: bytes).count)
        var cursor = ByteCursor(UnsafeRawBufferPointer(rebasing: bytes[start...]))
        return try cursor.metadata()
    }
}
