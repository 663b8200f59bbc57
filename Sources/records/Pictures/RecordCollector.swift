import NestedRecords

/// Collects records for a picture or a page.
protocol RecordCollector {
    /// Adds a record.
    ///
    /// - Parameter isDrawn: Whether to draw a reference to this record.
    /// - Throws: ``RepeatedRecord`` for a record that was added before with other content.
    mutating func add(_ record: Record, where isDrawn: (Record.ID) -> Bool) throws
}

extension RecordCollector {
    /// Adds a record with all its references.
    ///
    /// - Throws: ``RepeatedRecord`` for a record that was added before with other content.
    mutating func add(_ record: Record) throws { try add(record) { _ in true } }
}
