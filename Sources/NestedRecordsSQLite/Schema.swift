#if SQLite
import Foundation
@_spi(Engines) import NestedRecords

enum Schema {
    /// The mark of a file of records among files of SQLite: "NRec".
    static let applicationID: Int64 = 0x4E52_6563

    static let version = 4

    /// The statements that create the tables.
    ///
    /// A row of `records` has a number, by which everything names the record. Its metadata follow from the batch that saved
    /// it last: the tag from the number and the random mark of the batch, and the dates, unless the row has others. The
    /// names of its fields are in `shapes`, unless they are in the body. The row of a deleted record stays without a body,
    /// so that changes since a token can be reported; a row without a batch only gives a number to the missing target of
    /// a reference.
    fileprivate static let statements = [
        "CREATE TABLE types(number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, count INTEGER NOT NULL)",
        "CREATE TABLE shapes(number INTEGER PRIMARY KEY, names BLOB NOT NULL UNIQUE)",
        "CREATE TABLE batches(number INTEGER PRIMARY KEY, mark INTEGER NOT NULL, date REAL)",
        """
        CREATE TABLE records(
            number INTEGER PRIMARY KEY, type INTEGER NOT NULL, name TEXT NOT NULL, batch INTEGER, created REAL,
            modified REAL, shape INTEGER, body BLOB, fields TEXT)
        """,
        "CREATE UNIQUE INDEX records_by_name ON records(type, name)",
        // With the type, so that a reader of one type passes the others.
        "CREATE INDEX records_by_batch ON records(batch, type)",
        "CREATE INDEX deletions ON records(batch, type) WHERE body IS NULL AND batch IS NOT NULL",
        // For people: the records with the names of their types.
        """
        CREATE VIEW readable_records AS SELECT types.name AS type, records.name AS name, fields, records.number AS number
            FROM records JOIN types ON types.number = records.type WHERE body IS NOT NULL
        """,
        // Every reference: `position` counts those of a record, `element` is the place in a list at the end of the path.
        "CREATE TABLE paths(number INTEGER PRIMARY KEY, kind INTEGER NOT NULL, text TEXT NOT NULL, UNIQUE(kind, text))",
        """
        CREATE TABLE record_references(
            target INTEGER NOT NULL, record INTEGER NOT NULL, position INTEGER NOT NULL, path INTEGER NOT NULL,
            element INTEGER, PRIMARY KEY(target, record, position)
        ) WITHOUT ROWID
        """,
        // The declared indexes, and the sort keys of the records in each of them.
        "CREATE TABLE field_indexes(number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE)",
        """
        CREATE TABLE entries(
            field_index INTEGER NOT NULL, key BLOB NOT NULL, name TEXT NOT NULL, record INTEGER NOT NULL,
            PRIMARY KEY(field_index, key, name, record)
        ) WITHOUT ROWID
        """,
        // The audience values of the records, each with the batch that has saved the record last, and the one that has
        // added the value; and the values that records no longer have, with the batch that has removed them.
        "CREATE TABLE audience_values(number INTEGER PRIMARY KEY AUTOINCREMENT, value BLOB NOT NULL UNIQUE)",
        """
        CREATE TABLE audience_entries(
            value INTEGER NOT NULL, batch INTEGER NOT NULL, record INTEGER NOT NULL, added INTEGER NOT NULL,
            PRIMARY KEY(value, batch, record)
        ) WITHOUT ROWID
        """,
        // For the contents of a container, which are listed in pages while records change.
        "CREATE INDEX audience_entries_by_record ON audience_entries(value, record)",
        """
        CREATE TABLE departures(
            value INTEGER NOT NULL, batch INTEGER NOT NULL, record INTEGER NOT NULL, is_deletion INTEGER NOT NULL,
            PRIMARY KEY(value, batch, record)
        ) WITHOUT ROWID
        """,
        "CREATE INDEX departures_by_batch ON departures(batch)",
        // The bytes of assets, in chunks; each upload has a record that says what it is.
        "CREATE TABLE asset_uploads(number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
        """
        CREATE TABLE asset_chunks(
            upload INTEGER NOT NULL, position INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY(upload, position))
        """,
        // One row. A new `index_change` makes other connections read the indexes and the audiences again; changes since
        // the batches before `oldest_batch` are not known, and departures until `oldest_departure` are not either.
        """
        CREATE TABLE state(
            store TEXT NOT NULL, deletion_count INTEGER NOT NULL, index_change INTEGER NOT NULL,
            oldest_batch INTEGER NOT NULL, departure_count INTEGER NOT NULL, oldest_departure INTEGER NOT NULL)
        """,
    ]

