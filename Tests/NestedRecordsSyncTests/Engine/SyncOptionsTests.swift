import Foundation
import NestedRecords
import TestSupport
import Testing

@testable import NestedRecordsSync

@Suite struct SyncOptionsTests {
    let local = HookedDatabase(InMemoryRecordDatabase())
    let remote = HookedDatabase(InMemoryRecordDatabase())

    private func sync(_ change: (inout SyncOptions) throws -> Void = { _ in }) throws -> RecordSync {
        var options = SyncOptions()
        try change(&options)
        return try RecordSync(local, with: remote, named: "cloud", options: options)
    }

    private func fillBothSides() async throws {
        try await local.put("l", ["n": 1])
        try await local.put("both", ["n": 1])
        try await remote.put("r", ["n": 2])
        try await remote.put("both", ["n": 2])
    }

    // MARK: The first synchronization

    @Test func firstSynchronizationOfTwoSidesWithRecordsIsRefused() async throws {
        try await fillBothSides()
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await sync { $0.firstSync = .refuse }.synchronize()
        }
        #expect(error?.code == .notEmpty)
        #expect(try await local.contents().count == 2)
        let empty = InMemoryRecordDatabase()
        var options = SyncOptions()
        options.firstSync = .refuse
        let other = try RecordSync(empty, with: remote, named: "cloud", options: options)
        for _ in 0..<2 { try await other.synchronize() }
        #expect(try await empty.contents().count == 2)
    }

    @Test(arguments: [1, 1_000])
    func firstSynchronizationTakesTheRemoteSide(_ pageSize: Int) async throws {
        try await fillBothSides()
        let sync = try sync { ($0.firstSync, $0.pageSize) = (.takeRemote, pageSize) }
        let outcome = try await sync.synchronize()
        #expect((outcome.savedCount, outcome.deletedCount, outcome.pushedCount) == (2, 1, 0))
        #expect(try await local.contents() == remote.contents())
        #expect(try await local.fields("both") == ["n": 2])
        #expect(try await local.fields("l") == nil)
        #expect(try await sync.conflicts().isEmpty)
        // Later changes are merged as usual.
        try await local.put("l", ["n": 3])
        try await sync.synchronize()
        #expect(try await remote.fields("l") == ["n": 3])
    }

    @Test(arguments: [1, 1_000])
    func firstSynchronizationPushesTheLocalSide(_ pageSize: Int) async throws {
        try await fillBothSides()
        let sync = try sync { ($0.firstSync, $0.pageSize) = (.pushLocal, pageSize) }
        try await sync.synchronize()
        #expect(try await local.contents() == remote.contents())
        #expect(try await remote.fields("both") == ["n": 1])
        #expect(try await remote.fields("r") == nil)
        try await remote.put("r", ["n": 3])
        try await sync.synchronize()
        #expect(try await local.fields("r") == ["n": 3])
    }

    // MARK: A restored remote database

    @Test(arguments: [SyncOptions.Restored.merge, .takeRemote, .pushLocal])
    func restoredDatabaseIsTreatedAsTheOptionsSay(_ rule: SyncOptions.Restored) async throws {
        for name in ["a", "b"] { try await local.put(name, ["n": 1]) }
        try await sync().synchronize()
        let backup = InMemoryRecordDatabase()
        try await backup.put("b", ["n": 1])
        try await backup.put("old", ["n": 1])
        try await local.put("new", ["n": 1])
        var options = SyncOptions()
        options.restored = rule
        let sync = try RecordSync(local, with: backup, named: "cloud", options: options)
        #expect(try await sync.synchronize().isComplete)
        #expect(try await local.contents() == backup.contents())
        let names = try await local.contents().keys.map(\.name).sorted()
        switch rule {
        case .merge, .stop: #expect(names == ["a", "b", "new", "old"])
        case .takeRemote: #expect(names == ["b", "old"])
        case .pushLocal: #expect(names == ["a", "b", "new"])
        }
        #expect(try await sync.synchronize().hasWritten == false)
    }

    // MARK: One direction

    @Test func pulledDatabaseIsNeverWritten() async throws {
        try await fillBothSides()
        let sync = try sync { $0.direction = .pull }
        try await sync.synchronize()
        try await remote.remove("r")
        try await local.put("l", ["n": 5])
        for _ in 0..<2 { try await sync.synchronize() }
        #expect(remote.batches.isEmpty == false)
        #expect(remote.batches.allSatisfy { $0.saves.allSatisfy { !$0.id.isReserved } })
        #expect(try await remote.contents().keys.map(\.name) == ["both"])
        #expect(try await local.contents().keys.map(\.name).sorted() == ["both", "l"])
        #expect(try await local.fields("both") == ["n": 2])
        #expect(try await sync.verify().isEmpty)
        for database in [local, remote] { database.forgetCalls() }
        try await sync.synchronize()
        #expect(local.batches.isEmpty && remote.batches.isEmpty && remote.callCount == 1)
    }

    @Test func databaseWithoutAFeedIsPulledByComparison() async throws {
        for number in 0..<5 { try await remote.base.put("\(number)", ["n": 1]) }
        let silent = SilentDatabase(base: remote)
        #expect(throws: RecordDatabaseError.self) { try RecordSync(local, with: silent, named: "cloud") }
        var options = SyncOptions()
        (options.direction, options.pageSize) = (.pull, 2)
        let sync = try RecordSync(local, with: silent, named: "cloud", options: options)
        #expect(try await sync.synchronize().savedCount == 5)
        try await remote.base.put("3", ["n": 2])
        try await remote.base.remove("4")
        #expect(try await sync.verify().isEmpty)
        let outcome = try await sync.synchronize()
        #expect((outcome.savedCount, outcome.deletedCount) == (1, 1))
        #expect(try await local.contents() == remote.contents())
        local.forgetCalls()
        #expect(try await sync.synchronize().hasWritten == false)
        #expect(local.batches.isEmpty && remote.batches.isEmpty)
    }

    private struct SilentDatabase: ForwardingRecordDatabase {
        let base: any RecordDatabase
        var feed: (any RecordFeed)? { nil }
    }

    @Test func pullCannotMakeTheRemoteSideAsTheLocalOne() {
        for change in [
            { $0.firstSync = .pushLocal }, { $0.restored = .pushLocal },
        ] as [(inout SyncOptions) -> Void] {
            let error = #expect(throws: RecordDatabaseError.self) {
                try sync { options in
                    options.direction = .pull
                    change(&options)
                }
            }
            #expect(error?.code == .invalidOptions)
        }
    }

    // MARK: The types

    @Test func unsentDeletionOfATypeThatIsLeftOutIsListed() async throws {
        try await local.put("a", ["n": 1], type: "Draft")
        try await sync().synchronize()
        let draft = try Record.ID("Draft/a")
        _ = try await local.commit(RecordBatch(deletingAnyVersionOf: [draft]))
        let narrow = try sync { $0.types = ["Card"] }
        try await narrow.synchronize()
        #expect(try await narrow.rejected().map(\.recordID) == [draft])
        #expect(try await remote.contents().keys.map(\.self) == [draft])
        #expect(try await narrow.synchronize().hasWritten == false)
        // The record returns with its type.
        let wide = try sync()
        try await wide.synchronize()
        #expect(try await local.contents() == remote.contents())
        #expect(try await wide.rejected().isEmpty)
    }

    @Test(arguments: [false, true])
    func discardedChangeOfATypeThatIsLeftOutLeavesNoRecord(_ isDeletion: Bool) async throws {
        try await local.put("a", ["n": 1], type: "Draft")
        try await sync().synchronize()
        let draft = try Record.ID("Draft/a")
        if isDeletion {
            _ = try await local.commit(RecordBatch(deletingAnyVersionOf: [draft]))
        } else {
            try await local.put("a", ["n": 2], type: "Draft")
        }
        let narrow = try sync { $0.types = ["Card"] }
        try await narrow.synchronize()
        try await narrow.discard(try #require(try await narrow.rejected().first))
        #expect(try await narrow.rejected().isEmpty)
        #expect(try await local.contents().isEmpty)
        #expect(try await remote.contents() == [draft: ["n": 1]])
        #expect(try await narrow.synchronize().hasWritten == false)
        // It returns with its type.
        try await sync().synchronize()
        #expect(try await local.contents() == [draft: ["n": 1]])
    }

    @Test func typeReturnsWholeAfterItsRemovalWasKilled() async throws {
        for name in ["a", "b", "c"] { try await remote.put(name, ["n": 1], type: "Draft") }
        try await sync().synchronize()
        local.after { batch in if !batch.deletions.isEmpty { throw Malfunction() } }
        let narrow = try sync { ($0.types, $0.pageSize) = (["Card"], 1) }
        await #expect(throws: Malfunction.self) { try await narrow.synchronize() }
        local.after { _ in }
        #expect(try await local.contents().count == 2)
        try await sync().synchronize()
        #expect(try await local.contents() == remote.contents())
        #expect(try await remote.contents().count == 3)
        #expect(try await sync().verify().isEmpty)
    }

    @Test func recordsOfATypeThatIsLeftOutAreRemovedLocally() async throws {
        for name in ["a", "b", "c"] { try await local.put(name, ["n": 1], type: "Draft") }
        try await local.put("a", ["n": 1])
        try await sync().synchronize()
        try await local.put("b", ["n": 2], type: "Draft")
        let narrow = try sync { $0.types = ["Card"] }
        #expect(try await narrow.synchronize().deletedCount == 2)
        #expect(try await local.contents().keys.map(\.description).sorted() == ["Card/a", "Draft/b"])
        #expect(try await remote.contents().count == 4)
        #expect(try await narrow.rejected().map(\.recordID.description) == ["Draft/b"])
        #expect(try await narrow.verify().isEmpty)
        #expect(try await narrow.synchronize().hasWritten == false)
        // They return with their type.
        let wide = try sync()
        try await wide.synchronize()
        #expect(try await local.contents() == remote.contents())
        #expect(try await local.contents().count == 4)
        #expect(try await wide.conflicts().map(\.recordID.description) == ["Draft/b"])
        #expect(try await wide.rejected().isEmpty)
    }

    @Test func noTypesAreRefused() throws {
        var options = SyncOptions()
        options.types = []
        let error = #expect(throws: RecordDatabaseError.self) {
            try RecordSync(InMemoryRecordDatabase(), with: InMemoryRecordDatabase(), named: "cloud", options: options)
        }
        #expect(error?.code == .invalidOptions)
    }
}
