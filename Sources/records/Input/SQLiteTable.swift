#if SQLite
@_spi(Engines) import NestedRecords

/// A table, a virtual table or a view of a file of SQLite.
struct SQLiteTable {
    /// A foreign key of one or several columns.
    struct ForeignKey {
        let target: String
        var columns: [String] = []

        /// The columns of the target; none for its primary key.
        var targetColumns: [String] = []
    }

    let name: String

    /// The record type of the rows.
    let type: String

    let columns: [String]
    let primaryKey: [String]

    /// In the order of their declaration.
    let foreignKeys: [ForeignKey]

    /// The columns that name the rows: the primary key, or the row number if some key cannot be the name of a record.
    ///
    /// Those of a view or a virtual table are named by their positions.
    private(set) var key: [String] = []

    /// Reads a declaration.
    ///
    /// - Parameters:
    ///   - kind: The kind in SQLite's list of tables.
    ///   - isWithoutRowID: Whether the rows do not have numbers.
    /// - Throws: ``InputError``, also for rows that cannot be named.
    init(_ name: String, type: String, kind: String, isWithoutRowID: Bool, in file: SQLiteFile) throws {
        var (columns, primaryKey): ([String], [(place: Int64, name: String)]) = ([], [])
        try file.forEachRow("PRAGMA main.table_xinfo(\(name.quotedForSQL))") { row in
            // Not the arguments of a virtual table.
            guard row[6] != .int(1) else { return }
            columns.append(try file.name(row[1]))
            if case .int(let place) = row[5], place > 0 { primaryKey.append((place, columns[columns.count - 1])) }
        }
        var foreignKeys: [Int64: ForeignKey] = [:]
        try file.forEachRow("PRAGMA main.foreign_key_list(\(name.quotedForSQL))") { row in
            guard case .int(let number) = row[0] else { return }
            var foreign = try foreignKeys[number] ?? ForeignKey(target: file.name(row[2]))
            foreign.columns.append(try file.name(row[3]))
            if row[4] != .null { foreign.targetColumns.append(try file.name(row[4])) }
            foreignKeys[number] = foreign
        }
        (self.name, self.type, self.columns) = (name, type, columns)
        self.primaryKey = primaryKey.sorted { $0.place < $1.place }.map(\.name)
        // SQLite lists the last one first.
        self.foreignKeys = foreignKeys.sorted { $0.key > $1.key }.map(\.value)
        guard Set(columns).count == columns.count, !columns.contains("") else {
            let reason = "the table '\(name.shortened)' has two columns of one name, or one without a name"
            throw InputError(input: file.path, reason: reason)
        }
        if kind == "table" { key = try chosenKey(isWithoutRowID: isWithoutRowID, in: file) }
    }

    private func chosenKey(isWithoutRowID: Bool, in file: SQLiteFile) throws -> [String] {
        let rowID = ["rowid", "_rowid_", "oid"].first { name in !columns.contains { $0.lowercased() == name } }
        let numbers = [rowID].compactMap(\.self)
        if primaryKey.isEmpty { return numbers }
        var (ids, bad): (Set<Record.ID>, [Record.Value]?) = ([], nil)
        let list = primaryKey.map(\.quotedForSQL).joined(separator: ", ")
        try file.forEachRow("SELECT \(list) FROM main.\(name.quotedForSQL)") { row in
            if bad == nil, id(of: row).map({ ids.insert($0).inserted }) != true { bad = row }
        }
        guard let bad else { return primaryKey }
        if !isWithoutRowID { return numbers }
        let shown = bad.map { $0.partOfName ?? "NULL" }.joined(separator: ",").shortened
        throw InputError(
            input: file.path,
            reason:
                "the key '\(shown)' of the table '\(name.shortened)' cannot name a record, and its rows do not have numbers"
        )
    }

    /// The ID of the row with some values of the key; nil if they cannot name a record.
    ///
    /// Several values are joined by a comma, where `~1` is a comma in a value, and `~0` a `~`.
    func id(of values: [Record.Value]) -> Record.ID? {
        var parts = values.compactMap(\.partOfName)
        guard parts.count == values.count else { return nil }
        if parts.count > 1 { parts = parts.map { $0.replacing(["~": "~0", ",": "~1"]) } }
        return try? Record.ID(type: type, name: parts.joined(separator: ","))
    }
}

extension String {
    /// This name as one of SQL.
    var quotedForSQL: String { "\"" + replacing(["\"": "\"\""]) + "\"" }
}

extension Record.Value {
    /// This value of a key in the name of a record; nil for null.
    fileprivate var partOfName: String? {
        switch self {
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let text): text
        case .bytes(let data): data.map { String(UInt16($0) + 0x100, radix: 16, uppercase: true).dropFirst() }.joined()
        default: nil
        }
    }
}
#endif
