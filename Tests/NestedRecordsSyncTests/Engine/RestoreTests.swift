import Foundation
import NestedRecords
import NestedRecordsFile
import TestSupport
import Testing

@testable import NestedRecordsSync

@Suite struct RestoreTests {
    let local = InMemoryRecordDatabase()

    @Test func aRestoredRemoteFileIsNoticedAndNothingChanges() async throws {
        let folder = try TemporaryFolder()
        var remote = try FileRecordDatabase(path: folder.path())
        var sync = try RecordSync(local, with: remote, named: "cloud")
        try await local.put("a", ["n": 1])
        try await sync.synchronize()
        try await remote.close()
        try FileManager.default.copyItem(atPath: folder.path(), toPath: folder.path("backup"))
        remote = try FileRecordDatabase(path: folder.path())
        sync = try RecordSync(local, with: remote, named: "cloud")
        try await local.put("a", ["n": 2])
        try await local.put("b", ["n": 1])
        try await sync.synchronize()
        try await remote.close()
        let restored = try FileRecordDatabase(path: folder.path("backup"))
        sync = try RecordSync(local, with: restored, named: "cloud")
        let before = try await local.contents()
        for _ in 0..<2 {
            await expectRestored { try await sync.synchronize() }
        }
        #expect(try await local.contents() == before)
        #expect(try await restored.fields("a") == ["n": 1])
        // The application decides: both sides are merged as they are.
        try await sync.detach()
        try await sync.synchronize()
        #expect(try await local.contents() == restored.contents())
        #expect(try await local.fields("b") == ["n": 1])
        #expect(try await sync.conflicts().map(\.kind) == [.record])
        try await restored.close()
    }

    @Test func anotherRemoteDatabaseIsNoticed() async throws {
        let remote = InMemoryRecordDatabase()
        try await local.put("a", ["n": 1])
        try await RecordSync(local, with: remote, named: "cloud").synchronize()
        let other = try RecordSync(local, with: InMemoryRecordDatabase(), named: "cloud")
        await expectRestored { try await other.synchronize() }
        await expectRestored { try await other.reconcile() }
        #expect(try await local.fields("a") == ["n": 1])
    }

    @Test(arguments: [false, true]) func aRestoreThatAPurgeHidesIsNoticed(hasPeer: Bool) async throws {
        let remote = InMemoryRecordDatabase()
        let sync = try RecordSync(local, with: remote, named: "cloud")
        var backup = try await InMemoryRecordDatabase.copy(of: remote)
        if hasPeer {
            try await sync.synchronize()
            backup = try await InMemoryRecordDatabase.copy(of: remote)
        }
        try await local.put("a", ["n": 1])
        try await sync.synchronize()
        let restored = HookedDatabase(backup)
        restored.expire(.purged)
        let again = try RecordSync(local, with: restored, named: "cloud")
        await expectRestored { try await again.synchronize() }
        #expect(try await local.fields("a") == ["n": 1])
    }

    @Test func aPurgeAloneLosesNothingAndResurrectsNothing() async throws {
        let remote = InMemoryRecordDatabase(maximumDeletionCount: 0)
        let sync = try RecordSync(local, with: remote, named: "cloud")
        for name in ["a", "b", "c"] { try await local.put(name, ["n": 1]) }
        try await sync.synchronize()
        try await remote.remove("a")
        try await remote.put("b", ["n": 2])
        try await local.put("c", ["n": 3])
        #expect(try await sync.synchronize().isComplete)
        #expect(try await local.contents() == remote.contents())
        #expect(try await local.fields("a") == nil)
        #expect(try await local.fields("b") == ["n": 2])
        #expect(try await remote.fields("c") == ["n": 3])
        #expect(try await sync.conflicts().isEmpty)
    }

