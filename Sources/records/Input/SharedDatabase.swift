import NestedRecords

#if SQLite
    import NestedRecordsSQLite
#endif

/// A database that several programs use at the same time.
protocol SharedDatabase: RecordDatabase {
    /// How many records of each type there are.
    func recordCounts() async throws -> [String: Int]

    /// What is damaged, a line for each.
    func damage() async throws -> [String]
}

extension OpenFile {
    /// Whether this is a regular file that begins as those of SQLite do; the place in the file stays.
    var isSQLite: Bool { isRegular && firstBytes(16).elementsEqual("SQLite format 3\0".utf8) }

    /// Opens the database of SQLite at a path for reading.
    ///
    /// - Throws: ``InputError`` where this build has no SQLite, and what the database throws.
    static func sqliteDatabase(_ path: String) throws -> any SharedDatabase {
        #if SQLite
            return try SQLiteRecordDatabase(path: path, options: .readOnly)
        #else
            let reason = "is a database of SQLite; this build has none, build it with '--traits SQLite'"
            throw InputError(input: path, reason: reason)
        #endif
    }
}

#if SQLite
    extension SQLiteRecordDatabase: SharedDatabase {
        func damage() async throws -> [String] { try await verify().map(\.description) }
    }
#endif
