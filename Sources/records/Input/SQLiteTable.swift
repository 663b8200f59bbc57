#if SQLite
@_spi(Engines) import NestedRecords

/// A table or a view of a file of SQLite.
struct SQLiteTable {
    /// A foreign key to a table.
    struct ForeignKey {
        var target: String
        var columns: [String] = []

        /// The columns of the target; the primary key of the target if they are nil.
        var targetColumns: [String?] = []

        /// The name of the field with the reference: the column, or the columns with `_` between them.
        var field: String { columns.joined(separator: "_") }
    }

    let name: String
    let columns: [String]
    let primaryKey: [String]
    let isWithoutRowID: Bool

    /// Whether its rows can have names: those of a view or a virtual table do not have a lasting identity.
    let isStored: Bool

    /// In the order of their declaration.
    private(set) var foreignKeys: [ForeignKey] = []

    /// The record type of the rows.
    var type = ""

    /// The columns that name the rows; none if rows are named by their positions.
    private(set) var key: [String] = []

    /// Reads the declaration of a table or a view.
    ///
    /// - Throws: ``InputError``.
    init(_ name: String, kind: String, isWithoutRowID: Bool, in file: SQLiteFile) throws {
        (self.name, self.isWithoutRowID, isStored) = (name, isWithoutRowID, kind == "table")
        var (columns, key): ([String], [(place: Int, name: String)]) = ([], [])
        try file.forEachRow("PRAGMA main.table_xinfo(\(name.quotedForSQL))") { row in
            // Not the arguments of a virtual table.
            guard row.integer(6) != 1 else { return }
            columns.append(row.text(1))
            if row.integer(5) > 0 { key.append((row.integer(5), row.text(1))) }
        }
        guard Set(columns).count == columns.count, !columns.contains("") else {
            throw InputError(
                input: file.path,
                reason: "the table '\(name.shortened)' has two columns of one name, or one without a name")
        }
        (self.columns, primaryKey) = (columns, key.sorted { $0.place < $1.place }.map(\.name))
        var keys: [Int: ForeignKey] = [:]
        try file.forEachRow("PRAGMA main.foreign_key_list(\(name.quotedForSQL))") { row in
            var foreign = keys[row.integer(0)] ?? ForeignKey(target: row.text(2))
            foreign.columns.append(row.text(3))
            if case .string(let column) = row[4] {
                foreign.targetColumns.append(column)
            } else {
                foreign.targetColumns.append(nil)
            }
            keys[row.integer(0)] = foreign
        }
        // SQLite lists the last one first.
        foreignKeys = keys.sorted { $0.key > $1.key }.map(\.value)
    }

    /// Chooses what names the rows: the primary key, or the row number if some key cannot be the name of a record.
    ///
    /// - Throws: ``InputError``, also for such a key of a table without row numbers.
    mutating func chooseKey(in file: SQLiteFile) throws {
        guard isStored else { return }
        let rowID = ["rowid", "_rowid_", "oid"].first { name in !columns.contains { $0.lowercased() == name } }
        if !primaryKey.isEmpty {
            var (ids, bad): (Set<Record.ID>, String?) = ([], nil)
            let list = primaryKey.map(\.quotedForSQL).joined(separator: ", ")
            try file.forEachRow("SELECT \(list) FROM main.\(name.quotedForSQL)") { row in
                guard bad == nil else { return }
                let values = primaryKey.indices.map { row[$0] }
                guard let id = id(of: values), ids.insert(id).inserted else {
                    bad = values.map { $0.partOfName ?? "NULL" }.joined(separator: ", ")
                    return
                }
            }
            key = primaryKey
            guard let bad else { return }
            if isWithoutRowID {
                throw InputError(
                    input: file.path,
                    reason: "the key '\(bad.shortened)' of the table '\(name.shortened)' cannot name a record, and its "
                        + "rows do not have numbers")
            }
        }
        key = [rowID].compactMap(\.self)
    }

    /// The ID of the row with some values of the key; nil if they cannot name a record.
    ///
    /// Several values are joined by a comma, where `~1` is a comma in a value, and `~0` a `~`.
    func id(of values: [Record.Value]) -> Record.ID? {
        var parts = values.compactMap(\.partOfName)
        guard parts.count == values.count else { return nil }
        if parts.count > 1 {
            parts = parts.map { part in
                part.unicodeScalars.map { $0 == "~" ? "~0" : $0 == "," ? "~1" : String($0) }.joined()
            }
        }
        return try? Record.ID(type: type, name: parts.joined(separator: ","))
    }
}

extension String {
    /// This name as one of SQL.
    var quotedForSQL: String { "\"" + unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\"" }
}

extension Record.Value {
    /// This value of a key in the name of a record; nil for null.
    fileprivate var partOfName: String? {
        switch self {
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let text): text
        case .bytes(let data):
            data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
        default: nil
        }
    }
}
#endif
