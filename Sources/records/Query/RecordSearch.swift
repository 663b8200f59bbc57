import NestedRecords

extension Record {
    /// Whether the ID contains the searched string, or the name or the value of a field, also in lists and maps.
    ///
    /// The ID of a reference is a value of another record.
    func contains(_ search: TextSearch) -> Bool {
        search.isFound(in: "\(id)")
            || rows.contains { row in
                let isReference = if case .record? = row.target { true } else { false }
                return row.cells.prefix(isReference ? 1 : row.cells.count).contains { search.isFound(in: $0.text) }
            }
    }
}
