/// What a migration did, or has done so far.
public struct MigrationReport: Sendable {
    /// The number of records that were looked at.
    public internal(set) var examinedCount = 0

    /// The number of records that were changed, or would be.
    public internal(set) var rewrittenCount = 0

    /// The number of these records that got another type, or would get one.
    public internal(set) var movedCount = 0

    /// The records that could not be changed.
    public internal(set) var failures: [Failure] = []

    /// Whether nothing was saved.
    public let isDryRun: Bool

    /// The number of records that are in their present form.
    public var unchangedCount: Int { max(0, examinedCount - rewrittenCount - failures.count) }

    /// A record that could not be changed.
    public struct Failure: Sendable, Identifiable {
        /// The record.
        public let id: Record.ID

        /// Why it could not be changed.
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

/// How ``RecordDatabase/migrate(_:options:)`` works.
public struct MigrationOptions: Sendable {
    /// The greatest number of records that are saved and deleted together; fewer if the database's limit is lower.
    public var batchSize: Int

    /// Whether to find out what would be done, and to save nothing.
    public var isDryRun: Bool

    /// How often to try at most to change a record that others are changing.
    public var maximumAttempts: Int

    /// Called with what is done so far, after the records were looked at and after each batch.
    public var progress: (@Sendable (MigrationReport) -> Void)?

    /// Makes options.
    ///
    /// - Parameters:
    ///   - batchSize: The greatest number of records that are saved and deleted together.
    ///   - isDryRun: Whether to save nothing.
    ///   - maximumAttempts: How often to try at most to change a record that others are changing.
    ///   - progress: Called with what is done so far.
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
