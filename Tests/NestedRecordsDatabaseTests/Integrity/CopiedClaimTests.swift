import NestedRecords
import TestSupport
import Testing

@Suite struct CopiedClaimTests {
    private struct Account: RecordCodable, Identifiable {
        var id: String
        var address: String
        static let recordType = "CopiedAccount"
        static let schema = RecordSchema(unique: ["address"])
    }

    /// A copy saves claims like any record.
    @Test(.timeLimit(.minutes(60))) func claimsOfAGraphAreSavedAsTheyAre() async throws {
        let database = InMemoryRecordDatabase()
        try await database.values.insert(Account(id: "ann", address: "a@x"))
        let records = try await Array(database.allRecords.values)
        #expect(records.count == 2)
        let copy = InMemoryRecordDatabase()
        let graph = try RecordGraph(records, roots: [])
        let saved = try await copy.save(graph, savePolicy: .overwrite)
        #expect(Set(saved.keys) == Set(records.map(\.id)))
        #expect(try await copy.uniqueValueProblems().isEmpty)
        // The copy has other versions now.
        try await copy.save(graph, savePolicy: .overwrite)
        let error = await #expect(throws: RecordDatabaseError.self) { try await copy.save(graph) }
        #expect(error?.code == .conflict)
    }
}
