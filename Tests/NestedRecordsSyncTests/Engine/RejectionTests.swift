import Foundation
import NestedRecords
import TestSupport
import Testing

@testable import NestedRecordsSync

/// How a remote database says which record it refuses.
enum Refusal: CaseIterable {
    case named
    case unnamed
    case listed

    /// It names a record that is not in the batch.
    case others

    func error(_ id: Record.ID) -> RecordDatabaseError {
        switch self {
        case .named: return RecordDatabaseError(.notPermitted, recordID: id)
        case .unnamed: return RecordDatabaseError(.notPermitted)
        case .listed:
            var error = RecordDatabaseError(.refused, isTransient: false)
            error.failures[id] = RecordDatabaseError(.notPermitted, recordID: id)
            return error
        case .others:
            var error = RecordDatabaseError(.notPermitted)
            if let other = try? Record.ID("Invoice/7") {
                error.failures[other] = RecordDatabaseError(.notPermitted, recordID: other)
            }
            return error
        }
    }
}

@Suite struct RejectionTests {
    let local = HookedDatabase(InMemoryRecordDatabase())
    let remote = HookedDatabase(InMemoryRecordDatabase())

    private func refuse(_ refusal: Refusal = .named) {
        remote.before { batch in
            for record in batch.saves where record["bad"] != nil { throw refusal.error(record.id) }
        }
    }

    @Test(arguments: Refusal.allCases)
    func aRefusedRecordBlocksNoOther(_ refusal: Refusal) async throws {
        refuse(refusal)
        let sync = try RecordSync(local, with: remote, named: "cloud")
        for number in 0..<7 { try await local.put("\(number)", number == 3 ? ["bad": true] : ["n": 1]) }
        let outcome = try await sync.synchronize()
        #expect((outcome.rejectedCount, outcome.pushedCount, outcome.isComplete) == (1, 6, true))
        #expect(try await remote.contents().count == 6)
        let change = try #require(try await sync.rejected().first)
        #expect(change.recordID.name == "3")
        #expect(change.attempts == 1)
        #expect(change.reason.contains("the caller may not do this"))
        #expect(try await sync.status().rejectedCount == 1)
        #expect(try await sync.status().pendingCount == 0)
        #expect(try await sync.verify().isEmpty)
        // It is not sent in each round.
        remote.forgetCalls()
        try await sync.synchronize()
        #expect(remote.batches.isEmpty)
    }

