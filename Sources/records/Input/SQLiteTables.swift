#if SQLite
@_spi(Engines) import NestedRecords

/// The rows of a file of SQLite that another program made, as records.
///
/// A table or a view is a type, a row is a record, and a column is a field. A foreign key is a reference, also if its
/// target is missing. A column without a declared foreign key is a value.
struct SQLiteTables {
    private(set) var records: [Record] = []

    /// The views and the virtual tables that could not be read: a table or a module may be missing.
    private(set) var notes: [String] = []

    private let file: SQLiteFile

    /// The tables by their names in small letters.
    private var tables: [String: SQLiteTable] = [:]

    /// Reads all rows, in one state of the file.
    ///
    /// - Throws: ``InputError``, also for a file that is not a SQLite database.
    init(_ path: String) throws {
        file = try SQLiteFile(path)
        var found: [(name: String, kind: String, isWithoutRowID: Bool)] = []
        // Not the tables in which virtual tables keep their data.
        try file.forEachRow(
            """
            SELECT list.name, list.type, list.wr FROM pragma_table_list AS list JOIN sqlite_schema AS declared
            ON declared.name = list.name AND declared.type IN ('table', 'view')
            WHERE list.schema = 'main' AND list.type <> 'shadow' AND list.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
            ORDER BY declared.rowid
            """
        ) { row in
            found.append((try file.name(row[0]), try file.name(row[1]), row[2] == .int(1)))
        }
        let types = Self.types(of: found.map(\.name))
        func trying(_ position: Int, _ body: (inout Self) throws -> Void) throws {
            let count = records.count
            do {
                try body(&self)
            } catch let error as InputError where found[position].kind != "table" {
                records.removeSubrange(count...)
                notes.append("'\(found[position].name.shortened)' in \(path) is left out: it \(error.reason)")
            }
        }
        for (position, (name, kind, isWithoutRowID)) in found.enumerated() {
            try trying(position) {
                $0.tables[name.lowercased()] = try SQLiteTable(
                    name, type: types[position], kind: kind, isWithoutRowID: isWithoutRowID, in: $0.file)
            }
        }
        for position in found.indices {
            if let table = tables[found[position].name.lowercased()] {
                try trying(position) { try $0.readRows(of: table) }
            }
        }
    }

    /// Whether a file has tables.
    static func exist(in path: String) throws -> Bool {
        var isFound = false
        try SQLiteFile(path).forEachRow("SELECT 1 FROM sqlite_schema LIMIT 1") { _ in isFound = true }
        return isFound
    }

    /// The types of tables: their names in the singular and in capitals, as the guess makes them of keys.
    ///
    /// Tables that would share a type keep their names; a name that cannot be a type gives `Table` and its number.
    private static func types(of names: [String]) -> [String] {
        let guessed = names.map { TypeName.type(of: $0) }
        var types: [String] = []
        for (position, name) in names.enumerated() {
            let isAlone = guessed.count { $0 == guessed[position] } == 1
            let own = (try? Record.ID(type: name, name: "1")).flatMap { $0.isReserved ? nil : name }
            let candidates = [isAlone ? guessed[position] : nil, own].compactMap(\.self)
            types.append(candidates.first { !types.contains($0) } ?? "Table\(position + 1)")
        }
        return types
    }
}

// MARK: Rows

extension SQLiteTables {
    /// A foreign key that can be followed.
    private struct Link {
        let target: SQLiteTable
        let field: String

        /// The positions of the columns in a row.
        let columns: [Int]

        /// The positions in a row of the values that name the target.
        let found: Range<Int>

        /// The positions in a row of columns that have these values too, also if the target is missing; none if no
        /// columns have them.
        let naming: [Int]

        /// The ID of the target; nil without a value, and for a missing target that the columns do not name.
        func id(in row: [Record.Value]) -> Record.ID? {
            if columns.contains(where: { row[$0] == .null }) { return nil }
            if !row[found].contains(.null) { return target.id(of: Array(row[found])) }
            return naming.isEmpty ? nil : target.id(of: naming.map { row[$0] })
        }
    }

    private mutating func readRows(of table: SQLiteTable) throws {
        var (selected, links): ([String], [Link]) = ((table.columns + table.key).map { "row." + $0.quotedForSQL }, [])
        let key = table.columns.count..<selected.count
        for foreign in table.foreignKeys { add(foreign, of: table, to: &links, &selected) }
        var position: Int64 = 0
        let sql = "SELECT \(selected.joined(separator: ", ")) FROM main.\(table.name.quotedForSQL) AS row"
        try file.forEachRow(sql) { row in
            position += 1
            var fields = Array(zip(table.columns, row))
            for link in links {
                guard let id = link.id(in: row) else { continue }
                let value = Record.Value.reference(Record.Reference(to: id, isLink: true))
                if link.columns.count == 1 {
                    fields[link.columns[0]].1 = value
                } else {
                    fields.append((link.field, value))
                }
            }
            guard let id = table.id(of: key.isEmpty ? [.int(position)] : Array(row[key])) else {
                throw InputError(
                    input: file.path, reason: "row \(position) of '\(table.name.shortened)' cannot be named")
            }
            records.append(try Record(id: id, fields: Record.Fields(fields)))
        }
    }

    /// Adds the link of a foreign key, and the SQL that finds its target: SQLite compares columns by its own rules.
    ///
    /// A foreign key that SQLite itself cannot follow is left out. A column is the reference that is declared first.
    private func add(
        _ foreign: SQLiteTable.ForeignKey, of table: SQLiteTable, to links: inout [Link], _ selected: inout [String]
    ) {
        guard let target = tables[foreign.target.lowercased()], !target.key.isEmpty else { return }
        let names = foreign.targetColumns.isEmpty ? target.primaryKey : foreign.targetColumns
        func places(of names: [String], in columns: [String]) -> [Int] {
            names.compactMap { name in columns.firstIndex { $0.lowercased() == name.lowercased() } }
        }
        let columns = places(of: foreign.columns, in: table.columns)
        guard columns.count == foreign.columns.count, names.count == columns.count,
            places(of: names, in: target.columns).count == names.count
        else { return }
        var field = foreign.columns.joined(separator: "_")
        while columns.count > 1, table.columns.contains(field) || links.contains(where: { $0.field == field }) {
            field += "_"
        }
        if columns.count == 1, links.contains(where: { $0.columns == columns }) { return }
        let condition = zip(names, foreign.columns).map { "target.\($0.quotedForSQL) = row.\($1.quotedForSQL)" }
        let source = "FROM main.\(target.name.quotedForSQL) AS target WHERE \(condition.joined(separator: " AND "))"
        let found = selected.count..<selected.count + target.key.count
        let naming = places(of: target.key, in: names).map { columns[$0] }
        links.append(
            Link(
                target: target, field: field, columns: columns, found: found,
                naming: naming.count == found.count ? naming : []))
        selected += target.key.map { "(SELECT target.\($0.quotedForSQL) \(source) LIMIT 1)" }
    }
}
#endif
