import TestSupport
import Testing

@testable import NestedRecords

@Suite struct ChangeHistoryTests {
    /// A history with the slots of the records that are there, as a database has them.
    private struct Store {
        private(set) var history: ChangeHistory
        private var slots: [Record.ID: ChangeHistory.Slot] = [:]

        init(maximumDeletionCount: Int) { history = ChangeHistory(maximumDeletionCount: maximumDeletionCount) }

        mutating func commit(saving saved: [Record.ID], deleting deleted: [Record.ID]) {
            history.beginBatch(history.position + 1)
            for id in saved { slots[id] = history.save(id, at: slots[id] ?? .none) }
            for id in deleted { history.delete(id, at: slots.removeValue(forKey: id) ?? .none) }
            history.endBatch()
        }
    }

    private func ids(_ numbers: some Sequence<Int>) throws -> [Record.ID] {
        try numbers.map { try Record.ID("A/\($0)") }
    }

    @Test(arguments: [0, 1, 3, 10]) func noMoreDeletionsAreKeptThanTheMaximum(_ maximum: Int) throws {
        var store = Store(maximumDeletionCount: maximum)
        store.commit(saving: try ids(0..<100), deleting: [])
        for number in 0..<50 {
            let before = store.history.position
            store.commit(saving: [], deleting: try ids([number]))
            #expect(store.history.deletionCount == min(number + 1, maximum))
            #expect((store.history.changes(since: before, limit: 10) == nil) == (maximum == 0))
        }
        let changes = store.history.changes(since: 51 - UInt64(maximum), limit: 100)
        #expect(changes?.deleted == (try ids((50 - maximum)..<50)))
        #expect(store.history.changes(since: 50 - UInt64(maximum), limit: 100) == nil)
        // Those that come back are not deleted any more.
        store.commit(saving: try ids((50 - maximum)..<50), deleting: [])
        #expect(store.history.deletionCount == 0)
    }

    /// What a simple list of all changes says is what the history says.
    @Test(arguments: 0..<8) func historyAgreesWithAListOfAllChanges(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let maximum = Int(seed % 4)
        var store = Store(maximumDeletionCount: maximum)
        var saves: [Record.ID: UInt64] = [:]
        var deletions: [(id: Record.ID, position: UInt64)] = []
        var purged: UInt64 = 0
        for step in 1...400 as ClosedRange<UInt64> {
            var numbers = Array(0..<12).shuffled(using: &random)
            let saved = try ids((0..<Int.random(in: 0...3, using: &random)).map { _ in numbers.removeLast() })
            let deleted = try ids((0..<Int.random(in: 0...3, using: &random)).map { _ in numbers.removeLast() })
                .filter { saves[$0] != nil }
            store.commit(saving: saved, deleting: deleted)
            deletions.removeAll { saved.contains($0.id) }
            for id in saved { saves[id] = step }
            for id in deleted {
                saves[id] = nil
                deletions.append((id, step))
            }
            while deletions.count > maximum { purged = deletions.removeFirst().position }
            #expect(store.history.deletionCount == deletions.count)
            for start in [0, purged, step / 2, step - 1, step] where start <= step {
                let changes = store.history.changes(since: start, limit: .max)
                guard start >= purged else {
                    #expect(changes == nil)
                    continue
                }
                #expect(Set(changes?.saved ?? []) == Set(saves.filter { $0.value > start }.keys))
                #expect(changes?.deleted == deletions.filter { $0.position > start }.map(\.id))
            }
        }
    }
}
