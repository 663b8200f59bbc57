/// What `RecordDatabase` asks of every database, as checks to run over one's own.
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
/// Each check wants an empty database of its own. It makes no call that exceeds the database's `batchLimit`, but for
/// the one that finds out whether such a call is refused. Where a limit is too small for a batch that a requirement
/// is about, the requirement counts as met. So do the requirements of an `ObservableRecordDatabase`, if the database is
/// none.
///
/// A database that keeps its records where it can be opened again is given a way to do so:
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
    public static let requirements: [RecordDatabaseRequirement] =
        groups.flatMap(\.self)

    private static let groups: [[RecordDatabaseRequirement]] = [
        RecordDatabaseRequirement.fetching,
        RecordDatabaseRequirement.keepingValues,
        RecordDatabaseRequirement.keepingNames,
        RecordDatabaseRequirement.savePolicies,
        RecordDatabaseRequirement.conflicts,
        RecordDatabaseRequirement.metadata,
        RecordDatabaseRequirement.atomicity,
        RecordDatabaseRequirement.versions,
        RecordDatabaseRequirement.refusals,
        RecordDatabaseRequirement.deletion,
        RecordDatabaseRequirement.cascades,
        RecordDatabaseRequirement.listing,
        RecordDatabaseRequirement.queries,
        RecordDatabaseRequirement.concurrency,
        RecordDatabaseRequirement.transactions,
        RecordDatabaseRequirement.batchLimits,
        RecordDatabaseRequirement.feeds,
        RecordDatabaseRequirement.waiting,
        RecordDatabaseRequirement.tokens,
    ]
}
