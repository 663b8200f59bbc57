import Foundation
import NestedRecords
import NestedRecordsTesting
import TestSupport
import Testing

@testable import NestedRecordsSync

@Suite struct RoundTests {
    let local = HookedDatabase(InMemoryRecordDatabase())
    let remote = HookedDatabase(InMemoryRecordDatabase())

    private func sync(_ options: SyncOptions = SyncOptions()) throws -> RecordSync {
        try RecordSync(local, with: remote, named: "cloud", options: options)
    }

    @Test func recordsOfBothSidesReachTheOther() async throws {
        try await local.put("a", ["n": 1])
        try await remote.put("b", ["n": 2])
        let sync = try sync()
        let outcome = try await sync.synchronize()
        #expect((outcome.savedCount, outcome.pushedCount, outcome.isComplete) == (1, 1, true))
        #expect(try await local.contents() == remote.contents())
        #expect(try await local.contents().count == 2)
        try await local.remove("b")
        try await remote.remove("a")
        let second = try await sync.synchronize()
        #expect((second.deletedCount, second.pushedCount) == (1, 1))
        #expect(try await local.contents() == [:])
        #expect(try await remote.contents() == [:])
        #expect(try await sync.conflicts().isEmpty)
    }

    @Test func anIdleRoundAsksTheRemoteDatabaseOnceAndWritesNothing() async throws {
        try await local.put("a", ["n": 1])
        let sync = try sync()
        try await sync.synchronize()
        // The first round after a push receives its echo.
        try await sync.synchronize()
        for database in [local, remote] { database.forgetCalls() }
        try await sync.synchronize()
        #expect(remote.callCount == 1)
        #expect(local.batches.isEmpty)
    }

    @Test func aChangeIsPushedInOneBatchOfThreeCalls() async throws {
        let sync = try sync()
        try await sync.synchronize()
        let records = try (0..<5).map { try Record(id: Record.ID(type: "Card", name: "\($0)")) }
        try await local.base.commit(RecordBatch(saving: records))
        remote.forgetCalls()
        #expect(try await sync.synchronize().isPartial == false)
        #expect(remote.callCount == 3)
        #expect(remote.batches.map(\.saves.count) == [6])
    }

    @Test func recordsOfSeveralTypesArriveTogetherAtFirst() async throws {
        for type in ["Bed", "Plant", "Species"] { try await remote.put("1", ["n": 1], type: type) }
        try await sync().synchronize()
        #expect(local.batches.filter(\.changesRecordsOfCallers).map { $0.saves.count { !$0.id.isReserved } } == [3])
    }

    @Test func recordsThatWereReadAreKeptWhenTheTimeIsOver() async throws {
        for type in ["Bed", "Plant", "Species"] { try await remote.put("1", ["n": 1], type: type) }
        let start = Date()
        let now = Locked(start)
        var environment = SyncEnvironment()
        environment.now = { now.withLock { $0 } }
        let context = try SyncContext(local, remote, named: "cloud", SyncOptions(), environment)
        var round = try await SyncRound(context, known: nil, deadline: start.addingTimeInterval(1))
        // The time is over once records of the second type are read.
        remote.beforeVersions { type in
            if type == "Plant" { now.withLock { $0 = start.addingTimeInterval(2) } }
        }
        try await round.run()
        #expect(round.outcome.isComplete == false)
        #expect(try await local.contents().keys.map(\.type).sorted() == ["Bed", "Plant"])
        #expect(round.link.listing?.type == "Species")
    }

    @Test func remoteChangesArriveInOneBatch() async throws {
        let sync = try sync()
        try await sync.synchronize()
        for number in 0..<5 { try await remote.base.put("\(number)", ["n": 1]) }
        local.forgetCalls()
        try await sync.synchronize()
        #expect(local.batches.count { $0.changesRecordsOfCallers } == 1)
    }