    @Test func copiesOfADeviceGoOnUnderTwoNames() async throws {
        let remote = InMemoryRecordDatabase()
        try await local.put("a", ["n": 1])
        let sync = try RecordSync(local, with: remote, named: "cloud")
        try await sync.synchronize()
        let copy = try await InMemoryRecordDatabase.copy(of: local)
        let syncOfCopy = try RecordSync(copy, with: remote, named: "cloud")
        try await local.put("b", ["n": 1])
        try await copy.put("c", ["n": 1])
        // Both push under one number.
        for _ in 0..<2 { for sync in [sync, syncOfCopy] { try await sync.synchronize() } }
        #expect(try await local.contents() == remote.contents())
        #expect(try await copy.contents() == remote.contents())
        #expect(try await remote.contents().count == 3)
        let peers = try await remote.allRecords.keys.filter { $0.type == "NestedRecords.Peer" }
        #expect(peers.count == 2)
        #expect(try await sync.conflicts().isEmpty)
        #expect(try await syncOfCopy.conflicts().isEmpty)
    }

    @Test func detachingThatWasInterruptedKeepsItsRule() async throws {
        let (hooked, remote) = (HookedDatabase(InMemoryRecordDatabase()), InMemoryRecordDatabase())
        for name in ["a", "b"] { try await hooked.put(name, ["n": 1]) }
        var options = SyncOptions()
        options.restored = .takeRemote
        try await RecordSync(hooked, with: remote, named: "cloud", options: options).synchronize()
        // The remote database is restored to a state without the records.
        let restored = InMemoryRecordDatabase()
        hooked.before { batch in
            if batch.deletions.contains(where: { $0.id.type.contains("Base") }) { throw RecordDatabaseError(.busy) }
        }
        _ = try? await RecordSync(hooked, with: restored, named: "cloud", options: options).synchronize()
        hooked.before { _ in }
        try await RecordSync(hooked, with: restored, named: "cloud", options: options).synchronize()
        #expect(try await restored.contents().isEmpty)
        #expect(try await hooked.contents().isEmpty)
    }

    @Test func planAndStatusOfACopyAreWhatTheSynchronizationDoes() async throws {
        let remote = InMemoryRecordDatabase()
        for name in ["a", "b"] { try await local.put(name, ["n": 1]) }
        try await RecordSync(local, with: remote, named: "cloud").synchronize()
        let copy = try await InMemoryRecordDatabase.copy(of: local)
        try await copy.put("c", ["n": 1])
        try await copy.remove("a")
        let sync = try RecordSync(copy, with: remote, named: "cloud")
        #expect(try await sync.status().pendingCount == 2)
        let plan = try await sync.plan()
        #expect((plan.pushed.map(\.name), plan.pushedDeletions.map(\.name)) == (["c"], ["a"]))
        #expect(plan.saved.isEmpty && plan.deleted.isEmpty && plan.conflicts.isEmpty)
        #expect(try await sync.synchronize().pushedCount == 2)
        #expect(try await sync.status().pendingCount == 0)
    }

    @Test func planForARemoteDatabaseThatWasReplacedIsRefusedAsItsSynchronizationIs() async throws {
        let remote = InMemoryRecordDatabase()
        try await local.put("a", ["n": 1])
        try await RecordSync(local, with: remote, named: "cloud").synchronize()
        let sync = try RecordSync(local, with: try await InMemoryRecordDatabase.copy(of: remote), named: "cloud")
        for call in [{ _ = try await sync.plan() }, { _ = try await sync.synchronize() }] as [() async throws -> Void] {
            let error = await #expect(throws: RecordDatabaseError.self) { try await call() }
            #expect(error?.code == .restored)
        }
    }

    @Test func copiesThatPushAtTheSameTimeDoNotTakeThePushOfTheOtherForTheirOwn() async throws {
        let remote = InMemoryRecordDatabase()
        let sync = try RecordSync(local, with: remote, named: "cloud")
        try await sync.synchronize()
        let copy = try await InMemoryRecordDatabase.copy(of: local)
        try await local.put("a", ["n": 1])
        try await copy.put("b", ["n": 1])
        let hooked = HookedDatabase(remote)
        // The copy has begun a push, and the device pushes before it arrives.
        hooked.before { batch in if batch.changesRecordsOfCallers { try await sync.synchronize() } }
        let syncOfCopy = try RecordSync(copy, with: hooked, named: "cloud")
        try await syncOfCopy.synchronize()
        try await sync.synchronize()
        #expect(try await remote.contents().count == 2)
        #expect(try await local.contents() == remote.contents())
        #expect(try await copy.contents() == remote.contents())
    }