    @Test func deviceThatMayOnlyReadStillReceives() async throws {
        let sync = try RecordSync(local, with: remote, named: "cloud")
        try await local.put("a", ["n": 1])
        try await sync.synchronize()
        remote.before { _ in throw RecordDatabaseError(.notPermitted) }
        for number in 0..<5 { try await local.put("mine\(number)", ["n": 1]) }
        for number in 1...2 {
            remote.forgetCalls()
            try await remote.base.put("theirs\(number)", ["n": 1])
            try await sync.synchronize()
            #expect(try await local.fields("theirs\(number)") == ["n": 1])
            #expect(try await sync.rejected().count == 5)
            #expect(remote.batches.count <= 2)
        }
        #expect(try await sync.verify().isEmpty)
        // With the permission, an edit sends a change again.
        remote.before { _ in }
        for number in 0..<5 { try await local.put("mine\(number)", ["n": 2]) }
        #expect(try await sync.synchronize().pushedCount == 5)
        #expect(try await local.contents() == remote.base.contents())
        for count in [try await sync.rejected().count, try await sync.conflicts().count] { #expect(count == 0) }
    }

    @Test func pushThatArrivesAfterItWasWithdrawnIsNoticed() async throws {
        let sync = try RecordSync(local, with: remote, named: "cloud")
        try await local.put("a", ["n": 1])
        try await sync.synchronize()
        let late = Locked<RecordBatch?>(nil)
        remote.before { batch in
            late.withLock { if $0 == nil { $0 = batch } }
            throw RecordDatabaseError(.notPermitted)
        }
        try await local.put("a", ["n": 2])
        try await sync.synchronize()
        #expect(try await sync.rejected().count == 1)
        try await remote.base.commit(try #require(late.withLock { $0 }))
        remote.before { _ in }
        for _ in 0..<2 { try await sync.synchronize() }
        #expect(try await remote.fields("a") == ["n": 2])
        #expect(try await local.contents() == remote.contents())
        for count in [try await sync.rejected().count, try await sync.conflicts().count] { #expect(count == 0) }
    }

    @Test func pullOnlyWritesNothingAfterAPushInFlight() async throws {
        try await local.put("a", ["n": 1])
        try await RecordSync(local, with: remote, named: "cloud").synchronize()
        remote.before { _ in throw RecordDatabaseError(.connectionLost) }
        try await local.put("b", ["n": 1])
        _ = try? await RecordSync(local, with: remote, named: "cloud").synchronize()
        remote.before { _ in }
        try await remote.base.put("c", ["n": 1])
        remote.forgetCalls()
        var options = SyncOptions()
        options.direction = .pull
        let sync = try RecordSync(local, with: remote, named: "cloud", options: options)
        try await sync.synchronize()
        #expect(remote.batches.isEmpty)
        #expect(try await local.fields("c") == ["n": 1])
        #expect(try await sync.status().pendingCount == nil)
    }

    @Test func anEditSendsARejectedRecordAgain() async throws {
        refuse()
        let sync = try RecordSync(local, with: remote, named: "cloud")
        try await local.put("a", ["bad": true])
        try await sync.synchronize()
        try await local.put("a", ["n": 1])
        try await sync.synchronize()
        #expect(try await remote.fields("a") == ["n": 1])
        #expect(try await sync.rejected().isEmpty)
    }

    @Test func aRemoteChangeSendsARejectedRecordAgain() async throws {
        let sync = try RecordSync(local, with: remote, named: "cloud")
        try await local.put("a", ["n": 1])
        try await sync.synchronize()
        refuse()
        try await local.put("a", ["n": 1, "bad": true])
        try await sync.synchronize()
        #expect(try await sync.rejected().count == 1)
        remote.before { _ in }
        try await remote.put("a", ["n": 2])
        try await sync.synchronize()
        #expect(try await remote.fields("a") == ["n": 2, "bad": true])
        #expect(try await sync.rejected().isEmpty)
    }

    @Test func aRejectedRecordIsSentAgainOnRequestAndAfterATime() async throws {
        refuse()
        let now = Locked(Date(timeIntervalSinceReferenceDate: 0))
        var environment = SyncEnvironment()
        environment.now = { now.withLock { $0 } }
        let sync = try RecordSync(local, with: remote, named: "cloud", options: SyncOptions(), environment)
        try await local.put("a", ["bad": true])
        try await sync.synchronize()
        try await sync.retry(try #require(try await sync.rejected().first))
        try await sync.synchronize()
        #expect(try await sync.rejected().first?.attempts == 2)
        now.withLock { $0.addTimeInterval(600) }
        try await sync.synchronize()
        #expect(try await sync.rejected().first?.attempts == 3)
        remote.before { _ in }
        now.withLock { $0.addTimeInterval(600) }
        try await sync.synchronize()
        #expect(try await sync.rejected().isEmpty)
        #expect(try await remote.contents().count == 1)
    }

    @Test func aDiscardedChangeBecomesTheRemoteRecord() async throws {
        let sync = try RecordSync(local, with: remote, named: "cloud")
        for name in ["a", "b"] { try await local.put(name, ["n": 1]) }
        try await sync.synchronize()
        remote.before { batch in
            if batch.changesRecordsOfCallers { throw RecordDatabaseError(.notPermitted) }
        }
        try await local.put("a", ["n": 2])
        try await local.remove("b")
        try await local.put("c", ["n": 3])
        try await sync.synchronize()
        let rejected = try await sync.rejected()
        #expect(rejected.map(\.recordID.name) == ["a", "b", "c"])
        for change in rejected { try await sync.discard(change) }
        #expect(try await local.contents() == remote.contents())
        #expect(try await local.contents().count == 2)
        #expect(try await sync.synchronize().hasWritten == false)
        #expect(try await sync.rejected().isEmpty)
    }

    @Test func aChangeThatWasUndoneLeavesTheList() async throws {
        refuse()
        let sync = try RecordSync(local, with: remote, named: "cloud")
        try await local.put("a", ["bad": true])
        try await sync.synchronize()
        try await local.remove("a")
        try await sync.synchronize()
        #expect(try await sync.rejected().isEmpty)
    }

    @Test func aTakenNameIsRejected() async throws {
        // As of a record that the caller may not see: the error has no record.
        remote.before { batch in
            if batch.changesRecordsOfCallers { throw RecordDatabaseError(.conflict, .versions(client: batch.saves[0])) }
        }
        let sync = try RecordSync(local, with: remote, named: "cloud")
        try await local.put("a", ["n": 1])
        #expect(try await sync.synchronize().rejectedCount == 1)
    }
}
