import NestedRecords
import NestedRecordsTesting
import TestSupport

/// Something that a database does wrong.
struct DatabaseFault: CustomStringConvertible, Sendable {
    /// What is wrong.
    let description: String

    /// The name of the requirement that is not met.
    let requirement: String

    /// What the violation says, among other things.
    let explanation: String

    let makeDatabase: @Sendable () -> BrokenDatabase

    /// What measures how long the database takes.
    var clock: any Clock<Duration> = ContinuousClock()

    init(
        _ description: String, violates requirement: String, saying explanation: String,
        _ makeDatabase: @escaping @Sendable () -> BrokenDatabase
    ) {
        self.description = description
        self.requirement = requirement
        self.explanation = explanation
        self.makeDatabase = makeDatabase
    }

    // A sum of so many arrays takes the compiler minutes.
    static let all: [DatabaseFault] = Array(
        [
            fetching, values, names, policies, conflicts, metadata, batches, versions, deletion, referrers, cascades,
            listing, capabilities,
            queries, languages, pageContents, trees, concurrency, transactions, limits, feeds, waiting, tokens,
            audiences,
            assets,
        ].joined())
}
