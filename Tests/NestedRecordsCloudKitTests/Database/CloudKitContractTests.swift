// On a Mac, CloudKit is Apple's.
#if canImport(CloudKit) && os(Linux)
import CloudKit
import NestedRecordsTesting
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsCloudKit

/// The contract of databases, on servers with the documented rules of CloudKit.
@Suite(.serialized) struct CloudKitContractTests {
    @Test(arguments: RecordDatabaseContract.requirements)
    func cloudKitMeets(_ requirement: RecordDatabaseRequirement) async throws {
        try await requirement.check(await database(StandInCloud()))
    }

    /// The other 132 of the 150 are met.
    @Test func requirementsAreSkippedOnlyForWhatCloudKitLacks() async throws {
        let lacked: [(RecordCapabilities, count: Int)] = [
            (.allNames, 4), (.outcomes, 1), (.referrerConditions, 4), (.audiences, 7), (.wholeBatchesInFeed, 1),
            (.snapshotReads, 1),
        ]
        let skipped = RecordDatabaseContract.skipped(for: try await database(StandInCloud()))
        for (capability, count) in lacked {
            #expect(skipped.count { $0.neededCapabilities.contains(capability) } == count, "\(capability)")
        }
        #expect(skipped.count == lacked.reduce(0) { $0 + $1.count })
        #expect(RecordDatabaseContract.requirements.count - skipped.count == 132)
    }

    /// Pages that split batches, errors within answers, and targets that change with references to them.
    @Test(arguments: Sweep.some(60, of: RecordDatabaseContract.requirements))
    func cloudKitMeetsWithOtherSettings(_ requirement: RecordDatabaseRequirement) async throws {
        let cloud = StandInCloud()
        cloud.changesPageLimit = 3
        (cloud.throwsAtomicFailures, cloud.refusesMissingDeletions) = (false, true)
        (cloud.referencesChangeTargets, cloud.indexesLag) = (true, true)
        try await requirement.check(await database(cloud))
    }

    /// After a lost answer, the outcome of a batch is unknown whose records another writer has saved since.
    static let notWithFaults: Set<String> = [
        "gives different tags to the versions of a hundred concurrent saves",
        "checks the conditions of a batch together with its changes",
        "lets one of two concurrent changes of a version win",
        "keeps the sum of 100 accounts in the transfers of 64 tasks",
        "never has a record without its content, while others collect",
        "stores equal bytes once, also from several writers at a time",
    ]

    @Test(arguments: Sweep.some(40, of: RecordDatabaseContract.requirements))
    func cloudKitMeetsInSpiteOfFaults(_ requirement: RecordDatabaseRequirement) async throws {
        if Self.notWithFaults.contains(requirement.name) { return }
        let cloud = StandInCloud()
        let database = try await database(cloud)
        let faults = RandomFaults(seed: Sweep.seed)
        cloud.fault = { faults.fault(of: $0) }
        try await requirement.check(
            RetriedRecordDatabase(database, RetryPolicy(attempts: 1_000, repeatsTransientErrors: true)))
    }
}

/// One call in five fails.
final class RandomFaults: Sendable {
    private let generator: Lock<SplitMix64>

    init(seed: UInt64) { generator = Lock(SplitMix64(seed: seed)) }

    func fault(of call: StandInCloud.Call) -> StandInCloud.Fault? {
        generator.withLock { generator in
            switch UInt64.random(in: 0..<25, using: &generator) {
            case 0: .fails(.networkFailure)
            case 1: .fails(.requestRateLimited, retryAfter: 0.001)
            case 2: .fails(.zoneBusy, retryAfter: 0.001)
            case 3: .fails(.networkUnavailable)
            case 4: .losesAnswer()
            default: nil
            }
        }
    }
}

extension CloudKitRecordDatabase.Options {
    /// Short pauses, and no native values for the fields of the contract that have values of several types.
    static var quick: Self {
        var options = Self()
        options.pauses = .milliseconds(1) ... .milliseconds(20)
        options.untyped = ["Sample.a", "Sample.b", "Sample.place"]
        return options
    }
}

/// A database in a new zone.
func database(
    _ cloud: StandInCloud, user: String = "ann", options: CloudKitRecordDatabase.Options = .quick
) async throws -> CloudKitRecordDatabase {
    let database = try CloudKitRecordDatabase(cloud.container(user: user), options: options)
    try await database.prepare()
    return database
}
#endif
