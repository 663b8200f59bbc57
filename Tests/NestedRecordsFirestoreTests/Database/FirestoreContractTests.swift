import Foundation
import NestedRecordsFirestore
import NestedRecordsTesting
import TestSupport
import Testing

@testable import HTTPTestSupport
@testable import NestedRecords

/// The contract of databases, on a server with the documented rules of Firestore.
// One after the other: thousands of tests at the same time would delay those that wait for something.
@Suite(.serialized) struct FirestoreContractTests {
    @Test(arguments: RecordDatabaseContract.requirements)
    func firestoreMeets(_ requirement: RecordDatabaseRequirement) async throws {
        try await requirement.check(database(StandInServer()))
    }

    /// The other 134 of the 150 are met.
    @Test func requirementsAreSkippedOnlyForWhatFirestoreLacks() throws {
        let lacked: [(RecordCapabilities, count: Int)] = [
            (.allNames, 4), (.outcomes, 1), (.referrerConditions, 4), (.audiences, 7),
        ]
        let skipped = RecordDatabaseContract.skipped(for: try database(StandInServer(), options: .withJournal))
        for (capability, count) in lacked {
            #expect(skipped.count { $0.neededCapabilities.contains(capability) } == count, "\(capability)")
        }
        #expect(skipped.count == lacked.reduce(0) { $0 + $1.count })
        let more = RecordDatabaseContract.skipped(for: try database(StandInServer())).filter { requirement in
            !skipped.contains { $0.name == requirement.name }
        }
        #expect(more.allSatisfy { $0.neededCapabilities.contains(.wholeBatchesInFeed) } && more.count == 1)
    }

    /// Prints the result of each requirement, with the capability without which it is skipped.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["CONTRACT_TABLE"] != nil, "CONTRACT_TABLE prints a table"))
    func contractIsShownAsATable() async throws {
        var lines = ["| Requirement | Without a journal | With a journal |", "| --- | --- | --- |"]
        var metCounts = [0, 0]
        for requirement in RecordDatabaseContract.requirements {
            var results: [String] = []
            for (number, options) in [FirestoreRecordDatabase.Options(), .withJournal].enumerated() {
                let database = try database(StandInServer(), options: options)
                let missing = requirement.neededCapabilities.subtracting(database.capabilities)
                if missing.isEmpty {
                    try await requirement.check(database)
                    metCounts[number] += 1
                }
                results.append(missing.isEmpty ? "met" : "skipped: needs \(missing)")
            }
            lines.append("| \(requirement.name) | \(results[0]) | \(results[1]) |")
        }
        let total = RecordDatabaseContract.requirements.count
        lines.append("| \(total) requirements | \(metCounts[0]) met | \(metCounts[1]) met |")
        print(lines.joined(separator: "\n"))
    }

    @Test(arguments: Sweep.some(20, of: RecordDatabaseContract.requirements))
    func firestoreBelowADocumentMeets(_ requirement: RecordDatabaseRequirement) async throws {
        var options = FirestoreRecordDatabase.Options()
        options.path = "users/ann"
        options.collections = ["Sample": "samples", "Other": "Others"]
        try await requirement.check(database(StandInServer(), options: options))
    }

    @Test(arguments: RecordDatabaseContract.requirements)
    func firestoreWithAJournalMeets(_ requirement: RecordDatabaseRequirement) async throws {
        try await requirement.check(database(StandInServer(), options: .withJournal))
    }

    @Test(arguments: Sweep.some(25, of: RecordDatabaseContract.requirements))
    func firestoreMeetsInSpiteOfFaults(_ requirement: RecordDatabaseRequirement) async throws {
        // After a lost answer, the version of a record is unknown that another writer has saved since.
        let exceptionsWithoutAJournal = [
            "gives different tags to the versions of a hundred concurrent saves",
            "keeps the sum of 100 accounts in the transfers of 64 tasks",
        ]
        var faults = StandInTransport.Faults()
        (faults.lostReads, faults.lostAnswers, faults.cutAnswers) = (0.05, 0.05, 0.05)
        (faults.doubledRequests, faults.refusals, faults.errorsInLists) = (0.05, 0.05, 0.05)
        for options in [FirestoreRecordDatabase.Options(), .withJournal] {
            if options.journal == nil, exceptionsWithoutAJournal.contains(requirement.name) { continue }
            // Without a journal, the outcome of a commit whose refusal is lost is unknown.
            faults.losesRefusals = options.journal != nil
            let database = try database(StandInServer(), faults: faults, options: options)
            try await requirement.check(
                RetriedRecordDatabase(database, RetryPolicy(attempts: 1_000, repeatsTransientErrors: true)))
        }
    }
}

extension FirestoreRecordDatabase.Options {
    /// A journal with short pauses.
    static var withJournal: Self {
        var (options, journal) = (Self(), FirestoreRecordDatabase.Journal())
        journal.pauses = .milliseconds(1) ... .milliseconds(20)
        options.journal = journal
        return options
    }
}

func database(
    _ server: StandInServer, faults: StandInTransport.Faults = StandInTransport.Faults(),
    options: FirestoreRecordDatabase.Options = FirestoreRecordDatabase.Options()
) throws -> FirestoreRecordDatabase {
    try FirestoreRecordDatabase(
        project: "test", access: .emulator(host: "127.0.0.1"), transport: StandInTransport(server, faults: faults),
        options: options)
}
