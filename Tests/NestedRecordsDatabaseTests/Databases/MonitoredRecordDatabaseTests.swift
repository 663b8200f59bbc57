import NestedRecords
import TestSupport
import Testing

@Suite struct MonitoredRecordDatabaseTests {
    private typealias Monitored = MonitoredRecordDatabase

    @Test func everyCallIsReportedOnceWithItsCount() async throws {
        let calls = Locked<[Monitored.Call]>([])
        let database = Monitored(InMemoryRecordDatabase()) { call in calls.withLock { $0.append(call) } }
        let feed = try #require(database.feed)
        let token = try await feed.changeToken()
        let records = try (0..<5).map {
            try Record(id: Record.ID("Sample/\($0)"), fields: ["group": .int(Int64($0 % 2))])
        }
        try await database.commit(RecordBatch(saving: records))
        _ = try await database.records(for: records.map(\.id) + [Record.ID("Sample/none")])
        for try await _ in database.records(ofType: nil) {}
        #expect(try await database.versions(ofType: "Sample", after: "1", limit: 3).count == 3)
        let query = RecordQuery("Sample", limit: 2)
        _ = try await database.page(query)
        #expect(try await database.count(query) == 5)
        _ = try await database.summaries(of: query, field: nil, groupedBy: "group")
        _ = try await database.explanation(of: query)
        _ = try await database.referrers(of: [records[0].id])
        _ = try await feed.oldestChangeToken()
        #expect(try await feed.changes(since: token, limit: 10).saved.count == 5)
        try await feed.waitForChanges(after: token)
        try await feed.database.commit(RecordBatch(deletingAnyVersionOf: [records[0].id]))
        let reported = calls.withLock { $0.map { "\($0.function) \($0.count)" } }
        #expect(
            reported == [
                "changeToken 0", "commit 5", "fetch 6", "list 5", "versions 3", "page 2", "count 5", "summaries 2",
                "explanation 0", "referrers 1", "changeToken 0", "changes 5", "wait 0", "commit 1",
            ])
        #expect(calls.withLock { $0.allSatisfy { $0.failure == nil && $0.duration > .zero } })
    }

    @Test func errorsAreReportedAndPassedOn() async throws {
        let calls = Locked<[Monitored.Call]>([])
        let broken = BrokenDatabase(
            fetch: { _, _ in throw Malfunction() }, list: { _, _ in RecordSequence(reading: { throw Malfunction() }) })
        let database = Monitored(broken) { call in calls.withLock { $0.append(call) } }
        await #expect(throws: Malfunction.self) { try await database.records(for: [Record.ID("Sample/a")]) }
        await #expect(throws: Malfunction.self) { for try await _ in database.records(ofType: nil) {} }
        #expect(calls.withLock { $0.map(\.function) } == ["fetch", "list"])
        #expect(calls.withLock { $0.allSatisfy { $0.failure is Malfunction } })
        #expect(Monitored(CountingDatabase(InMemoryRecordDatabase())) { _ in }.feed == nil)
    }

    @Test func listThatIsLeftIsReportedWithoutTheTimeOfItsReader() async throws {
        let calls = Locked<[Monitored.Call]>([])
        let records = try (0..<5).map { try Record(id: Record.ID("Sample/\($0)"), fields: [:]) }
        let base = BrokenDatabase(list: { _, _ in RecordSequence { RecordIterator(records: records[...]) } })
        let database = Monitored(base) { call in calls.withLock { $0.append(call) } }
        let start = ContinuousClock.now
        let list = database.records(ofType: nil)
        for try await record in list where record.id == records[1].id {
            try await Task.sleep(for: .milliseconds(300))
            break
        }
        try await waitUntil { calls.withLock { $0.count == 1 } }
        #expect(calls.withLock { $0.first?.count } == 2)
        let elapsed = ContinuousClock.now - start
        #expect(calls.withLock { $0.allSatisfy { $0.duration + .milliseconds(300) <= elapsed } })
    }
}

private struct RecordIterator: AsyncIteratorProtocol {
    var records: ArraySlice<Record>

    mutating func next() async throws -> Record? { records.popFirst() }
}
