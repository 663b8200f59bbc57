import NestedRecords

/// The columns for the fields of printed records.
struct FieldColumns {
    /// The names of the fields.
    let names: [String]

    /// The columns of each name; several if the user gave the name several times.
    private let positions: [String: [Int]]

    init(_ names: [String]) {
        self.names = names
        positions = Dictionary(grouping: names.indices) { names[$0] }
    }

    /// Whether a field has a column.
    func contains(_ name: String) -> Bool { positions[name] != nil }

    /// The values of a record that have a column, in the order of the columns.
    ///
    /// The cost does not depend on the number of columns, which may be the number of fields of all records.
    func values(of record: Record) -> [(column: Int, value: Record.Value)] {
        record.fields.flatMap { name, value in (positions[name] ?? []).map { (column: $0, value: value) } }
            .sorted { $0.column < $1.column }
    }
}
