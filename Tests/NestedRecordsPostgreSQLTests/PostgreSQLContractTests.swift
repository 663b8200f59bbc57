#if PostgreSQL
    import NestedRecords
    import NestedRecordsTesting
    import TestSupport
    import Testing

    @testable import NestedRecordsPostgreSQL

    @Suite(.enabled(if: TestServer.isThere, TestServer.reason), .timeLimit(.minutes(3)))
    struct PostgreSQLContractTests {
        @Test(arguments: RecordDatabaseContract.requirements)
        func holds(_ requirement: RecordDatabaseRequirement) async throws {
            try await withDatabase { try await requirement.check($0) }
        }

        @Test(arguments: RecordDatabaseContract.requirements)
        func holdsWithOneConnectionAndIndexes(_ requirement: RecordDatabaseRequirement) async throws {
            try await withDatabase { options in
                options.poolSize = 1
                let paths: [FieldPath] = ["text", "a", "m.x", "to", .modificationDate]
                options.indexes = paths.map { FieldIndex("Sample", by: $0) }
            } _: {
                try await requirement.check($0)
            }
        }
    }
#endif
