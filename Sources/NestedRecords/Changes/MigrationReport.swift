/// The results of a migration, or its progress.
public struct MigrationReport: Sendable {
    /// The number of examined records.
    public internal(set) var examinedCount = 0

    /// The number of records that were changed, or would be changed.
    public internal(set) var rewrittenCount = 0

    /// The number of these records whose type changed, or would change.
    public internal(set) var movedCount = 0

    /// The records that could not be changed.
    public internal(set) var failures: [Failure] = []

    /// Whether the migration only reports what it would do.
    public let isDryRun: Bool

    /// The number of records that are up to date.
    public var unchangedCount: Int { max(0, examinedCount - rewrittenCount - failures.count) }

    /// A record that could not be changed.
    public struct Failure: Sendable, Identifiable {
        /// The record.
        public let id: Record.ID

        /// The reason why it could not be changed.
        public let reason: String
    }
}

extension MigrationReport: CustomStringConvertible {
    /// The counts on one line, and a line for each of the first failures.
    public var description: String {
        let verb = isDryRun ? "to rewrite" : "rewritten"
        let moved = movedCount == 0 ? "" : " (\(movedCount) with another type)"
        let counts = [
            "\(examinedCount.counted("record")) examined", "\(rewrittenCount) \(verb)\(moved)",
            "\(unchangedCount) unchanged", "\(failures.count) failed",
        ]
        let rest = failures.count > 10 ? ["and \((failures.count - 10).counted("more record"))"] : []
        return ([counts.joined(separator: ", ")] + failures.prefix(10).map { "\($0.id): \($0.reason)" } + rest)
            .joined(separator: "\n")
    }
}

/// Options of ``RecordDatabase/migrate(_:options:)``.
public struct MigrationOptions: Sendable {
    /// The maximum number of records to save and delete together; fewer if the database's limit is lower.
    public var batchSize: Int

    /// Whether to report the changes without saving them.
    public var isDryRun: Bool

    /// The maximum number of attempts to change a record that other writers change.
    public var maximumAttempts: Int

    /// Receives the progress, after the scan of the records and after each batch.
    public var progress: (@Sendable (MigrationReport) -> Void)?

    /// Makes options.
    ///
    /// - Parameters:
    ///   - batchSize: The maximum number of records to save and delete together.
    ///   - isDryRun: Whether to report the changes without saving them.
    ///   - maximumAttempts: The maximum number of attempts to change a record that other writers change.
    ///   - progress: Receives the progress.
    public init(
        batchSize: Int = 1_000, isDryRun: Bool = false, maximumAttempts: Int = 10,
        progress: (@Sendable (MigrationReport) -> Void)? = nil
    ) {
        self.batchSize = batchSize
        self.isDryRun = isDryRun
        self.maximumAttempts = maximumAttempts
        self.progress = progress
    }
}
