import Foundation
import NestedRecords
import TestSupport
import Testing

/// Scopes on all databases.
@Suite struct ScopeTests {
    @Test(arguments: ScopeWay.all)
    func nothingLeadsAroundAScope(_ way: ScopeWay) async throws {
        try await Engine.forEach(indexes: [FieldIndex("ScopePhoto", by: "owner")]) { engine in
            let all = engine.database.values
            let photos = [Photo(id: 11, owner: "bo", title: "private"), Photo(id: 12, owner: "bo")]
            try await all.insert(Album(id: "b", owner: "bo", cover: photos[0], photos: photos))
            let mine = Photo(
                id: 1, owner: "ann", title: "mine", camera: Camera(id: "c", brand: "Box"))
            try await all.insert(Album(id: "mixed", owner: "ann", cover: photos[0], photos: [mine, photos[0]]))
            try await all.insert(Photo(id: 2, owner: "ann", original: try RecordLink(to: photos[0])))
            try await all.insert(Secret(id: 1))
            let before = try await engine.database.allRecords
            try await way.attempt(ScopeWay.Stores(all: all))
            let after = try await engine.database.allRecords
            #expect(before.keys.sorted() == after.keys.sorted(), "\(engine.name)")
            let others = before.filter { $0.value["owner"] != "ann" }
            #expect(others.allSatisfy { after[$0.key] == $0.value }, "\(engine.name)")
        }
    }

    /// Two users play against a model of what each may see.
    @Test(arguments: Sweep.seeds(2, whole: 12))
    func usersSeeAndChangeTheirOwnAlone(_ seed: UInt64) async throws {
        try await Engine.forEach(indexes: [FieldIndex("ScopePhoto", by: "owner")]) { engine in
            var game = ScopeGame(seed: seed, all: engine.database.values)
            for _ in 0..<150 { try await game.play(engine.name) }
        }
    }
}

private struct ScopeGame {
    private var random: SplitMix64
    private let all: RecordStore
    private var photos: [Int: (owner: String, title: String)] = [:]

    init(seed: UInt64, all: RecordStore) { (random, self.all) = (SplitMix64(seed: seed), all) }

    mutating func play(_ engine: String) async throws {
        let user = random.pick(["ann", "bo"])
        let store = try all.seen(by: user)
        let (id, title) = (Int.random(in: 1...6, using: &random), random.pick(["a", "b", "c"]))
        let owner = random.chance(oneIn: 4) ? random.pick(["ann", "bo"]) : user
        let present = photos[id]
        let isOwn = present?.owner == user
        let outcome: String
        let expected: String
        switch Int.random(in: 0..<7, using: &random) {
        case 0:
            outcome = await self.outcome { try await store.insert(Photo(id: id, owner: owner, title: title)) }
            expected = present.map { _ in isOwn ? "there" : "taken" } ?? (owner == user ? "done" : "outsideScope")
            if expected == "done" { photos[id] = (user, title) }
        case 1:
            outcome = await self.outcome { try await store.overwrite(Photo(id: id, owner: owner, title: title)) }
            expected = present != nil && !isOwn ? "taken" : owner == user ? "done" : "outsideScope"
            if expected == "done" { photos[id] = (user, title) }
        case 2:
            outcome = await self.outcome {
                try await store.update(Photo.self, named: id) { ($0.owner, $0.title) = (owner, title) }
            }
            expected = isOwn ? owner == user ? "done" : "outsideScope" : "recordNotFound"
            if expected == "done" { photos[id]?.title = title }
        case 3:
            outcome = await self.outcome {
                try await store.change(Photo.self, named: id) {
                    $0.owner.set(owner)
                    $0.title.set(title)
                }
            }
            expected = isOwn ? owner == user ? "done" : "outsideScope" : "recordNotFound"
            if expected == "done" { photos[id]?.title = title }
        case 4:
            let deleted = try await store.delete(Photo.self, named: id)
            (outcome, expected) = ("\(deleted.count)", isOwn ? "1" : "0")
            if isOwn { photos[id] = nil }
        case 5:
            let photo = try await store.fetchIfPresent(Photo.self, named: id)
            (outcome, expected) = (photo?.title ?? "none", isOwn ? present?.title ?? "" : "none")
        default:
            let query = store.query(Photo.self).filter { $0.title == title }
            let found = try await query.all().map(\.id)
            #expect(try await query.count() == found.count, "\(engine)")
            outcome = "\(found)"
            expected = "\(photos.filter { $0.value == (user, title) }.keys.sorted())"
        }
        #expect(outcome == expected, "\(engine)")
        let stored = try await all.query(Photo.self).all().map { "\($0.id) \($0.owner ?? "") \($0.title)" }
        #expect(stored == photos.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.owner) \($0.value.title)" })
    }

    private func outcome(_ body: () async throws -> Void) async -> String {
        do {
            try await body()
            return "done"
        } catch let error as RecordDatabaseError where error.code == .conflict {
            return error.serverRecord == nil ? "taken" : "there"
        } catch let error as RecordError {
            return error.code.rawValue
        } catch {
            return "\(error)"
        }
    }
}
