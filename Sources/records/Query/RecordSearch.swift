import NestedRecords

extension Record {
    /// Whether the ID contains a text, or the name or the value of a field, also in lists and maps.
    func contains(_ search: TextSearch) -> Bool {
        search.isFound(in: "\(id)") || rows.contains { $0.cells.contains { search.isFound(in: $0.text) } }
    }
}