    @Test func contestedFieldsAreLoggedAndResolved() async throws {
        let sync = try sync()
        try await local.put("a", ["n": 1, "m": 1])
        try await sync.synchronize()
        try await local.put("a", ["n": 2, "m": 2])
        try await remote.put("a", ["n": 3, "m": 1])
        #expect(try await sync.synchronize().conflictCount == 1)
        #expect(try await local.fields("a") == ["n": 3, "m": 2])
        #expect(try await remote.fields("a") == ["n": 3, "m": 2])
        let conflict = try #require(try await sync.conflicts().first)
        #expect(conflict.kind == .fields)
        #expect(conflict.fields == ["n"])
        #expect(
            (conflict.base, conflict.local, conflict.remote) == (
                ["n": 1, "m": 1], ["n": 2, "m": 2], ["n": 3, "m": 1]
            ))
        var record = try #require(try await local.record(for: conflict.recordID))
        record["n"] = conflict.local?["n"]
        try await sync.resolve(conflict, with: record)
        try await sync.synchronize()
        #expect(try await remote.fields("a") == ["n": 2, "m": 2])
        #expect(try await sync.conflicts().isEmpty)
        let error = await #expect(throws: RecordDatabaseError.self) { try await sync.resolve(conflict) }
        #expect(error?.code == .versionMismatch && error?.reason == "its conflict was resolved before")
    }

    @Test func aLocalWriterDuringTheRoundIsMerged() async throws {
        let sync = try sync()
        try await local.put("a", ["n": 1, "m": 1])
        try await sync.synchronize()
        try await remote.put("a", ["n": 2, "m": 1])
        local.beforeFirstChange { try await $0.put("a", ["n": 1, "m": 5]) }
        try await sync.synchronize()
        #expect(try await local.fields("a") == ["n": 2, "m": 5])
        #expect(try await remote.fields("a") == ["n": 2, "m": 5])
        #expect(try await sync.conflicts().isEmpty)
    }

    @Test func aRemoteWriterDuringTheRoundIsMerged() async throws {
        let sync = try sync()
        try await local.put("a", ["n": 1, "m": 1])
        try await sync.synchronize()
        try await local.put("a", ["n": 2, "m": 1])
        remote.beforeFirstChange { try await $0.put("a", ["n": 1, "m": 5]) }
        #expect(try await sync.synchronize().isComplete)
        #expect(try await local.fields("a") == ["n": 2, "m": 5])
        #expect(try await remote.fields("a") == ["n": 2, "m": 5])
    }

    @Test(arguments: [-1, Int64.max])
    func numbersThatWereNotCountedAreDamage(_ number: Int64) async throws {
        try await sync().synchronize()
        let id = try Record.ID(type: "NestedRecords.Link", name: "cloud")
        var link = try #require(try await local.record(for: id))
        link["settledNumber"] = .int(number)
        link["pushNumber"] = .int(number)
        try await local.base.commit(RecordBatch(saving: [link]))
        let failure = await #expect(throws: RecordDatabaseError.self) { try await sync().synchronize() }
        #expect(failure?.code == .corrupt && failure?.recordID == id)
    }

    @Test func aFirstPullThatIsKilledRepeatsOnePage() async throws {
        for number in 0..<50 { try await remote.base.put("\(number)", ["n": 1]) }
        var options = SyncOptions()
        options.pageSize = 10
        local.after { [local] _ in if local.batches.count == 4 { throw Malfunction() } }
        await #expect(throws: Malfunction.self) { try await sync(options).synchronize() }
        #expect(try await sync(options).status().isComparing)
        local.after { _ in }
        remote.forgetCalls()
        let outcome = try await sync(options).synchronize()
        #expect(outcome.savedCount == 20)
        #expect(remote.fetched.count == 20)
        #expect(outcome.isPartial)
        #expect(try await local.contents() == remote.contents())
    }

    @Test func batchesAreWithinTheLimits() async throws {
        var limits = RecordDatabaseLimits(batchCount: 4)
        limits.batchBytes = 400
        let remote = HookedDatabase(InMemoryRecordDatabase(batchLimit: 4), limits: limits)
        let local = HookedDatabase(InMemoryRecordDatabase(batchLimit: 9))
        for number in 0..<10 { try await local.put("l\(number)", ["text": .string(String(repeating: "x", count: 90))]) }
        for number in 0..<10 { try await remote.base.put("r\(number)", ["n": 1]) }
        let sync = try RecordSync(local, with: remote, named: "cloud")
        #expect(try await sync.synchronize().isComplete)
        #expect(try await local.contents() == remote.contents())
        #expect(try await local.contents().count == 20)
        for batch in remote.batches {
            #expect(batch.count <= 4)
            #expect(batch.saves.reduce(0) { $0 + limits.recordSize($1) } <= 400)
        }
        #expect(local.batches.allSatisfy { $0.count <= 9 })
    }

    @Test func onlyTheGivenTypesAreSynchronized() async throws {
        try await local.put("a", ["n": 1])
        try await local.put("b", ["n": 1], type: "Draft")
        try await remote.put("c", ["n": 1], type: "Draft")
        var options = SyncOptions()
        options.types = ["Card"]
        try await sync(options).synchronize()
        try await local.put("d", ["n": 1], type: "Draft")
        try await sync(options).synchronize()
        #expect(try await remote.contents().keys.map(\.description).sorted() == ["Card/a", "Draft/c"])
        options.types = ["Card", "Draft", "NestedRecords.Peer"]
        try await sync(options).synchronize()
        #expect(try await local.contents() == remote.contents())
        #expect(try await local.contents().count == 4)
        #expect(try await local.allRecords.keys.contains { $0.type == "NestedRecords.Peer" } == false)
    }

    @Test func aRoundEndsWhenTheTimeIsOver() async throws {
        for number in 0..<20 { try await remote.base.put("\(number)", ["n": 1]) }
        var options = SyncOptions()
        options.pageSize = 5
        let first = try await sync(options).synchronize(until: Date(timeIntervalSinceNow: -1))
        #expect((first.isComplete, first.savedCount) == (false, 0))
        #expect(try await sync(options).synchronize(until: Date(timeIntervalSinceNow: 600)).isComplete)
        #expect(try await local.contents().count == 20)
    }

    @Test func aTypeThatIsTooLongForTheLedgerIsNamed() async throws {
        let type = "T" + String(repeating: "x", count: 240)
        try await local.put("a", ["n": 1], type: type)
        let error = await #expect(throws: RecordDatabaseError.self) { try await sync().synchronize() }
        #expect(error?.code == .invalidOptions)
        #expect(error?.recordID?.type == type)
    }

    @Test func synchronizationsAtTheSameTimeAgree() async throws {
        for number in 0..<20 {
            try await local.put("l\(number)", ["n": 1])
            try await remote.put("r\(number)", ["n": 1])
        }
        let syncs = try (0..<4).map { _ in try sync() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for sync in syncs { group.addTask { try await sync.synchronize() } }
            try await group.waitForAll()
        }
        #expect(try await local.contents() == remote.contents())
        #expect(try await local.contents().count == 40)
        #expect(try await syncs[0].conflicts().isEmpty)
    }

    @Test func aLossyRemoteDatabaseGetsEverythingOnce() async throws {
        var options = FaultyRemoteDatabase.Options()
        options.lostRequests = 0.1
        options.lostAcknowledgements = 0.2
        options.refusedRequests = 0.1
        options.partialFailures = 0.1
        options.capabilities.remove([.snapshotReads, .wholeBatchesInFeed])
        let remote = FaultyRemoteDatabase(options)
        var syncOptions = SyncOptions()
        syncOptions.rules.set(.counter, for: "n", ofType: "Card")
        syncOptions.pageSize = 4
        let others = InMemoryRecordDatabase()
        var environment = SyncEnvironment()
        environment.sleep = { _ in }
        let syncs = try [local as any RecordDatabase, others].map {
            try RecordSync($0, with: remote, named: "cloud", options: syncOptions, environment)
        }
        for round in 0..<10 {
            for database in [local as any RecordDatabase, others] {
                for name in ["a", "b", "c"] {
                    guard case .int(let number) = try await database.fields(name)?["n"] ?? 0 else { continue }
                    try await database.put(name, ["n": .int(number + 1)])
                }
            }
            for sync in syncs {
                // The first edits must not meet: they would be contested as whole records.
                repeat {
                    let outcome = try? await sync.synchronize()
                    if outcome?.isComplete == true { break }
                } while true
                if round == 0, sync === syncs[0] {
                    for name in ["a", "b", "c"] { try await others.remove(name) }
                }
            }
        }
        for sync in syncs + syncs { while (try? await sync.synchronize())?.isComplete != true {} }
        #expect(try await local.contents() == others.contents())
        #expect(try await local.fields("a") == ["n": 19])
    }

    // MARK: Running

    @Test func changesOfBothSidesArriveWhileItRuns() async throws {
        let sync = try sync()
        let running = Task { try await sync.run() }
        try await local.put("a", ["n": 1])
        try await waitUntil { try await remote.fields("a") != nil }
        try await remote.put("a", ["n": 2])
        try await waitUntil { try await local.fields("a") == ["n": 2] }
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
    }

    @Test func aCallEndsThePauseAfterAnError() async throws {
        var environment = SyncEnvironment()
        let pauses = Locked<[Duration]>([])
        environment.sleep = { pause in
            pauses.withLock { $0.append(pause) }
            try await Task.sleep(for: .seconds(86_400))
        }
        remote.before { _ in throw RecordDatabaseError(.notConnected) }
        let sync = try RecordSync(local, with: remote, named: "cloud", options: SyncOptions(), environment)
        let running = Task { try await sync.run() }
        try await waitUntil { pauses.withLock { $0.count } == 1 }
        #expect(try await sync.status().nextAttempt != nil)
        sync.wake()
        try await waitUntil { pauses.withLock { $0.count } == 2 }
        #expect(try await sync.status().failure is RecordDatabaseError)
        remote.before { _ in }
        try await local.put("a", ["n": 1])
        try await waitUntil { try await remote.fields("a") != nil }
        try await waitUntil { try await sync.status().failure == nil }
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
        let lengths = pauses.withLock { $0 }
        #expect(lengths.first.map { $0 >= .milliseconds(500) && $0 <= .seconds(1) } == true)
    }

    // MARK: Requirements

    @Test func aDatabaseThatLacksACapabilityIsRefused() throws {
        for capability: RecordCapabilities in [.atomicBatches, .versionedDeletions, .readYourQueries, .orderedVersions]
        {
            var options = FaultyRemoteDatabase.Options()
            options.capabilities.remove(capability)
            let error = #expect(throws: RecordDatabaseError.self) {
                try RecordSync(local, with: FaultyRemoteDatabase(options), named: "cloud")
            }
            #expect(error?.missingCapabilities == capability)
        }
        let noFeed = CountingDatabase(InMemoryRecordDatabase())
        #expect(throws: RecordDatabaseError.self) { try RecordSync(local, with: noFeed, named: "cloud") }
        let small = InMemoryRecordDatabase(batchLimit: 4)
        #expect(throws: RecordDatabaseError.self) { try RecordSync(small, with: remote, named: "cloud") }
        let smaller = InMemoryRecordDatabase(batchLimit: 1)
        #expect(throws: RecordDatabaseError.self) { try RecordSync(local, with: smaller, named: "cloud") }
    }

    @Test(arguments: ["", "a.b", "a/b", "é", String(repeating: "x", count: 65)])
    func anotherNameIsRefused(_ name: String) {
        #expect(throws: RecordDatabaseError.self) { try RecordSync(local, with: remote, named: name) }
    }
}
