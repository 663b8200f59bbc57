import NestedRecords

extension RecordReader {
    /// Whether the bytes of a record or a deletion are those of the record with this ID.
    static func hasID(_ id: Record.ID, in bytes: UnsafeRawBufferPointer) throws(RecordFormatError) -> Bool {
        let bytes = try idBytes(in: bytes)
        let nameStart = 1 + Int(bytes[0])
        return bytes[1..<nameStart].isUTF8(of: id.type) && bytes[(nameStart + 1)...].isUTF8(of: id.name)
    }

    /// What the database knows of the record that the bytes are.
    static func metadata(of bytes: UnsafeRawBufferPointer) throws(RecordFormatError) -> Record.Metadata? {
        let start = 1 + (try idBytes(in: bytes).count)
        var cursor = ByteCursor(UnsafeRawBufferPointer(rebasing: bytes[start...]))
        return try cursor.metadata()
    }
}

extension Slice<UnsafeRawBufferPointer> {
    fileprivate func isUTF8(of text: String) -> Bool {
        guard count == text.utf8.count else { return false }
        var text = text
        return text.withUTF8 { UnsafeRawBufferPointer(rebasing: self).elementsEqual($0) }
    }
}
