import NestedRecordsFile
import TestSupport
import Testing

/// Codable types of every shape by way of a file, against the coders of JSON.
@Suite struct FileDifferentialTests {
    /// A file for each type, since their records have the same IDs.
    private actor Files {
        private let folder: TemporaryFolder
        private var databases: [String: FileRecordDatabase] = [:]

        init() throws { folder = try TemporaryFolder() }

        func database(for type: String) throws -> FileRecordDatabase {
            if let database = databases[type] { return database }
            var options = FileRecordDatabase.Options()
            options.durability = .relaxed
            let database = try FileRecordDatabase(path: folder.path("\(databases.count)"), options: options)
            databases[type] = database
            return database
        }
    }

    @Test func recordsInAFileCarryWhatJSONCarries() async throws {
        let files = try Files()
        let file = DifferentialPath.database("file") { try await files.database(for: $0) }
        let seed = Sweep.seed
        let tally = await Differential.run(seed: seed, rounds: 1, simpleRounds: 1, paths: [file])
        for difference in tally.unexplained.prefix(5) { Issue.record("seed \(seed): \(difference)") }
        #expect(tally.unexplained.count == 0)
        #expect(tally.count >= 5_000)
    }
}
