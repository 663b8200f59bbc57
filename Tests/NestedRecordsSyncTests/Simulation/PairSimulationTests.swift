import Foundation
import NestedRecords
import NestedRecordsFile
import TestSupport
import Testing

@testable import NestedRecordsSync

#if SQLite
import NestedRecordsSQLite
#endif

#if PostgreSQL
import NestedRecordsPostgreSQL
#endif

/// The simulator over a database of each kind that this build has, with a remote database of each kind.
@Suite(.serialized) struct PairSimulationTests {
    enum Kind: String, CaseIterable, Sendable {
        case memory
        case file
        #if SQLite
        case sqlite
        #endif
        #if PostgreSQL
        case postgresql
        #endif
    }

    private static let server = ProcessInfo.processInfo.environment["NESTED_RECORDS_POSTGRESQL"]

    private static var kinds: [Kind] {
        Kind.allCases.filter { $0.rawValue != "postgresql" || server != nil }
    }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: kinds, kinds) func databasesOfAnyTwoKindsAgree(_ local: Kind, _ remote: Kind) async throws {
        let databases = [try await database(remote, "remote"), try await database(local, "local")]
        var options = SimulationOptions()
        (options.databaseCount, options.editCount) = (2, 30)
        options.makeDatabase = { number, _, _ in databases[number] }
        try await Simulation.check(options, count: 2) {
            for database in databases { try await Self.clear(database) }
        }
    }

    private func database(_ kind: Kind, _ name: String) async throws -> any RecordDatabase {
        switch kind {
        case .memory: return InMemoryRecordDatabase()
        case .file:
            var options = FileRecordDatabase.Options()
            options.durability = .relaxed
            return try FileRecordDatabase(path: folder.path(name), options: options)
        #if SQLite
        case .sqlite:
            var options = SQLiteRecordDatabase.Options()
            options.durability = .relaxed
            return try SQLiteRecordDatabase(path: folder.path(name), options: options)
        #endif
        #if PostgreSQL
        case .postgresql:
            var options = PostgreSQLRecordDatabase.Options()
            options.schema = "s " + UUID().uuidString
            let database = try PostgreSQLRecordDatabase(connection: try #require(Self.server), options: options)
            try await database.prepare()
            return database
        #endif
        }
    }

    /// Deletes all records, also those of the library.
    private static func clear(_ database: any RecordDatabase) async throws {
        var batch = RecordBatch()
        for try await record in database.records(ofType: nil, including: .system) {
            batch.deletions.append(RecordBatch.VersionedID(record.id, version: .any))
        }
        if !batch.isEmpty { try await database.commit(batch) }
    }
}