    /// Finds the records whose fields are not in the column for SQL.
    ///
    /// A file that has this index has fields: every process writes them.
    static let recordsWithoutFields = """
        CREATE INDEX IF NOT EXISTS records_without_fields ON records(number) WHERE fields IS NULL AND body IS NOT NULL
        """

    fileprivate static let tableNames: Set<String> = [
        "types", "shapes", "batches", "records", "readable_records", "paths", "record_references", "field_indexes",
        "entries", "state", "audience_values", "audience_entries", "departures", "asset_uploads", "asset_chunks",
    ]

    static let recount = """
        UPDATE state SET deletion_count = (SELECT count(*) FROM records WHERE body IS NULL AND batch IS NOT NULL)
        """

    static let recountOfTypes = """
        UPDATE types SET count = (SELECT count(*) FROM records WHERE type = types.number AND body IS NOT NULL)
        """

    static func removal(ofRow number: Int64) -> [String] {
        [
            "DELETE FROM entries WHERE record = \(number)", "DELETE FROM audience_entries WHERE record = \(number)",
            "DELETE FROM departures WHERE record = \(number)",
            "UPDATE state SET departure_count = (SELECT count(*) FROM departures)",
            "DELETE FROM record_references WHERE record = \(number) OR target = \(number)",
            "DELETE FROM records WHERE number = \(number)",
            recount,
            "UPDATE types SET count = (SELECT count(*) FROM records WHERE type = types.number AND body IS NOT NULL)",
        ]
    }
}

extension Connection {
    func prepareSchema(writesFields: Bool) throws {
        try busyWait.repeating { try makeOrCheckTables(writesFields: writesFields) }
    }

    private func makeOrCheckTables(writesFields: Bool) throws {
        if try !isNew() {
            try checkSchema()
            if !isReadOnly { try useWriteAheadLog() }
            return
        }
        if isReadOnly {
            throw RecordDatabaseError(.notARecordDatabase, reason: "it is empty", path: path)
        }
        try useWriteAheadLog()
        try write {
            // Another process may have created the tables first.
            guard try isNew() else { return try checkSchema() }
            try run("PRAGMA application_id = \(Schema.applicationID)")
            try run("PRAGMA user_version = \(Schema.version)")
            for statement in Schema.statements { try run(statement) }
            if writesFields { try run(Schema.recordsWithoutFields) }
            try run("INSERT INTO state VALUES (?1, 0, 0, 0, 0, 0)", .text(UUID().uuidString))
            try run("INSERT INTO batches VALUES (0, ?1, 0)", .int(.random(in: .min ... .max)))
        }
    }

    private func isNew() throws -> Bool {
        let (application, version, tables) = try identity()
        return application == 0 && version == 0 && tables.isEmpty
    }

    private func identity() throws -> (application: Int64, version: Int64, tables: Set<String>) {
        var tables: Set<String> = []
        // First, because only this reads the file.
        try forEachRow("SELECT name FROM sqlite_master WHERE type IN ('table', 'view', 'trigger')") {
            tables.insert($0.text(0))
            return true
        }
        let application = try first("PRAGMA application_id") { $0.int(0) }
        let version = try first("PRAGMA user_version") { $0.int(0) }
        return (application ?? 0, version ?? 0, tables.filter { !$0.utf8.starts(with: "sqlite_".utf8) })
    }

    /// Checks that the file is still the one that the writing connection opened.
    func checkStore(_ store: String) throws {
        do {
            try checkSchema()
        } catch RecordDatabaseError.Code.notARecordDatabase {
            throw RecordDatabaseError(.fileReplaced, path: path)
        }
        if try storeID() != store { throw RecordDatabaseError(.fileReplaced, path: path) }
    }

    private func checkSchema() throws {
        let (application, version, tables) = try identity()
        guard application == Schema.applicationID else {
            throw RecordDatabaseError(.notARecordDatabase, reason: "it has other tables", path: path)
        }
        guard version == Schema.version else {
            throw RecordDatabaseError(
                .unsupportedVersion, .version(Int(version)), path: path,
                hint: "copy its records to a new file with the version of the library that made it")
        }
        guard tables == Schema.tableNames else {
            throw RecordDatabaseError.corrupt(path: path, what: "tables are missing, or were added")
        }
    }

    private func useWriteAheadLog() throws {
        let mode = try first("PRAGMA journal_mode = WAL") { $0.text(0) }
        guard mode == "wal" else {
            throw RecordDatabaseError(
                .cannotOpen, reason: "a write-ahead log cannot be used on its file system", path: path)
        }
    }
}
#endif
