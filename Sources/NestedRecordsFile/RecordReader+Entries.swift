import NestedRecords

extension RecordReader {
    /// What the database knows of the record that the bytes are.
    static func metadata(of bytes: UnsafeRawBufferPointer) throws(RecordFormatError) -> Record.Metadata? {
        let start = 1 + (try idBytes(in: bytes).count)
        var cursor = ByteCursor(UnsafeRawBufferPointer(rebasing: bytes[start...]))
        return try cursor.metadata()
    }
}
