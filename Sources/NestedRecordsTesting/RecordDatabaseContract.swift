public import NestedRecords

/// The requirements of `RecordDatabase`, as checks for databases of your own.
///
/// In a test with Swift Testing:
///
/// ```swift
/// @Test(arguments: RecordDatabaseContract.requirements)
/// func holds(_ requirement: RecordDatabaseRequirement) async throws {
///     try await requirement.check(MyDatabase())
/// }
/// ```
///
/// Each check needs a new, empty database. It makes no call that exceeds the database's limits, except the one
/// that checks whether such a call is refused. If the limit is too small for the batch of a requirement, the
/// requirement counts as met. So do the requirements of an `RecordFeed`, if the database does not
/// conform.
///
/// For a database that can be opened again with its records, pass a closure that does so:
///
/// ```swift
/// try await requirement.check(
///     try MyDatabase(path: path),
///     reopening: { database in
///         try await database.close()
///         return try MyDatabase(path: path)
///     })
/// ```
public enum RecordDatabaseContract {
    /// All requirements.
    public static let requirements: [RecordDatabaseRequirement] = RecordDatabaseRequirement.groups.flatMap(\.self)

    /// The requirements that a database cannot meet, because it lacks a capability.
    ///
    /// - Parameter database: The database.
    /// - Returns: The requirements that their checks skip.
    public static func skipped(for database: some RecordDatabase) -> [RecordDatabaseRequirement] {
        requirements.filter { !$0.neededCapabilities.isSubset(of: database.capabilities) }
    }
}

extension RecordDatabaseRequirement {
    fileprivate static let groups = [
        fetching, keepingValues, keepingNames, savePolicies, metadata, atomicity, versions, refusals, deletion,
        capabilities, outcomes, referrers, cascades, listing, queries, languages, pageContents, trees, concurrency,
        transactions,
        batchLimits, feeds,
        waiting, tokens, audiences, assets,
    ]
}
