import Foundation
import HTTPTestSupport
import NestedRecordsFile
import NestedRecordsSync
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsHTTP

/// Commits over a network that loses, doubles and delays requests and answers.
@Suite(.serialized) struct CommitOnceTests {
    struct Counter: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
        var count = 0
        static let recordType = "HTTPCounter"
    }

    private static var faults: JoinedTransport.Faults {
        var faults = JoinedTransport.Faults()
        (faults.lostRequests, faults.lostAnswers, faults.cutAnswers) = (0.1, 0.1, 0.1)
        (faults.doubledRequests, faults.lateCopies) = (0.1, 0.1)
        return faults
    }

    @Test(arguments: Sweep.seeds(2, whole: 8))
    func countersOfThreeClientsAreExact(seed: UInt64) async throws {
        let service = RecordDatabaseService(of: InMemoryRecordDatabase(), options: .unhurried)
        let direct = RecordStore(RemoteRecordDatabase(JoinedTransport(service)))
        try await direct.insert(Counter(id: "c"))
        let successes = try await withThrowingTaskGroup(of: Int.self) { group in
            for client in 0..<3 {
                let transport = JoinedTransport(service, faults: Self.faults, seed: seed &* 10 &+ UInt64(client))
                group.addTask {
                    let store = RecordStore(RemoteRecordDatabase(transport))
                    var count = 0
                    for _ in 0..<10 {
                        try await store.update(Counter.self, named: "c") { $0.count += 1 }
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        // Late copies of requests arrive.
        try await Task.sleep(for: .milliseconds(50))
        #expect(try await direct.fetch(Counter.self, named: "c").count == successes)
    }

    @Test func doubledBatchThatOverwritesIsAppliedOnce() async throws {
        let memory = InMemoryRecordDatabase()
        let service = RecordDatabaseService(of: memory, options: .unhurried)
        let transport = JoinedTransport(service)
        let client = RemoteRecordDatabase(transport)
        let record = try Record(id: Record.ID("Sample/a"), fields: ["n": 1])
        try await client.commit(RecordBatch(saving: [record], savePolicy: .overwrite))
        try await client.commit(RecordBatch(saving: [record.with("n", 2)], savePolicy: .overwrite))
        let first = transport.sent.withLock { $0[0] }
        let response = await service.respond(to: first)
        #expect(response.status == 409)
        #expect(try await memory.record(for: record.id)?["n"] == 2)
    }

    @Test func lostAnswerGivesTheMetadataOfTheSave() async throws {
        var faults = JoinedTransport.Faults()
        faults.lostAnswers = 1
        let memory = InMemoryRecordDatabase()
        let service = RecordDatabaseService(of: memory, options: .unhurried)
        let lossy = JoinedTransport(service, faults: faults)
        let batch = RecordBatch(saving: [try Record(id: Record.ID("Sample/a"), fields: ["n": 1])])
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await RemoteRecordDatabase(lossy).commit(batch)
        }
        #expect(error?.code == .unknownOutcome)
        let id = try #require(error?.batchID)
        let client = RemoteRecordDatabase(JoinedTransport(service))
        let saved = try await client.outcome(of: id)
        let stored = try await memory.record(for: batch.saves[0].id)
        #expect(saved?.count == 1 && saved?[batch.saves[0].id] == stored?.metadata)
    }

    @Test func outcomeLeavesOutRecordsThatWereChangedSince() async throws {
        let memory = InMemoryRecordDatabase()
        let client = RemoteRecordDatabase(JoinedTransport(RecordDatabaseService(of: memory, options: .unhurried)))
        var batch = RecordBatch(
            saving: try ["a", "b", "c"].map { try Record(id: Record.ID("Sample/\($0)"), fields: ["n": 1]) })
        batch.id = RecordBatch.makeID()
        try await client.commit(batch)
        try await memory.commit(
            RecordBatch(
                saving: [batch.saves[1].with("n", 2)], deletingAnyVersionOf: [batch.saves[2].id], savePolicy: .overwrite
            ))
        #expect(try await client.outcome(of: batch.id ?? "")?.keys.sorted() == [batch.saves[0].id])
    }

    @Test func outcomesAreKeptInAScope() async throws {
        let store = RecordStore(InMemoryRecordDatabase())
        let service = RecordDatabaseService { _ in
            let scope = try store.scoped(for: "ann") { $0.rule(Counter.self) { $0.count >= 0 } }
            return RecordDatabaseService.Access(reader: "ann", database: scope.database)
        }
        let client = RemoteRecordDatabase(JoinedTransport(service))
        var batch = RecordBatch(
            saving: [try Record(id: Record.ID("HTTPCounter/a"), fields: ["id": "a", "count": 1])])
        batch.id = RecordBatch.makeID()
        #expect(try await client.outcome(of: batch.id ?? "") == nil)
        let voided = await #expect(throws: RecordDatabaseError.self) { try await client.commit(batch) }
        #expect(voided?.code == .batchVoided)
        batch.id = RecordBatch.makeID()
        try await client.commit(batch)
        #expect(try await client.outcome(of: batch.id ?? "")?.count == 1)
    }

    @Test(arguments: [true, false]) func recordsOfOldOutcomesAreRemoved(isScoped: Bool) async throws {
        let memory = InMemoryRecordDatabase(now: { Date(timeIntervalSinceNow: -1_000) })
        let scope = try ScopedRecordDatabase(memory, for: "ann") { $0.rule(Counter.self) { $0.count >= 0 } }
        let database: any RecordDatabase = isScoped ? scope : memory
        func records(_ age: Duration) -> CommitRecords { CommitRecords(database: database, reader: "ann", age: age) }
        for number in 0..<205 {
            var batch = RecordBatch(
                saving: [
                    try Record(
                        id: Record.ID("HTTPCounter/\(number)"), fields: ["id": .string("\(number)"), "count": 1])
                ])
            batch.id = RecordBatch.makeID()
            _ = try await records(.seconds(1)).commit(batch)
        }
        let other = CommitRecords(database: memory, reader: "bob", age: .seconds(1))
        var batch = RecordBatch(deletingAnyVersionOf: [try Record.ID("HTTPCounter/0")])
        batch.id = RecordBatch.makeID()
        _ = try await other.commit(batch)
        func count() async throws -> Int {
            try await memory.records(ofType: "NestedRecords.Commit").reduce(0) { count, _ in count + 1 }
        }
        try await records(.seconds(600)).removeOld()
        #expect(try await count() == 206)
        try await records(.seconds(400)).removeOld()
        #expect(try await count() == 1)
    }

    @Test func outcomesBelongToTheirReader() async throws {
        let service = RecordDatabaseService(of: InMemoryRecordDatabase(), options: .unhurried)
        func client(_ name: String) -> RemoteRecordDatabase {
            var options = RemoteRecordDatabase.Options()
            options.accessToken = { _ in name }
            return RemoteRecordDatabase(JoinedTransport(service), options: options)
        }
        var batch = RecordBatch(saving: [try Record(id: Record.ID("Sample/a"), fields: [:])])
        batch.id = RecordBatch.makeID()
        // Another reader neither learns nor prevents what becomes of the batch.
        #expect(try await client("bob").outcome(of: batch.id ?? "") == nil)
        try await client("ann").commit(batch)
        #expect(try await client("ann").outcome(of: batch.id ?? "")?.count == 1)
        #expect(try await client("bob").outcome(of: batch.id ?? "") == nil)
    }

    @Test(arguments: Sweep.seeds(2, whole: 6))
    func recordFilesSynchronizeThroughFaults(seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        let service = RecordDatabaseService(of: InMemoryRecordDatabase(), options: .unhurried)
        var (files, links) = ([FileRecordDatabase](), [RecordSync]())
        for number in 0..<2 {
            let file = try FileRecordDatabase(path: folder.path("\(number)"))
            let remote = RemoteRecordDatabase(
                JoinedTransport(service, faults: Self.faults, seed: seed &* 10 &+ UInt64(number)))
            files.append(file)
            links.append(
                try RecordSync(
                    file, with: RetriedRecordDatabase(remote, RetryPolicy(repeatsTransientErrors: true)), named: "hub"))
        }
        for round in 0..<5 {
            for (number, file) in files.enumerated() {
                let store = RecordStore(file)
                try await store.overwrite(Counter(id: "\(number)-\(round)", count: round))
                if round > 0 { try await store.update(Counter.self, named: "\(number)-0") { $0.count += 1 } }
            }
            for link in links { try await Self.synchronize(link) }
        }
        for link in links + links { try await Self.synchronize(link) }
        let contents = try await files.asyncMap { try await RecordStore($0).query(Counter.self).all().map(\.value) }
        #expect(contents[0].count == 10 && contents[0] == contents[1])
        #expect(contents[0].first { $0.id == "1-0" }?.count == 4)
        for (link, file) in zip(links, files) {
            #expect(try await link.conflicts().isEmpty)
            #expect(try await link.rejected().isEmpty)
            try await file.close()
        }
    }

    /// Rounds that fail are repeated, as an app does it.
    private static func synchronize(_ link: RecordSync) async throws {
        for attempt in 1... {
            do {
                try await link.synchronize()
                return
            } catch let error as RecordDatabaseError where attempt < 20 && error.kind == .unavailable {}
        }
    }
}

extension Record {
    fileprivate func with(_ name: String, _ value: Record.Value) -> Record {
        var record = self
        record[name] = value
        return record
    }
}

extension Array {
    fileprivate func asyncMap<Result>(_ body: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}
