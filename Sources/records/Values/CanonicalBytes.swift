@_spi(Engines) import NestedRecords

extension Record {
    /// The binary form of the ID and the fields: equal for two records that differ only in metadata and the order of
    /// fields.
    ///
    /// - Throws: `RecordError` for a record that no database accepts.
    func canonicalBytes(_ writer: inout RecordWriter) throws -> [UInt8] {
        // Before the recursion: the check refuses values whose nesting would overflow the stack.
        try RecordWriter.check([self])
        return try writer.bytes(of: Record(id: id, fields: fields.inOrderOfNames))
    }
}

extension Record.Fields {
    fileprivate var inOrderOfNames: Record.Fields {
        let pairs = map { (name: $0.name, value: $0.value.inOrderOfNames) }
        return Record.Fields(pairs.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
    }
}

extension Record.Value {
    fileprivate var inOrderOfNames: Record.Value {
        switch contents {
        case .map(let fields)?: .map(fields.inOrderOfNames)
        case .list(let values)?: .list(values.map(\.inOrderOfNames))
        case nil: self
        }
    }
}
