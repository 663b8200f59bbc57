import NestedRecords
import Testing

@testable import NestedRecordsSync

@Suite struct ReferenceRuleTests {
    let local = InMemoryRecordDatabase()
    let remote = InMemoryRecordDatabase()

    private func makeSync(_ rule: SyncRules.ReferenceRule = .checked, pageSize: Int = 1_000) throws -> RecordSync {
        var options = SyncOptions()
        (options.rules.references, options.pageSize) = (rule, pageSize)
        return try RecordSync(local, with: remote, named: "cloud", options: options)
    }

    private func reference(
        to name: String, action: Record.Reference.Action = .none
    ) throws -> Record.Fields {
        ["parent": .reference(Record.Reference(to: try Record.ID(type: "Card", name: name), action: action))]
    }

    @Test func deletionOfARecordToWhichOthersReferIsUndoneAndListed() async throws {
        let sync = try makeSync()
        for name in ["a", "b"] { try await local.put(name, ["n": 1]) }
        try await sync.synchronize()
        for name in ["a", "b"] { try await local.remove(name) }
        try await remote.put("child", reference(to: "a"))
        let outcome = try await sync.synchronize()
        #expect((outcome.rejectedCount, outcome.pushedCount, outcome.isComplete) == (1, 1, true))
        for database in [local, remote] {
            #expect(try await database.contents().keys.map(\.name).sorted() == ["a", "child"])
        }
        for _ in 0..<2 { try await sync.synchronize() }
        let change = try #require(try await sync.rejected().first)
        #expect(change.isRestored)
        #expect(change.recordID.name == "a")
        #expect(try await sync.status().pendingCount == 0)
        #expect(try await sync.verify().isEmpty)
        // Once the reference is gone, the deletion may be repeated.
        try await remote.remove("child")
        try await sync.retry(change)
        try await sync.synchronize()
        #expect(try await local.contents().isEmpty)
        #expect(try await remote.contents().isEmpty)
        #expect(try await sync.rejected().isEmpty)
    }

