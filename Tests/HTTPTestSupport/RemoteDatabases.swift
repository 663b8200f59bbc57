package import NestedRecords
package import NestedRecordsHTTP
package import NestedRecordsTesting

/// Clients of a service in the same process, for the contract of databases.
package enum RemoteDatabases {
    package static func client(
        of database: any RecordDatabase, faults: JoinedTransport.Faults = JoinedTransport.Faults()
    ) -> RemoteRecordDatabase {
        var options = RecordDatabaseService.Options.unhurried
        options.quota.requestsPerMinute = .max
        options.longestWait = .milliseconds(200)
        var expected = RemoteRecordDatabase.Options()
        expected.keepsAssets = database.assets != nil
        return RemoteRecordDatabase(
            JoinedTransport(RecordDatabaseService(of: database, options: options), faults: faults), options: expected)
    }

    /// A client in a scope, without a feed: feeds of scopes need declared audiences, and have tests of their own.
    package static func scopedClient(of database: any RecordDatabase) throws -> some RecordDatabase {
        let scope = try RecordStore(database).scoped(for: "ann") { $0.ruleOfAllTypes(.not(.exists("isHidden"))) }
        return Unfollowed(base: client(of: scope.database))
    }

    package static func isMetInAScope(_ requirement: RecordDatabaseRequirement) -> Bool {
        // It compares cursors with those of the query without a rule.
        requirement.name != "gives pages in order, of every size"
    }

    private struct Unfollowed: ForwardingRecordDatabase {
        let base: any RecordDatabase
        var feed: (any RecordFeed)? { nil }
    }

    /// A client that repeats its calls, with a proxy that loses, cuts, doubles and delays them.
    package static func repeatingClient(of database: any RecordDatabase) -> some RecordDatabase {
        var faults = JoinedTransport.Faults()
        (faults.lostRequests, faults.lostAnswers, faults.cutAnswers) = (0.05, 0.1, 0.05)
        (faults.doubledRequests, faults.lateCopies) = (0.05, 0.05)
        return RetriedRecordDatabase(
            client(of: database, faults: faults), RetryPolicy(attempts: 1_000, repeatsTransientErrors: true))
    }

    package static func isMetInSpiteOfFaults(_ requirement: RecordDatabaseRequirement) -> Bool {
        // The identifier of a batch is void after a lost request: the caller has to make another one.
        if requirement.neededCapabilities.contains(.outcomes) { return false }
        // After a lost answer, the version of a record is unknown that another writer has saved since, or that has a timestamp
        // within a field; and pages have the batches that void others, which are of the library alone.
        let exceptions = [
            "fills in server timestamps with the modification date",
            "gives different tags to the versions of a hundred concurrent saves",
            "splits no batch between pages of changes",
            // A lost answer had the numbers.
            "collects what no record names, and nothing else",
        ]
        return !exceptions.contains(requirement.name)
    }
}
