#if PostgreSQL
import Foundation
@_spi(Engines) import NestedRecords
import Testing

@testable import NestedRecordsPostgreSQL

/// What a cluster adds; the other suites run on it too.
@Suite(.enabled(if: TestServer.isCluster, "there is no cluster: set NESTED_RECORDS_CITUS"), .timeLimit(.minutes(60)))
struct PostgreSQLClusterTests {
    private func record(_ name: String, _ value: Int) throws -> Record {
        try Record(id: Record.ID(type: "Sample", name: name), fields: ["a": .int(Int64(value))])
    }

    @Test func existingRecordsAreDistributed() async throws {
        try await withDatabase(distribution: nil) {
            $0.indexes = [FieldIndex("Sample", by: "a")]
        } _: { database in
            let records = try (0..<300).map { try record("\($0)", $0 % 10) }
            try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
            var token = try await database.oldestChangeToken()
            let open = try database.another()
            #expect(try await open.changes(since: token, limit: 1_000).saved.count == 300)
            try await database.prepare(distribution: .citus(shardCount: 4))
            try await database.prepare(distribution: .citus(shardCount: 8))
            let shards = try await database.sql(
                "SELECT count(*) FROM pg_dist_shard WHERE logicalrelid = $1::regclass", .text(database.tables.records))
            #expect(shards.integer(0, 0) == 4)
            // A database that was open before learns of it with its next call.
            try await open.commit(RecordBatch(saving: [try record("new", 3)], savePolicy: .overwrite))
            let found = try await database.page(
                RecordQuery("Sample", where: .compare("a", .equal, .int(3)), limit: 100))
            #expect(found.records.count == 31)
            var changed: Set<Record.ID> = []
            while true {
                let changes = try await open.changes(since: token, limit: 100)
                changed.formUnion(changes.saved.map(\.id))
                token = changes.token
                if changes.isComplete { break }
            }
            #expect(changed.count == 301)
            await open.close()
        }
    }

    /// A fetch asks only the servers that have one of the records, if it is of few records.
    @Test func aFetchAsksFewParts() async throws {
        try await withDatabase { database in
            let records = try (0..<100).map { try record("\($0)", $0) }
            try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
            for (count, partCount) in [(1, 1...1), (2, 1...2), (100, 4...4)] {
                let ids = records.prefix(count).map(\.id)
                #expect(try await database.records(for: ids).count == count)
                let lines = try await database.plan(of: database.fetch(ids)).components(separatedBy: "\n")
                let parts = lines.compactMap { $0.contains("Task Count: ") ? Int($0.filter(\.isNumber)) : nil }
                #expect(parts.allSatisfy(partCount.contains) && parts.count == 1, "\(lines)")
            }
        }
    }

    /// A transaction that a worker has prepared may be committed on the coordinator.
    @Test func changesWaitForPreparedTransactionsOfWorkers() async throws {
        let worker = try #require(TestServer.workers.first)
        try await withDatabase { database in
            let token = try await database.changeToken()
            try await database.commit(RecordBatch(saving: [try record("1", 1)], savePolicy: .overwrite))
            let name = "test_\(UUID().uuidString)"
            let pool = ConnectionPool(try ConnectionParameters(worker), [], size: 1)
            func execute(_ text: String...) async throws {
                _ = try await pool.execute(text.map { Statement("test", $0) }, isRepeatable: false)
            }
            try await execute("BEGIN", "SELECT pg_current_xact_id()", "PREPARE TRANSACTION '\(name)'")
            do {
                let changes = try await database.changes(since: token, limit: 10)
                #expect(changes.isEmpty && !changes.isComplete && changes.token == token)
                try await execute("COMMIT PREPARED '\(name)'")
            } catch {
                try await execute("ROLLBACK PREPARED '\(name)'")
                throw error
            }
            let changes = try await database.changes(since: token, limit: 10)
            #expect(changes.saved.count == 1 && changes.isComplete)
            pool.close()
        }
    }

