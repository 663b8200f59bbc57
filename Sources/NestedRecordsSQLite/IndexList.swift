#if SQLite
@_spi(Engines) import NestedRecords

/// The indexes of the file, and its audiences.
struct IndexList {
    var change: Int64
    private(set) var numbers: [(index: FieldIndex, number: Int64)] = []
    private(set) var indexes: [FieldIndex] = []
    var audiences = DeclaredAudiences()

    /// The errors of declarations that cannot be read, by the types of the records.
    var damagedAudiences: [String: RecordDatabaseError] = [:]

    /// Whether each save writes the fields for SQL.
    var hasFields = false

    static let none = IndexList(change: -1)

    init(change: Int64) { self.change = change }

    func number(of index: FieldIndex) -> Int64? { numbers.first { $0.index == index }?.number }

    mutating func append(_ index: FieldIndex, _ number: Int64) {
        numbers.append((index, number))
        indexes.append(index)
    }
}

extension Connection {
    /// The indexes of the file in this transaction: another process may have added or removed some.
    func indexList() throws -> IndexList {
        let change = try first("SELECT index_change FROM state") { $0.int(0) } ?? 0
        if change == knownIndexes.change { return knownIndexes }
        var list = IndexList(change: change)
        try forEachRow("SELECT number, name FROM field_indexes ORDER BY number") { row in
            guard let index = FieldIndex(storedName: row.text(1)) else {
                throw RecordDatabaseError.corrupt(path: path, what: "the name of an index")
            }
            list.append(index, row.int(0))
            return true
        }
        list.hasFields = try hasFields()
        try addAudiences(to: &list)
        knownIndexes = list
        return list
    }

    func declare(_ indexes: [FieldIndex], removesOthers: Bool) throws {
        // An invalid type has no records, so its index would be empty. An empty path leads to no value.
        let indexes = indexes.filter {
            !$0.paths.contains(FieldPath([])) && (try? Record.ID(type: $0.recordType, name: "1")) != nil
        }
        func changes(_ present: [FieldIndex]) -> (added: [FieldIndex], removed: [FieldIndex]) {
            var added: [FieldIndex] = []
            for index in indexes where !present.contains(index) && !added.contains(index) { added.append(index) }
            return (added, removesOthers ? present.filter { !indexes.contains($0) } : [])
        }
        let present = try read { try indexList().indexes }
        if changes(present) == ([], []) { return }
        try write {
            let list = try indexList()
            let (added, removed) = changes(list.indexes)
            for index in removed {
                try run("DELETE FROM entries WHERE field_index = ?1", .int(list.number(of: index) ?? -1))
                try run("DELETE FROM field_indexes WHERE number = ?1", .int(list.number(of: index) ?? -1))
            }
            for index in added { try add(index) }
            try run("UPDATE state SET index_change = index_change + 1")
        }
    }

    private func add(_ index: FieldIndex) throws {
        try run("INSERT INTO field_indexes(name) VALUES (?1)", .text(index.storedName))
        let number = lastNumber
        guard let type = try typeNumber(index.recordType) else { return }
        let sql = "SELECT \(Self.recordColumns) FROM records WHERE type = ?1 AND body IS NOT NULL"
        try forEachRow(sql, [.int(type)]) { row in
            try checkCancellation()
            guard let record = try record(in: row, at: 0) else { return true }
            try insertEntry(of: record, at: row.int(0), key: index.key(of: record), in: number)
            return true
        }
    }

    func insertEntry(of record: Record, at row: Int64, key: SortKey, in index: Int64) throws {
        try run(
            "INSERT INTO entries VALUES (?1, ?2, ?3, ?4)", .int(index), .bytes(key.bytes), .text(record.id.name),
            .int(row))
    }

    func deleteEntry(of record: Record, at row: Int64, key: SortKey, in index: Int64) throws {
        try run(
            "DELETE FROM entries WHERE field_index = ?1 AND key = ?2 AND name = ?3 AND record = ?4", .int(index),
            .bytes(key.bytes), .text(record.id.name), .int(row))
    }
}
#endif