    @Test func aRestoredDeviceOverwritesNothing() async throws {
        let remote = InMemoryRecordDatabase()
        try await local.put("a", ["n": 1])
        let sync = try RecordSync(local, with: remote, named: "cloud")
        try await sync.synchronize()
        let backup = try await InMemoryRecordDatabase.copy(of: local)
        try await local.put("a", ["n": 2])
        try await local.put("b", ["n": 1])
        try await sync.synchronize()
        try await backup.put("c", ["n": 1])
        let restored = try RecordSync(backup, with: remote, named: "cloud")
        try await restored.synchronize()
        #expect(try await remote.contents() == backup.contents())
        #expect(try await backup.fields("a") == ["n": 2])
        #expect(try await remote.contents().count == 3)
        #expect(try await restored.conflicts().isEmpty)
    }

    @Test(arguments: 1..<8) func aDetachmentThatIsKilledIsFinishedByTheNextRound(count: Int) async throws {
        let remote = InMemoryRecordDatabase()
        let hooked = HookedDatabase(local)
        for number in 0..<6 { try await local.put("\(number)", ["n": 1]) }
        var options = SyncOptions()
        options.pageSize = 2
        try await RecordSync(hooked, with: remote, named: "cloud", options: options).synchronize()
        hooked.forgetCalls()
        hooked.before { [hooked] _ in if hooked.batches.count == count { throw Malfunction() } }
        try? await RecordSync(hooked, with: remote, named: "cloud", options: options).detach()
        hooked.before { _ in }
        try await remote.remove("0")
        try await RecordSync(hooked, with: remote, named: "cloud", options: options).synchronize()
        #expect(try await local.contents() == remote.contents())
        // If it had begun, the deletion is not known any more, and the record returns.
        #expect(try await local.contents().count == (count == 1 ? 5 : 6))
    }

    @Test func verificationFindsWhatTheLedgerDoesNotExplain() async throws {
        let remote = InMemoryRecordDatabase()
        let sync = try RecordSync(local, with: remote, named: "cloud")
        for name in ["a", "b"] { try await local.put(name, ["n": 1]) }
        try await sync.synchronize()
        try await local.put("a", ["n": 2])
        try await remote.put("b", ["n": 2])
        #expect(try await sync.status().pendingCount == 1)
        #expect(try await sync.verify().isEmpty)
        // The second one receives the echo of the first.
        for _ in 0..<2 { try await sync.synchronize() }
        // As if a part of the ledger were lost, and a change of the remote side with it.
        let base = try #require(try await local.allRecords.keys.first { $0.type.hasSuffix("Base.cloud.Card") })
        var changed = try #require(try await local.record(for: base))
        changed["tag"] = "unknown"
        try changed.setContents("base", to: ["n": 7], of: Record.ID(type: "Card", name: base.name))
        try await local.commit(RecordBatch(saving: [changed]))
        try await local.base(restoring: base.name, to: ["n": 7], sync)
        #expect(try await sync.verify().map(\.name) == [base.name])
        try await sync.reconcile()
        #expect(try await sync.verify().isEmpty)
        #expect(try await local.contents() == remote.contents())
    }
}

private func expectRestored(_ body: () async throws -> SyncOutcome) async {
    let error = await #expect(throws: RecordDatabaseError.self) { try await body() }
    #expect(error?.code == .restored)
}

extension InMemoryRecordDatabase {
    /// Changes a record, and lets a synchronization take the change for its own.
    fileprivate func base(restoring name: String, to fields: Record.Fields, _ sync: RecordSync) async throws {
        try await put(name, fields)
        try await sync.synchronize()
    }
}
