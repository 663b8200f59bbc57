@_spi(Engines) public import NestedRecords

extension InMemoryRecordDatabase {
    /// Makes a database that holds values, at once: for previews and tests.
    ///
    /// ```swift
    /// let store = RecordStore(try InMemoryRecordDatabase(from: [Card(id: "1", front: "sea", back: "mer")]))
    /// ```
    ///
    /// - Parameters:
    ///   - values: The values, with everything that they contain.
    ///   - coding: How values become records: that of the store.
    /// - Throws: The errors of encoding; `RecordDatabaseError` with the code `valueTaken` if a unique value is repeated,
    ///   and `missingAsset` for a value with an asset, whose content the database does not have.
    public convenience init<Value: RecordCodable>(from values: [Value], coding: RecordCoding = RecordCoding()) throws {
        try self.init(from: RecordEncoder(coding).encode(values), coding: coding)
    }

    /// Makes a database that holds the records of a graph.
    ///
    /// - Parameters:
    ///   - graph: The records.
    ///   - coding: How they were made of values.
    /// - Throws: `RecordDatabaseError` with the code `valueTaken` if a unique value of a type that was used in the process
    ///   is repeated, and `missingAsset` for a record with an asset.
    public convenience init(from graph: RecordGraph, coding: RecordCoding = RecordCoding()) throws {
        try self.init(holding: Array(graph), coding)
    }

    /// Makes a database that holds the records of lines of typed JSON, as `records export` writes them, as new versions.
    ///
    /// - Parameters:
    ///   - lines: The lines, one record each.
    ///   - coding: How they were made of values.
    /// - Throws: An error with the line that is not a record; `RecordDatabaseError` with the code `duplicateID` for a record
    ///   that is repeated, and otherwise as for a graph.
    public convenience init(from lines: some StringProtocol, coding: RecordCoding = RecordCoding()) throws {
        var reader = RecordLineReader(Array(lines.utf8))
        var records: [Record] = []
        while let record = try reader.next() { records.append(record) }
        try self.init(holding: records, coding)
    }
}
