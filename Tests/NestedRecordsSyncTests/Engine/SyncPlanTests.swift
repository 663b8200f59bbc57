import NestedRecords
import Testing

@testable import NestedRecordsSync

@Suite struct SyncPlanTests {
    let local = HookedDatabase(InMemoryRecordDatabase())
    let remote = HookedDatabase(InMemoryRecordDatabase())

    private func edit() async throws {
        try await local.put("mine", ["n": 1])
        try await local.remove("gone here")
        try await remote.put("theirs", ["n": 1])
        try await remote.remove("gone there")
        try await local.put("both", ["n": 2])
        try await remote.put("both", ["n": 3])
    }

    private func expect(_ plan: SyncPlan) {
        #expect(plan.saved.map(\.name) == ["both", "theirs"])
        #expect(plan.deleted.map(\.name) == ["gone there"])
        #expect(plan.pushed.map(\.name) == ["mine"])
        #expect(plan.pushedDeletions.map(\.name) == ["gone here"])
        #expect(plan.conflicts.map(\.name) == ["both"])
    }

    @Test func planIsWhatTheSynchronizationDoes() async throws {
        for name in ["both", "gone here", "gone there", "same"] { try await local.put(name, ["n": 1]) }
        let sync = try RecordSync(local, with: remote, named: "cloud")
        try await sync.synchronize()
        try await edit()
        for database in [local, remote] { database.forgetCalls() }
        expect(try await sync.plan())
        #expect(local.batches.isEmpty && remote.batches.isEmpty)
        let outcome = try await sync.synchronize()
        #expect(
            (outcome.savedCount, outcome.deletedCount, outcome.pushedCount, outcome.conflictCount) == (2, 1, 2, 1))
        #expect(try await sync.plan().isEmpty)
        // Without tokens, all records are compared.
        try await local.put("mine", ["n": 5])
        let id = try Record.ID(type: "NestedRecords.Link", name: "cloud")
        var link = try #require(try await local.record(for: id))
        (link["pulled"], link["pushed"]) = (nil, nil)
        try await local.base.commit(RecordBatch(saving: [link]))
        let plan = try await RecordSync(local, with: remote, named: "cloud").plan()
        #expect((plan.pushed.map(\.name), plan.saved, plan.conflicts) == (["mine"], [], []))
    }

    @Test func pendingChangesAreUnknownBeforeTheComparison() async throws {
        try await local.put("mine", ["n": 1])
        let sync = try RecordSync(local, with: remote, named: "cloud")
        #expect(try await sync.status().pendingCount == nil)
        remote.before { _ in throw RecordDatabaseError(.connectionLost) }
        _ = try? await sync.synchronize()
        #expect(try await sync.status().pendingCount == nil)
        remote.before { _ in }
        try await sync.synchronize()
        #expect(try await sync.status().pendingCount == 0)
    }

    @Test func planOfAFirstSynchronizationIsKnown() async throws {
        try await local.put("mine", ["n": 1])
        try await remote.put("theirs", ["n": 1])
        let plan = try await RecordSync(local, with: remote, named: "cloud").plan()
        #expect((plan.saved.map(\.name), plan.pushed.map(\.name)) == (["theirs"], ["mine"]))
        #expect(local.batches.count == 1)
        var options = SyncOptions()
        options.firstSync = .takeRemote
        let other = try await RecordSync(local, with: remote, named: "other", options: options).plan()
        #expect((other.saved.map(\.name), other.deleted.map(\.name), other.pushed) == (["theirs"], ["mine"], []))
    }

    @Test func pushWithoutAnAnswerIsNotPlannedOnceMore() async throws {
        let sync = try RecordSync(local, with: remote, named: "cloud")
        try await sync.synchronize()
        try await local.put("a", ["n": 1])
        remote.after { batch in if batch.changesRecordsOfCallers { throw RecordDatabaseError(.unknownOutcome) } }
        await #expect(throws: RecordDatabaseError.self) { try await sync.synchronize() }
        #expect(try await sync.plan().isEmpty)
    }
}
