/// The results of a migration, or its progress.
public struct MigrationReport: Sendable {
    /// The number of examined records.
    public internal(set) var examinedCount = 0

    /// The number of records that were changed, or would be changed.
    public internal(set) var rewrittenCount = 0

    /// The number of these records whose type changed, or would change.
    public internal(set) var movedCount = 0

    /// The records that cannot be changed, with the reasons; if there are any, no record was changed.
    public internal(set) var failures: [(id: Record.ID, reason: String)] = []

    /// The values of unique properties that several records have; such records are changed like others.
    ///
    /// A dry run finds only those among records that have the current type and fields.
    public internal(set) var duplicates: [UniqueValueProblem] = []

    /// Whether the migration only reports what it would do.
    public let isDryRun: Bool

    init(isDryRun: Bool) { self.isDryRun = isDryRun }
}

extension MigrationReport: CustomStringConvertible {
    /// The counts on one line, and a line for each of the first failures.
    public var description: String {
        let verb = isDryRun ? "to rewrite" : "rewritten"
        let moved = movedCount == 0 ? "" : " (\(movedCount) with another type)"
        let counts =
            "\(examinedCount.counted("record")) examined, \(rewrittenCount) \(verb)\(moved), \(failures.count) failed"
        let rest = failures.count > 10 ? ["and \((failures.count - 10).counted("more record"))"] : []
        let lines = failures.prefix(10).map { "\($0.id): \($0.reason)" } + rest + duplicates.map { "\($0)" }
        return ([counts] + lines).joined(separator: "\n")
    }
}
