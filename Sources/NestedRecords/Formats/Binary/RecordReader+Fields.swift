extension RecordReader {
    /// Reads some of the fields of a record, and passes the others; all for nil.
    package mutating func record(
        from bytes: BytesInPlace, fields names: Set<String>?
    ) throws(RecordFormatError) -> Record {
        guard let names else { return try record(from: bytes) }
        var record = BinaryRecord()
        try record.open(bytes, &self)
        return try partial(RecordReader.id(from: bytes), record.metadata(), &record, names)
    }

    /// Reads some of the fields of the record with an ID; nil if the bytes are another record's.
    package mutating func record(
        _ id: Record.ID, from bytes: BytesInPlace, fields names: Set<String>?
    ) throws(RecordFormatError) -> Record? {
        guard let names else { return try record(id, from: bytes) }
        return try RecordReader.hasID(id, in: bytes) ? record(from: bytes, fields: names) : nil
    }

    /// Reads some of the fields of a record that is stored in parts, whose ID and metadata were read already.
    package mutating func record(
        _ id: Record.ID, _ metadata: Record.Metadata?, _ parts: RecordParts, fields names: Set<String>?
    ) throws(RecordFormatError) -> Record {
        guard let names else { return try record(id, metadata, parts) }
        var record = BinaryRecord()
        record.open(parts)
        return try partial(id, metadata, &record, names)
    }

    private mutating func partial(
        _ id: Record.ID, _ metadata: Record.Metadata?, _ record: inout BinaryRecord, _ sought: Set<String>
    ) throws(RecordFormatError) -> Record {
        var (names, values): ([String], [Record.Value]) = ([], [])
        for (position, name) in (record.shape?.names ?? []).enumerated() where sought.contains(name) {
            do throws(RecordFormatError) {
                values.append(try record.value(at: position, &self))
            } catch {
                var error = error
                (error.recordID, error.field) = (id, name)
                throw error
            }
            names.append(name)
        }
        let fields = Record.Fields(names: names, values: values)
        return Record(id: id, checkedFields: fields, metadata: metadata).partial(sought)
    }
}
