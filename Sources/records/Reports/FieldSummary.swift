import NestedRecords

/// The fields of the records of a type, or of the maps at a path.
struct FieldSummary {
    /// The maximum number of names in a path.
    private static let mostNames = 4

    /// The maximum number of different names in the maps at a path.
    private static let mostInMaps = 30

    private struct Field {
        var count = 0
        var kinds: Set<String> = []
        let example: Record.Value

        /// The values in maps; one or none, since a structure cannot contain itself.
        var inner: [FieldSummary] = []
    }

    /// The number of records or maps.
    private var count = 0
    private var names: [String] = []
    private var fields: [String: Field] = [:]

    /// Adds the fields of a record.
    mutating func add(_ fields: Record.Fields) { add(fields, depth: 1) }

    private mutating func add(_ values: Record.Fields, depth: Int) {
        count += 1
        if depth > 1, names.count > Self.mostInMaps { return }
        for (name, value) in values {
            if fields[name] == nil {
                names.append(name)
                fields[name] = Field(example: value)
            }
            fields[name]?.count += 1
            fields[name]?.kinds.insert(value.shortKind)
            if depth < Self.mostNames { addMaps(of: value, in: name, depth: depth + 1) }
        }
        if depth > 1, names.count > Self.mostInMaps { fields = [:] }
    }

    private mutating func addMaps(of value: Record.Value, in name: String, depth: Int) {
        let values = if case .list(let values) = value { values } else { [value] }
        for value in values where value.numberDigits == nil {
            guard case .map(let map) = value else { continue }
            if fields[name]?.inner.isEmpty == true { fields[name]?.inner.append(FieldSummary()) }
            fields[name]?.inner[0].add(map, depth: depth)
        }
    }

    /// The rows of a table, one for each field and for each value in maps.
    func rows(of type: String) -> [[Table.Cell]] {
        let start: [Table.Cell] = [.text(type), .number(count.grouped)]
        let rows = rows(below: [])
        if rows.isEmpty { return [start] }
        return rows.enumerated().map { ($0 == 0 ? start : [.empty, .empty]) + $1 }
    }

    private func rows(below path: [String]) -> [[Table.Cell]] {
        names.flatMap { name -> [[Table.Cell]] in
            guard let field = fields[name] else { return [] }
            let missing = Double(count - field.count) / Double(count)
            // A share that is not zero is not shown as such.
            let percent = missing == 0 ? "" : "\(max(1, Int((missing * 100).rounded()))) %"
            // A field with a full stop in its name gets quotes: without them it looks like a value in a map.
            let isPath = !path.isEmpty || name.utf8.contains(UInt8(ascii: "."))
            let title = isPath ? FieldPath(path + [name]).filterText : name
            let row: [Table.Cell] = [
                .text(title), .text(field.kinds.sorted().joined(separator: ", ")), .number(percent),
                .text(field.example.plainText.visible(within: 40), Tint(field.example)),
            ]
            return [row] + field.inner.flatMap { $0.rows(below: path + [name]) }
        }
    }
}
