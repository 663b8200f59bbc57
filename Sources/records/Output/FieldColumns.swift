import NestedRecords

/// The columns that the fields of records are printed in.
struct FieldColumns {
    /// The names of the fields.
    let names: [String]

    /// Where each name is: in several columns if the user named it several times.
    private let positions: [String: [Int]]

    init(_ names: [String]) {
        self.names = names
        positions = Dictionary(grouping: names.indices) { names[$0] }
    }

    /// Whether a field has a column.
    func contains(_ name: String) -> Bool { positions[name] != nil }

    /// The values of a record that have a column, in the order of the columns.
    ///
    /// Not by going through the columns: there may be as many as all records have fields.
    func values(of record: Record) -> [(column: Int, value: Record.Value)] {
        record.fields.flatMap { name, value in (positions[name] ?? []).map { (column: $0, value: value) } }
            .sorted { $0.column < $1.column }
    }
}
