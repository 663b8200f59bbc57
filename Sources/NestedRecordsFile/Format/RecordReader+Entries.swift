import NestedRecords

extension RecordReader {
    /// What the database knows of the record that the bytes are.
    static func metadata(of bytes: BytesInPlace) throws(RecordFormatError) -> Record.Metadata? {
        // Behind the version and the ID.
        var cursor = ByteCursor(bytes, at: 1 + (try idBytes(in: bytes).count))
        return try cursor.metadata()
    }
}
