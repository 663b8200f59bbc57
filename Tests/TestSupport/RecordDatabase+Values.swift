public import NestedRecords

extension RecordDatabase {
    /// The values of the database.
    public var values: RecordStore { RecordStore(self) }

    /// The values of the database, with options.
    public func values(coding: RecordCoding) -> RecordStore { RecordStore(self, coding: coding) }
}
