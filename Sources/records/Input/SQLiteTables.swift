#if SQLite
@_spi(Engines) import NestedRecords

/// The rows of a file of SQLite that another program made, as records.
///
/// A table or a view is a type, a row is a record, and a column is a field. A foreign key is a reference, also if its
/// target is missing. A column without a declared foreign key is a value.
struct SQLiteTables {
    private(set) var records: [Record] = []

    /// What could not be read.
    private(set) var notes: [String] = []

    private let file: SQLiteFile
    private var tables: [SQLiteTable] = []
    private var tablesByName: [String: Int] = [:]

    /// Reads all rows, in one state of the file.
    ///
    /// - Throws: ``InputError``, also for a file that is not a SQLite database.
    init(_ path: String) throws {
        file = try SQLiteFile(path)
        try readDeclarations()
        nameTypes()
        for position in tables.indices {
            try tables[position].chooseKey(in: file)
            tablesByName[tables[position].name.lowercased()] = position
        }
        for table in tables {
            let count = records.count
            do {
                try readRows(of: table)
            } catch let error as InputError where !table.isStored {
                records.removeSubrange(count...)
                note(table.name, error)
            }
        }
    }

    /// Whether a file has tables.
    ///
    /// - Throws: ``InputError``.
    static func exist(in path: String) throws -> Bool {
        var count = 0
        try SQLiteFile(path).forEachRow("SELECT count(*) FROM sqlite_schema") { count = $0.integer(0) }
        return count > 0
    }

    private mutating func readDeclarations() throws {
        var found: [(name: String, kind: String, isWithoutRowID: Bool)] = []
        // Not the tables in which virtual tables keep their data.
        try file.forEachRow(
            """
            SELECT list.name, list.type, list.wr FROM pragma_table_list AS list JOIN sqlite_schema AS declared
            ON declared.name = list.name AND declared.type IN ('table', 'view')
            WHERE list.schema = 'main' AND list.type <> 'shadow' AND list.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
            ORDER BY declared.rowid
            """
        ) { found.append(($0.text(0), $0.text(1), $0.integer(2) == 1)) }
        for (name, kind, isWithoutRowID) in found {
            do {
                tables.append(try SQLiteTable(name, kind: kind, isWithoutRowID: isWithoutRowID, in: file))
            } catch let error as InputError where kind != "table" {
                note(name, error)
            }
        }
    }

    /// Gives each table its type: its name in the singular and with a capital, as the guess does for keys.
    ///
    /// Tables that would share a type keep their names; a name that cannot be a type is `Table` and its number.
    private mutating func nameTypes() {
        var counts: [String: Int] = [:]
        let guessed = tables.map { TypeName.type(of: $0.name) }
        for case let type? in guessed { counts[type, default: 0] += 1 }
        var used: Set<String> = []
        for (position, type) in guessed.enumerated() {
            let name = tables[position].name
            let own = (try? Record.ID(type: name, name: "1")).flatMap { $0.isReserved ? nil : $0.type }
            let candidates = [type.flatMap { counts[$0] == 1 ? $0 : nil }, own, "Table\(position + 1)"]
            let chosen = candidates.compactMap(\.self).first { !used.contains($0) } ?? "Table\(position + 1)_"
            used.insert(chosen)
            tables[position].type = chosen
        }
    }

    /// A view may be of tables that are missing, and a virtual table may need a module that this SQLite does not have.
    private mutating func note(_ name: String, _ error: InputError) {
        notes.append("'\(name.shortened)' in \(error.input) is left out: it \(error.reason)")
    }
}

// MARK: Rows

extension SQLiteTables {
    /// A foreign key whose target and columns exist.
    private struct Link {
        let target: SQLiteTable
        let field: String

        /// The positions of the columns in the table.
        let columns: [Int]

        /// For each column of the target's name the position in ``columns``; nil if others name the target.
        let keyColumns: [Int]?

        /// The position of the first value of the target's name in a row.
        let start: Int

        /// The SQL for these values: SQLite compares the columns by its own rules.
        let selection: [String]

        /// The ID of the target of a row; nil without a value, and for a missing target that these values do not name.
        func id(in row: SQLiteFile.Row, _ values: [Record.Value]) -> Record.ID? {
            if columns.contains(where: { values[$0] == .null }) { return nil }
            let found = selection.indices.map { row[start + $0] }
            if !found.contains(.null) { return target.id(of: found) }
            return keyColumns.flatMap { target.id(of: $0.map { values[columns[$0]] }) }
        }
    }

    private mutating func readRows(of table: SQLiteTable) throws {
        let shown = table.columns
        var (selected, links): ([String], [Link]) = ((shown + table.key).map { "row." + $0.quotedForSQL }, [])
        for foreign in table.foreignKeys {
            guard let link = link(foreign, of: table, at: selected.count),
                // A column is one reference: the first one that is declared.
                !links.contains(where: { $0.field == link.field })
            else { continue }
            selected += link.selection
            links.append(link)
        }
        var position = 0
        let sql = "SELECT \(selected.joined(separator: ", ")) FROM main.\(table.name.quotedForSQL) AS row"
        try file.forEachRow(sql) { row in
            position += 1
            let values = shown.indices.map { row[$0] }
            var fields = Array(zip(shown, values))
            for link in links {
                guard let id = link.id(in: row, values) else { continue }
                let value = Record.Value.reference(Record.Reference(to: id, isLink: true))
                if link.columns.count == 1 {
                    fields[link.columns[0]].1 = value
                } else {
                    fields.append((link.field, value))
                }
            }
            let key = table.key.isEmpty ? [.int(Int64(position))] : table.key.indices.map { row[shown.count + $0] }
            guard let id = table.id(of: key) else {
                throw InputError(
                    input: file.path, reason: "row \(position) of '\(table.name.shortened)' cannot be named")
            }
            records.append(try Record(id: id, fields: Record.Fields(fields)))
        }
    }

    /// The link of a foreign key; nil if SQLite itself cannot follow it.
    private func link(_ foreign: SQLiteTable.ForeignKey, of table: SQLiteTable, at start: Int) -> Link? {
        guard let target = tablesByName[foreign.target.lowercased()].map({ tables[$0] }), !target.key.isEmpty else {
            return nil
        }
        let isImplicit = foreign.targetColumns.contains(nil)
        let to = isImplicit ? target.primaryKey : foreign.targetColumns.compactMap(\.self)
        func place(of name: String, in names: [String]) -> Int? {
            names.firstIndex { $0.lowercased() == name.lowercased() }
        }
        let columns = foreign.columns.compactMap { place(of: $0, in: table.columns) }
        guard columns.count == foreign.columns.count, to.count == columns.count,
            to.allSatisfy({ place(of: $0, in: target.columns) != nil })
        else { return nil }
        let condition = zip(to, columns).map { name, column in
            "target.\(name.quotedForSQL) = row.\(table.columns[column].quotedForSQL)"
        }
        let source = "FROM main.\(target.name.quotedForSQL) AS target WHERE \(condition.joined(separator: " AND "))"
        let keyColumns = target.key.compactMap { place(of: $0, in: to) }
        var field = columns.count == 1 ? table.columns[columns[0]] : foreign.field
        while columns.count > 1, table.columns.contains(field) { field += "_" }
        return Link(
            target: target, field: field, columns: columns,
            keyColumns: keyColumns.count == target.key.count ? keyColumns : nil, start: start,
            selection: target.key.map { "(SELECT target.\($0.quotedForSQL) \(source) LIMIT 1)" })
    }
}
#endif