    /// Five writers save batches of three records, and a reader follows them.
    ///
    /// NESTED_RECORDS_CITUS_SECONDS is the duration, five seconds by default; servers may be killed and started again.
    @Test func theFeedAgreesWithTheWriters() async throws {
        let seconds = ProcessInfo.processInfo.environment["NESTED_RECORDS_CITUS_SECONDS"].flatMap(Double.init) ?? 5
        try await withDatabase({ $0.poolSize = 8 }) { database in
            let start = try await database.oldestChangeToken()
            let end = Date(timeIntervalSinceNow: seconds)
            let log = FileHandle.standardError
            var copy = FeedCopy(token: start)
            let model = try await withThrowingTaskGroup(of: ClusterWriter.self) { group in
                for number in 0..<5 {
                    group.addTask {
                        var writer = ClusterWriter(name: "\(number)", database: database)
                        while Date() < end { try await writer.takeStep() }
                        return writer
                    }
                }
                while Date() < end { try await copy.takeStep(database) }
                return try await group.reduce(into: [ClusterWriter]()) { $0.append($1) }
            }
            try await copy.finish(database)
            var stored: [Record.ID: Record] = [:]
            for try await record in database.records(ofType: nil) { stored[record.id] = record }
            #expect(copy.records.mapValues { $0["a"] } == stored.mapValues { $0["a"] })
            var values: [String: Record.Value] = [:]
            for writer in model { values.merge(writer.values) { _, new in new } }
            let expected = values.reduce(into: [:]) { $0[$1.key] = $1.value }
            #expect(expected == Dictionary(uniqueKeysWithValues: stored.map { ($0.key.name, $0.value["a"] ?? .null) }))
            #expect(copy.tornCount == 0)
            let counts = model.reduce(into: (0, 0)) { $0 = ($0.0 + $1.savedCount, $0.1 + $1.failureCount) }
            try log.write(
                contentsOf: Data("\(counts.0) batches, \(counts.1) failures, \(copy.pageCount) pages\n".utf8))
        }
    }
}

/// A writer that knows what was acknowledged.
private struct ClusterWriter: Sendable {
    let name: String
    let database: PostgreSQLRecordDatabase
    private(set) var values: [String: Record.Value] = [:]
    private(set) var (savedCount, failureCount, number) = (0, 0, 0)

    init(name: String, database: PostgreSQLRecordDatabase) { (self.name, self.database) = (name, database) }

    mutating func takeStep() async throws {
        number += 1
        let names = (0..<3).map { "\(name)-\(number % 40)-\($0)" }
        let value = Record.Value.int(Int64(number))
        let ids = try names.map { try Record.ID(type: "Sample", name: $0) }
        let records = try ids.map { try Record(id: $0, fields: ["a": value]) }
        let deletes = number % 7 == 0
        let batch =
            deletes ? RecordBatch(deletingAnyVersionOf: ids) : RecordBatch(saving: records, savePolicy: .overwrite)
        do {
            try await database.commit(batch)
        } catch let failure as RecordDatabaseError {
            failureCount += 1
            guard try await wasSaved(after: failure) else { return }
        }
        savedCount += 1
        for name in names { values[name] = deletes ? nil : value }
    }

    private func wasSaved(after failure: RecordDatabaseError) async throws -> Bool {
        guard let id = failure.batchID else {
            // A refused statement is no fault of the test while servers end.
            try await Task.sleep(for: .milliseconds(100))
            return false
        }
        while true {
            do {
                return try await database.outcome(of: id) != nil
            } catch is RecordDatabaseError {
                try await Task.sleep(for: .milliseconds(200))
            }
        }
    }
}

/// The records as the feed describes them.
private struct FeedCopy {
    var token: ChangeToken
    private(set) var records: [Record.ID: Record] = [:]
    private(set) var (tornCount, pageCount) = (0, 0)

    init(token: ChangeToken) { self.token = token }

    mutating func takeStep(_ database: PostgreSQLRecordDatabase) async throws {
        do {
            let changes = try await database.changes(since: token, limit: 50)
            for record in changes.saved { records[record.id] = record }
            for id in changes.deleted { records[id] = nil }
            token = changes.token
            pageCount += 1
            if changes.isComplete { countTornBatches() }
        } catch let failure as RecordDatabaseError where failure.isTransient {
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    private mutating func countTornBatches() {
        let batches = Dictionary(grouping: records.values) { $0.id.name.components(separatedBy: "-").prefix(2) }
        for batch in batches.values where batch.count != 3 || Set(batch.map { $0["a"] }).count != 1 { tornCount += 1 }
    }

    /// Reads until the feed has ended; a killed worker gets its last transactions within minutes.
    mutating func finish(_ database: PostgreSQLRecordDatabase) async throws {
        let limit = Date(timeIntervalSinceNow: 300)
        while Date() < limit {
            let (before, count) = (token, pageCount)
            try await takeStep(database)
            if pageCount > count, token == before, try await database.changeToken() == token { return }
        }
        Issue.record("the feed did not end")
    }
}
#endif
