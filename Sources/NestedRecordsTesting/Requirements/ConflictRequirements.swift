import NestedRecords

extension RecordDatabaseRequirement {
    static let conflicts = [
        RecordDatabaseRequirement("reports the record to save in a conflict") { database in
            let (client, _, conflict) = try await provokeConflict(in: database)
            try expect(conflict.client == client, "the error carries another record than the one to save")
        },
        RecordDatabaseRequirement("reports its own record in a conflict") { database in
            let (_, server, conflict) = try await provokeConflict(in: database)
            try expect(conflict.server == server, "the error carries another record than the one in the database")
        },
        RecordDatabaseRequirement("takes a record that was merged into the one of a conflict") { database in
            let (client, _, conflict) = try await provokeConflict(in: database)
            var merged = conflict.server
            merged["text"] = client["text"]
            try await database.expectHolds(database.saved(merged, savePolicy: .ifUnchanged))
        },
    ]

    private static func provokeConflict(
        in database: any RecordDatabase
    ) async throws -> (client: Record, server: Record, error: (client: Record, server: Record)) {
        let first = try await database.saved(Record.sample("a"))
        let server = try await database.saved(first.with(text: "second"))
        let client = first.with(text: "third")
        let error = try await databaseError(from: "saving over a newer version") {
            _ = try await database.saved(client, savePolicy: .ifUnchanged)
        }
        guard error.code == .conflict, let errorClient = error.clientRecord, let errorServer = error.serverRecord else {
            throw UnmetExpectation(explanation: "the error is: \(error)")
        }
        return (client, server, (errorClient, errorServer))
    }
}
