import NestedRecords

/// A store of records that takes part in the comparison.
///
/// All of them keep the same binary form of the same records, and a save that has returned survives a loss of power.
protocol StorageEngine: Sendable {
    static var name: String { get }

    /// Opens the store at a path, or makes it.
    init(path: String) async throws

    /// Saves the records in one transaction.
    func save(_ records: [Record]) async throws

    /// Fetches records, and returns the total number of their fields.
    func fetch(_ ids: [Record.ID]) async throws -> Int

    /// Reads all records, or those of a type, and returns the total number of their fields.
    func scan(type: String?) async throws -> Int

    /// Returns unused space to the disk.
    func compact() async throws

    func close() async throws
}
