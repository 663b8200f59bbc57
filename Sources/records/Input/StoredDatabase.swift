@_spi(Engines) import NestedRecords
import NestedRecordsSync

/// A database that is opened by a path or an address.
protocol StoredDatabase: RecordDatabase, TypeCountingRecordDatabase {
    /// The damage, and whether it is harmless.
    func damage() async throws -> [(text: String, isHarmless: Bool)]

    /// The indexes by fields that the database keeps; nil if it cannot keep any.
    func fieldIndexes() async throws -> [FieldIndex]?

    /// Closes the database.
    func close() async throws
}

extension StoredDatabase {
    /// The number of records.
    ///
    /// - Parameter types: The types to count; none for all.
    func recordCount(ofTypes types: [String] = []) async throws -> Int {
        try await recordCounts().reduce(0) { $0 + (types.isEmpty || types.contains($1.key) ? $1.value : 0) }
    }

    /// Whether the database has the state of a synchronization.
    func isSynchronized() async throws -> Bool {
        try await recordCounts().keys.contains { type in
            (try? Record.ID(type: type, name: "1").isOfSynchronization) == true
        }
    }

    /// The number of records, without those that the library and `nest` need.
    func shownCount() async throws -> Int {
        try await recordCounts().reduce(0) { $0 + (Record.ID.isReserved(type: $1.key) ? 0 : $1.value) }
    }
}

/// The purpose of opening a database.
enum DatabaseUse {
    case reading

    /// Creates a missing file or missing tables.
    case writing

    /// Makes the missing ones of these indexes, and removes others if that is wanted.
    case indexing([FieldIndex], removesOthers: Bool)

    /// As `writing`, and makes a database that can have the fields of its records for SQL have them.
    case writingForSQL
}
