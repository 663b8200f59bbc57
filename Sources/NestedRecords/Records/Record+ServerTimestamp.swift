extension Record {
    package var hasServerTimestamp: Bool { fields.values.contains(where: \.hasServerTimestamp) }

    /// Restores each pending ``Record/Value/serverTimestamp`` of a record that was saved, if this record still has the date
    /// that was read in its place afterwards.
    mutating func keepServerTimestamps(of former: Record, readAs read: Record) {
        for (name, value) in zip(former.fields.names, former.fields.values)
        where value.hasServerTimestamp && self[name] == read[name] {
            self[name] = value
        }
    }

    /// This record as a database holds it after a save: with new metadata, and with the modification date in place of
    /// each ``Record/Value/serverTimestamp``.
    package func saved(as metadata: Metadata) -> Record {
        var record = self
        record.metadata = metadata
        // Most records have no timestamps and keep sharing the values of the saved record.
        for (position, value) in fields.values.enumerated() where value.hasServerTimestamp {
            record.fields.values[position] = value.mapLeaves {
                if case .serverTimestamp = $0 { .date(metadata.modificationDate) } else { $0 }
            }
        }
        return record
    }
}

extension Record.Value {
    fileprivate var hasServerTimestamp: Bool {
        contains { value, _ in value.kind == .serverTimestamp }
    }
}