    @Test func discardedDeletionLeavesTheRecord() async throws {
        let sync = try makeSync()
        try await local.put("a", ["n": 1])
        try await sync.synchronize()
        try await local.remove("a")
        try await remote.put("child", reference(to: "a"))
        try await sync.synchronize()
        try await sync.discard(try #require(try await sync.rejected().first))
        try await sync.synchronize()
        #expect(try await sync.rejected().isEmpty)
        #expect(try await local.contents() == remote.contents())
        #expect(try await local.contents().count == 2)
    }

    @Test(arguments: [2, 1_000])
    func deletionIsSentTogetherWithTheReferencesThatItNeeds(_ pageSize: Int) async throws {
        let sync = try makeSync(pageSize: pageSize)
        try await local.put("a", ["n": 1])
        try await local.put("x", reference(to: "a"))
        try await local.put("y", reference(to: "a"))
        try await sync.synchronize()
        try await local.remove("y")
        try await sync.synchronize()
        try await local.remove("a")
        for name in ["b", "c"] { try await local.put(name, ["n": 1]) }
        try await local.put("x", reference(to: "b"))
        try await sync.synchronize()
        #expect(try await sync.rejected().isEmpty)
        #expect(try await local.contents() == remote.contents())
        #expect(try await remote.contents().keys.map(\.name).sorted() == ["b", "c", "x"])
    }

    @Test(arguments: [2, 1_000])
    func recordsThatTheOtherSideHasAddedAreDeletedWithTheirOwner(_ pageSize: Int) async throws {
        let sync = try makeSync(.cascade, pageSize: pageSize)
        for name in ["a", "b"] { try await local.put(name, ["n": 1]) }
        try await sync.synchronize()
        for name in ["a", "b"] { try await local.remove(name) }
        for name in ["c", "d", "e"] { try await remote.put(name, reference(to: "a", action: .deleteSelf)) }
        try await remote.put("f", reference(to: "d", action: .deleteSelf))
        try await remote.put("g", reference(to: "x", action: .deleteSelf))
        try await sync.synchronize()
        for database in [local, remote] { #expect(try await database.contents().keys.map(\.name) == ["g"]) }
        #expect(try await sync.rejected().isEmpty)
        let conflicts = try await sync.conflicts()
        #expect(conflicts.map(\.recordID.name).sorted() == ["c", "d", "e", "f"])
        let fields = try reference(to: "a", action: .deleteSelf)
        #expect(conflicts.first { $0.recordID.name == "c" }?.remote == fields)
        #expect(conflicts.allSatisfy { $0.kind == .localDeletion && $0.local == nil })
        #expect(try await sync.synchronize().hasWritten == false)
        #expect(try await sync.verify().isEmpty)
    }

    @Test(arguments: [false, true])
    func ownerStaysWithARecordThatCannotBeDeletedWithIt(_ isChangedLocally: Bool) async throws {
        let sync = try makeSync(.cascade)
        try await local.put("a", ["n": 1])
        try await local.put("c", reference(to: "a", action: .deleteSelf))
        try await sync.synchronize()
        try await local.remove("a")
        if isChangedLocally {
            var fields = try reference(to: "a", action: .deleteSelf)
            fields["n"] = 2
            try await local.put("c", fields)
        } else {
            try await remote.put("d", reference(to: "a"))
        }
        try await sync.synchronize()
        let names = isChangedLocally ? ["a", "c"] : ["a", "c", "d"]
        for database in [local, remote] {
            #expect(try await database.contents().keys.map(\.name).sorted() == names)
        }
        #expect(try await sync.rejected().map(\.isRestored) == [true])
        #expect(try await sync.conflicts().isEmpty)
        #expect(try await sync.verify().isEmpty)
    }

    @Test func referencesDangleByRequest() async throws {
        let sync = try makeSync(.dangling)
        try await local.put("a", ["n": 1])
        try await sync.synchronize()
        try await local.remove("a")
        try await remote.put("child", reference(to: "a"))
        try await sync.synchronize()
        #expect(try await remote.contents().keys.map(\.name) == ["child"])
        #expect(try await sync.status().checksReferences == false)
        #expect(try await makeSync().status().checksReferences)
    }

    @Test(arguments: [SyncRules.ReferenceRule.checked, .cascade])
    func recordToWhichAnUnsentChangeRefersReturns(_ rule: SyncRules.ReferenceRule) async throws {
        let sync = try makeSync(rule)
        for name in ["a", "b"] { try await local.put(name, ["n": 1]) }
        try await local.put("list", reference(to: "b"))
        try await sync.synchronize()
        for name in ["a", "b"] { try await remote.remove(name) }
        try await local.put("child", reference(to: "a"))
        #expect(try await sync.plan().deleted.map(\.name) == ["b"])
        #expect(try await sync.plan().saved.map(\.name) == ["a"])
        let outcome = try await sync.synchronize()
        #expect((outcome.deletedCount, outcome.conflictCount) == (1, 1))
        for database in [local, remote] {
            #expect(try await database.contents().keys.map(\.name).sorted() == ["a", "child", "list"])
        }
        let conflict = try #require(try await sync.conflicts().first)
        #expect((conflict.recordID.name, conflict.kind, conflict.local) == ("a", .remoteDeletion, ["n": 1]))
        #expect(try await sync.synchronize().hasWritten == false)
        #expect(try await sync.verify().isEmpty)
        // The reference is known to both sides now.
        try await remote.remove("a")
        try await sync.synchronize()
        for database in [local, remote] {
            #expect(try await database.contents().keys.map(\.name).sorted() == ["child", "list"])
        }
    }

    @Test(arguments: [1, 1_000])
    func recordThatReturnsKeepsWhatItRefersTo(_ pageSize: Int) async throws {
        let sync = try makeSync(pageSize: pageSize)
        try await local.put("c", ["n": 1])
        try await local.put("b", reference(to: "c"))
        try await local.put("a", reference(to: "b"))
        try await sync.synchronize()
        // Those that refer to others are deleted first.
        for name in ["a", "b", "c"] { try await remote.remove(name) }
        try await local.put("child", reference(to: "a"))
        try await sync.synchronize()
        for database in [local, remote] {
            #expect(try await database.contents().keys.map(\.name).sorted() == ["a", "b", "c", "child"])
        }
        #expect(try await sync.conflicts().map(\.recordID.name).sorted() == ["a", "b", "c"])
    }

    @Test func refusedChangeKeepsWhatItRefersTo() async throws {
        let hooked = HookedDatabase(remote)
        hooked.before { batch in
            if let child = batch.saves.first(where: { $0.id.name == "child" }) {
                throw RecordDatabaseError(.notPermitted, recordID: child.id)
            }
        }
        let sync = try RecordSync(local, with: hooked, named: "cloud")
        try await local.put("a", ["n": 1])
        try await sync.synchronize()
        try await local.put("child", reference(to: "a"))
        try await sync.synchronize()
        #expect(try await sync.rejected().map(\.recordID.name) == ["child"])
        try await remote.remove("a")
        try await sync.synchronize()
        #expect(try await local.contents().keys.map(\.name).sorted() == ["a", "child"])
        #expect(try await remote.contents().keys.map(\.name) == ["a"])
    }

    @Test func deletionByTheOtherSideLeavesReferencesByRequest() async throws {
        let sync = try makeSync(.dangling)
        try await local.put("a", ["n": 1])
        try await sync.synchronize()
        try await remote.remove("a")
        try await local.put("child", reference(to: "a"))
        try await sync.synchronize()
        #expect(try await local.contents() == remote.contents())
        #expect(try await local.contents().keys.map(\.name) == ["child"])
    }
}

private struct Species: RecordCodable, Identifiable {
    @RecordName var id: String
    var latinName: String
}

private struct Plant: RecordCodable, Identifiable {
    @RecordName var id: String
    var species: Species
}

private struct Bed: RecordCodable, Identifiable {
    @RecordName var id: String
    var plants: [Plant]
}

@Suite struct ReferenceConvergenceTests {
    @Test(arguments: [false, true])
    func movedRecordSurvivesItsDeletionOnAnotherDevice(_ isDeletedFirst: Bool) async throws {
        let (phone, tablet, hub) = (InMemoryRecordDatabase(), InMemoryRecordDatabase(), InMemoryRecordDatabase())
        let phoneSync = try RecordSync(phone, with: hub, named: "cloud")
        let tabletSync = try RecordSync(tablet, with: hub, named: "cloud")
        let plant = Plant(id: "1", species: Species(id: "tomato", latinName: "Solanum"))
        try await RecordStore(phone).insert([Bed(id: "a", plants: [plant]), Bed(id: "b", plants: [])])
        for sync in [phoneSync, tabletSync] { try await sync.synchronize() }
        try await RecordStore(phone).delete(Plant.self, named: "1", .clearing)
        try await phone.remove("tomato", type: "Species")
        try await RecordStore(tablet).transaction { store in
            var from = try await store.fetch(Bed.self, named: "a")
            var to = try await store.fetch(Bed.self, named: "b")
            (from.plants, to.plants) = ([], from.plants)
            try await store.save(&from)
            try await store.save(&to)
        }
        let first = isDeletedFirst ? phoneSync : tabletSync
        let second = isDeletedFirst ? tabletSync : phoneSync
        for sync in [first, second, first, second] { try await sync.synchronize() }
        for database in [phone, tablet, hub] {
            let beds = try await RecordStore(database).query(Bed.self).all()
            #expect(beds.map(\.value.plants.count) == [0, 1])
            #expect(beds.last?.value.plants.first?.species.latinName == "Solanum")
        }
        let logged = try await tabletSync.conflicts().map(\.recordID.name) + phoneSync.rejected().map(\.recordID.name)
        #expect(Set(logged) == ["1", "tomato"])
    }
}
