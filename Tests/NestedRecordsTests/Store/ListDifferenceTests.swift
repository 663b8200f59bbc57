import NestedRecords
import TestSupport
import Testing

/// Differences are proven by applying them to the old list.
@Suite struct ListDifferenceTests {
    private struct Element: Equatable {
        let id: Record.ID
        let version: Int
    }

    private struct Runner: RecordCodable, Identifiable {
        var id: String
        var rank: Int
        static let recordType = "DifferenceRunner"
    }

    private static func difference(from old: [Element], to new: [Element]) -> ListDifference {
        ListDifference(from: old, to: new, id: \.id) { $0.version == $1.version }
    }

    /// Applies a difference as its documentation says; a modified element gets its new version.
    private static func apply(_ difference: ListDifference, to old: [Element], versions: [Record.ID: Int]) -> [Element]
    {
        var list = old
        let removed = difference.deletions.map(\.index) + difference.moves.map(\.oldIndex)
        for index in removed.sorted(by: >) { list.remove(at: index) }
        let inserted = difference.insertions.map { Element(id: $0.recordID, version: versions[$0.recordID] ?? -1) }
        let moved = difference.moves.map { old[$0.oldIndex] }
        let indices = difference.insertions.map(\.index) + difference.moves.map(\.index)
        for (index, element) in zip(indices, inserted + moved).sorted(by: { $0.0 < $1.0 }) {
            list.insert(element, at: index)
        }
        for place in difference.modifications {
            list[place.index] = Element(id: place.recordID, version: versions[place.recordID] ?? -1)
        }
        return list
    }

    private static func randomList(_ random: inout SplitMix64, from pool: [Record.ID]) -> [Element] {
        let count = Int.random(in: 0...pool.count, using: &random)
        return pool.shuffled(using: &random).prefix(count).map { id in
            Element(id: id, version: Int.random(in: 0...1, using: &random))
        }
    }

    @Test func differenceAppliedToTheOldListGivesTheNewOne() throws {
        var random = SplitMix64(seed: 5)
        for size in 0..<4_000 {
            let pool = try (0..<size % 13).map { try Record.ID(type: "E", name: "\($0)") }
            let (old, new) = (Self.randomList(&random, from: pool), Self.randomList(&random, from: pool))
            let difference = Self.difference(from: old, to: new)
            let versions = Dictionary(uniqueKeysWithValues: new.map { ($0.id, $0.version) })
            let applied = Self.apply(difference, to: old, versions: versions)
            #expect(applied == new, "from \(old) to \(new)")
            #expect(difference.isEmpty == (old == new))
            for (index, element) in difference.moves.map({ ($0.oldIndex, $0.recordID) }) {
                #expect(old[index].id == element)
            }
        }
    }

    @Test func fewestElementsMove() throws {
        let ids = try (0..<6).map { try Record.ID(type: "E", name: "\($0)") }
        let old = ids.map { Element(id: $0, version: 0) }
        let firstIsLast = Self.difference(from: old, to: Array(old[1...]) + [old[0]])
        #expect(firstIsLast.moves.map(\.recordID) == [ids[0]] && firstIsLast.moves.map(\.index) == [5])
        #expect(Self.difference(from: old, to: old.reversed()).moves.count == 5)
        #expect(Self.difference(from: old, to: Array(old[2...])).moves.isEmpty)
    }

    @Test func snapshotsSayWhatHasChangedSinceTheLastListOfTheIteration() async throws {
        let store = RecordStore(InMemoryRecordDatabase())
        try await store.insert([Runner(id: "a", rank: 1), Runner(id: "b", rank: 2), Runner(id: "c", rank: 3)])
        let query = store.query(Runner.self).sorted { $0.rank }
        var lists = query.live().makeAsyncIterator()
        let first = try #require(try await lists.next())
        #expect(try first.changes() == nil)

        // A slow reader gets one list for three changes.
        try await store.update(Runner.self, named: "a") { $0.rank = 4 }
        try await store.delete(Runner.self, named: "b")
        try await store.insert(Runner(id: "d", rank: 0))
        let second = try #require(try await lists.next())
        let changes = try #require(try second.changes())
        #expect(try second.value.map(\.id) == ["d", "c", "a"])
        #expect(changes.deletions.map(\.recordID.name) == ["b"] && changes.deletions.map(\.index) == [1])
        #expect(changes.insertions.map(\.recordID.name) == ["d"] && changes.insertions.map(\.index) == [0])
        #expect(changes.moves.map(\.recordID.name) == ["c"] || changes.moves.map(\.recordID.name) == ["a"])
        #expect(changes.modifications.map(\.recordID.name) == ["a"])

        try await store.update(Runner.self, named: "c") { $0.rank = 2 }
        var later = query.live(since: second.token).makeAsyncIterator()
        #expect(try await later.next()?.changes() == nil)
    }

    @Test func differenceAfterAnErrorIsFromTheListBeforeIt() async throws {
        let database = InMemoryRecordDatabase()
        let store = RecordStore(database)
        try await store.insert([Runner(id: "a", rank: 1), Runner(id: "b", rank: 2)])
        var lists = store.query(Runner.self).live().makeAsyncIterator()
        _ = try await lists.next()
        try await database.set("rank", of: "DifferenceRunner/a", to: "first")
        let failed = try #require(try await lists.next())
        #expect(throws: (any Error).self) { try failed.changes() }
        try await database.set("rank", of: "DifferenceRunner/a", to: 1)
        #expect(try await lists.next()?.changes()?.modifications.map(\.recordID.name) == ["a"])
    }

    @Test func changeOfANestedRecordModifiesTheElementsThatContainIt() async throws {
        struct Team: RecordCodable, Identifiable {
            var id: String
            var captain: Runner
            static let recordType = "DifferenceTeam"
        }
        let store = RecordStore(InMemoryRecordDatabase())
        let (ann, bo) = (Runner(id: "ann", rank: 1), Runner(id: "bo", rank: 2))
        try await store.insert([Team(id: "1", captain: ann), Team(id: "2", captain: bo), Team(id: "3", captain: ann)])
        var lists = store.query(Team.self).live().makeAsyncIterator()
        _ = try await lists.next()
        try await store.update(Runner.self, named: "ann") { $0.rank = 7 }
        let changes = try #require(try await lists.next()?.changes())
        #expect(changes.modifications.map(\.recordID.name) == ["1", "3"])
        #expect(changes.insertions.isEmpty && changes.deletions.isEmpty && changes.moves.isEmpty)
    }
}
