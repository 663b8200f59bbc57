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
            options.indexes = paths.map { FieldIndex("Sample", by: $0) } + [FieldIndex("Sample", by: "text", "photo")]
        } _: {
            try await requirement.check($0)
        }
    }
}
#endif
