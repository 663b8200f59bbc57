import NestedRecords

/// The columns for the fields of printed records.
struct FieldColumns {
    /// The names of the fields, each once.
    let names: [String]

    private let positions: [String: Int]

    init(_ names: [String]) {
        self.names = names.uniqued()
        positions = Dictionary(uniqueKeysWithValues: zip(self.names, self.names.indices))
    }

    /// The titles of the columns beside others that are not fields, such as `@id`.
    func titles(besides others: [String]) -> [String] { names.map { $0.title(besides: others) } }

    /// Whether a field has a column.
    func contains(_ name: String) -> Bool { positions[name] != nil }

    /// The values of a record that have a column, in the order of the columns.
    ///
    /// The cost does not depend on the number of columns, which may be the number of fields of all records.
    func values(of record: Record) -> [(column: Int, value: Record.Value)] {
        record.fields.compactMap { name, value in positions[name].map { (column: $0, value: value) } }
            .sorted { $0.column < $1.column }
    }
}

extension [Record] {
    /// The fields to show in a table beside the names: all, except one that repeats the name of each record.
    var columnNames: [String] {
        flatMap { $0.fields.map(\.name) }.uniqued().filter { field in
            !allSatisfy { $0[field]?.plainText == $0.id.name }
        }
    }
}
