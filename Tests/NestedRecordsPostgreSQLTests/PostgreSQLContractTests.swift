#if PostgreSQL
import NestedRecords
import NestedRecordsTesting
import TestSupport
import Testing

@testable import NestedRecordsPostgreSQL

@Suite(.enabled(if: TestServer.isThere, TestServer.reason), .timeLimit(.minutes(60)))
struct PostgreSQLContractTests {
    @Test(arguments: RecordDatabaseContract.requirements)
    func holds(_ requirement: RecordDatabaseRequirement) async throws {
        try await withDatabase { database in
            if TestServer.isCluster, requirement.needsSnapshot { return }
            try await requirement.check(
                database, reopening: { try $0.another() },
                forgettingDeletions: { database in
                    // What happened before stays on the server as long as another transaction may need it.
                    try await waitUntil {
                        try await database.purgeHistory(olderThan: .zero)
                        let deletions = "SELECT 1 FROM \(database.tables.records) WHERE body IS NULL"
                        return try await database.sql(deletions).count == 0
                    }
                })
        }
    }

    @Test(arguments: RecordDatabaseContract.requirements)
    func holdsWithOneConnectionAndIndexes(_ requirement: RecordDatabaseRequirement) async throws {
        try await withDatabase { options in
            options.poolSize = 1
            let paths: [FieldPath] = ["text", "a", "m.x", "to", .modificationDate]
            options.indexes = paths.map { FieldIndex("Sample", by: $0) }
        } _: {
            if TestServer.isCluster, requirement.needsSnapshot { return }
            try await requirement.check($0)
        }
    }
}

extension RecordDatabaseRequirement {
    /// Whether a fetch has to be a snapshot, which a fetch from several servers is not.
    fileprivate var needsSnapshot: Bool { name.contains("shows a concurrent reader all of a batch or nothing") }
}
#endif
