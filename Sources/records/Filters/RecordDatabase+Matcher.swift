import NestedRecords

extension RecordDatabase {
    /// A matcher for the records of one type.
    ///
    /// - Parameter filter: The filter, whose conditions on referenced records are looked up here; nil for all records.
    func matcher(for filter: RecordFilter?) async throws -> RecordMatcher {
        try RecordMatcher(RecordFilterPart(filter, targets: try await targets(of: filter).ids))
    }
}
