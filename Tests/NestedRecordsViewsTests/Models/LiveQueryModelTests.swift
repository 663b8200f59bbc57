import NestedRecords
import NestedRecordsTesting
import NestedRecordsViews
import Observation
import TestSupport
import Testing

@MainActor @Suite struct LiveQueryModelTests {
    private let store: RecordStore

    init() throws {
        store = RecordStore(
            try InMemoryRecordDatabase(from: (1...5).map { Card(id: "c\($0)", front: "f\($0)", back: "b\($0)") }))
    }

    private var query: Query<Card> { store.query(Card.self).sorted { $0.front } }

    @Test func rowsFollowTheQueryAndKeepTheirIdentity() async throws {
        let model = LiveQueryModel(query)
        #expect(model.isLoading && model.rows.isEmpty && model.error == nil && model.changes == nil)
        try await shown { !model.isLoading }
        let before = model.rows
        #expect(before.map(\.front) == ["f1", "f2", "f3", "f4", "f5"])
        #expect(before[0].id == (try Record.ID("ViewCard/c1")))

        try await store.update(Card.self, named: "c1") { $0.front = "f9" }
        try await store.delete(Card.self, named: "c3")
        try await shown { model.rows.map(\.front) == ["f2", "f4", "f5", "f9"] }
        #expect(model.rows[3] === before[0] && model.rows[0] === before[1])
        #expect(model.changes?.isEmpty == false)
    }

    @Test func onlyTheChangedRowIsInvalidated() async throws {
        let model = LiveQueryModel(query)
        try await shown { !model.isLoading }
        let (list, first, second) = (
            Invalidations { _ = (model.rows, model.isLoading, model.error == nil, model.hasMore) },
            Invalidations { _ = model.rows[0].value }, Invalidations { _ = model.rows[1].value }
        )
        try await store.update(Card.self, named: "c1") { $0.successes = 1 }
        try await shown { model.rows[0].successes == 1 }
        #expect(await first.settled() == 1)
        #expect(await second.settled() == 0)
        #expect(await list.settled() == 0)
    }

    @Test func repeatedReadingInvalidatesNoRow() async throws {
        let model = LiveQueryModel(query)
        try await shown { !model.isLoading }
        let rows = Invalidations { _ = model.rows.map(\.value) }
        await model.refresh()
        #expect(await rows.settled() == 0)
        #expect(!model.isLoading && model.rows.count == 5)
    }

    @Test func queryIsReplacedWithoutAnEmptyListBetween() async throws {
        let model = LiveQueryModel(query)
        try await shown { !model.isLoading }
        let known = model.rows[4]
        var counts: [Int] = []
        model.perform = { change in
            counts.append(model.rows.count)
            change()
            counts.append(model.rows.count)
        }
        model.show(store.query(Card.self).filter { $0.front > "f3" }.sorted(descending: true) { $0.front })
        #expect(model.isLoading && model.rows.count == 5)
        try await shown { !model.isLoading }
        #expect(model.rows.map(\.front) == ["f5", "f4"] && model.rows[0] === known)
        #expect(counts == [5, 2])
        model.perform = nil
    }

    @Test func sameQueryIsNotReadAgain() async throws {
        let model = LiveQueryModel(query)
        try await shown { !model.isLoading }
        model.show(query)
        #expect(!model.isLoading)
        model.show(query.limit(2))
        #expect(model.isLoading)
    }

    @Test func rowsOfAnotherStoreAreSavedThere() async throws {
        let model = LiveQueryModel(query)
        try await shown { !model.isLoading }
        let old = model.rows[0]
        let other = RecordStore(try InMemoryRecordDatabase(from: [Card(id: "c1", front: "f1", back: "other")]))
        model.show(other.query(Card.self).sorted { $0.back })
        try await shown { model.rows.count == 1 }
        let row = model.rows[0]
        // Both databases have given the same version.
        #expect(row.stored.metadata?.changeTag == old.stored.metadata?.changeTag && row.id == old.id)
        #expect(row.back == "other" && old.back == "b1")
        #expect(await row.save { $0.successes = 9 })
        #expect(try await other.fetch(Card.self, named: "c1").successes == 9)
        #expect(try await store.fetch(Card.self, named: "c1").successes == 0)

        // The same query in another database is another query.
        model.show(store.query(Card.self).sorted { $0.back })
        try await shown { model.rows.count == 5 }
        #expect(model.rows[0].back == "b1" && model.rows[0] !== row)
    }

    @Test func pagesAreLoadedOnDemand() async throws {
        let model = LiveQueryModel(query, pageSize: 2)
        try await shown { !model.isLoading }
        #expect(model.rows.map(\.front) == ["f1", "f2"] && model.hasMore)
        model.loadMore()
        model.loadMore()  // nothing happens while one page is loaded
        try await shown { !model.isLoading }
        #expect(model.rows.count == 4 && model.hasMore)
        model.loadMore()
        try await shown { !model.isLoading }
        #expect(model.rows.count == 5 && !model.hasMore)
        model.loadMore()
        #expect(!model.isLoading)

        model.pageSize = 3
        #expect(model.rows.count == 5)
        try await shown { !model.isLoading }
        #expect(model.rows.count == 3 && model.hasMore)
        // A row of the next page takes the place of a deleted one.
        try await store.delete(Card.self, named: "c1")
        try await shown { model.rows.map(\.front) == ["f2", "f3", "f4"] }
        try await store.delete(Card.self, named: "c5")
        try await shown { !model.hasMore }
    }

    @Test(arguments: [(0, 1), (-3, 1), (2, 2), (4, 3), (Int.max, 3)])
    func limitOfTheQueryIsTheGreatestNumberOfRows(pageSize: Int, count: Int) async throws {
        let model = LiveQueryModel(query.limit(3), pageSize: pageSize)
        try await shown { !model.isLoading }
        #expect(model.rows.count == count && model.hasMore == (count < 3))
        while model.hasMore {
            model.loadMore()
            try await shown { !model.isLoading }
        }
        #expect(model.rows.count == 3 && model.error == nil)
    }

    @Test func hugePageHasAllRows() async throws {
        let model = LiveQueryModel(query, pageSize: .max)
        try await shown { !model.isLoading }
        #expect(model.rows.count == 5 && !model.hasMore)
    }

    @Test func invalidLimitIsAnError() async throws {
        let model = LiveQueryModel(query.limit(-1), pageSize: 2)
        try await shown { model.error != nil }
        #expect(!model.isLoading && model.rows.isEmpty)
    }

    @Test func rowsStayAfterAnErrorAndFollowAgainAfterIt() async throws {
        let database = InMemoryRecordDatabase()
        let store = RecordStore(database)
        try await store.insert([Card(id: "a", front: "f", back: "b"), Card(id: "b", front: "g", back: "b")])
        let model = LiveQueryModel(store.query(Card.self))
        try await shown { !model.isLoading }
        try await database.set("successes", of: "ViewCard/a", to: "many")
        try await shown { model.error != nil }
        #expect(model.rows.count == 2 && !model.isLoading)
        try await database.set("successes", of: "ViewCard/a", to: 4)
        try await shown { model.error == nil }
        #expect(model.rows.map(\.successes) == [4, 0])
    }

    @Test func retryReadsAgainAfterAnErrorOfTheDatabase() async throws {
        let switched = SwitchedDatabase(store.database)
        let model = LiveQueryModel(RecordStore(switched).query(Card.self), pageSize: 3)
        try await shown { model.rows.count == 3 }
        switched.fails = true
        model.retry()
        try await shown { model.error != nil }
        #expect(model.rows.count == 3 && !model.isLoading)
        await model.refresh()
        #expect(model.error != nil && model.rows.count == 3)
        switched.fails = false
        await model.refresh()
        #expect(model.error == nil && model.rows.count == 3)
    }

    @Test func modelWithoutAStoreShowsAnError() async throws {
        let model = LiveQueryModel<Card>()
        model.retry()
        await model.refresh()
        #expect(model.isLoading)
        model.show(nil)
        #expect(model.error is MissingRecordStore && !model.isLoading)
        #expect(await !model.insert(Card(id: "x", front: "", back: "")))
        #expect(model.failure is MissingRecordStore)
        model.show(query)
        try await shown { model.rows.count == 5 }
        #expect(model.error == nil)
        // A view says it each time that it is drawn.
        model.show(nil)
        let redrawings = Invalidations { _ = model.error }
        model.show(nil)
        #expect(await redrawings.settled() == 0 && model.rows.count == 5)
        model.show(query)
        try await shown { !model.isLoading }
        #expect(model.error == nil)
    }

    @Test func insertAndDeleteChangeTheList() async throws {
        let model = LiveQueryModel(query)
        try await shown { !model.isLoading }
        #expect(await model.insert(Card(id: "c0", front: "f0", back: "b")))
        try await shown { model.rows.count == 6 }
        #expect(await !model.insert(Card(id: "c0", front: "other", back: "b")))
        #expect((model.failure as? RecordDatabaseError)?.code == .conflict)
        #expect(await model.delete(at: [0, 2, 99]).value)
        #expect(model.failure == nil)
        try await shown { model.rows.map(\.front) == ["f1", "f3", "f4", "f5"] }
    }

    @Test func rowsToDeleteAreThoseThatWereShown() async throws {
        let model = LiveQueryModel(query)
        try await shown { !model.isLoading }
        let first = model.rows[0]
        let deletion = model.delete(at: [1])
        // The list changes before the deletion has begun.
        model.show(store.query(Card.self).sorted(descending: true) { $0.front })
        #expect(await deletion.value)
        try await shown { model.rows.map(\.front) == ["f5", "f4", "f3", "f1"] }
        #expect(model.rows[3] === first)
    }

    @Test func deletionOfAChangedRowFailsAndTheOthersAreDeleted() async throws {
        let model = LiveQueryModel(query)
        try await shown { !model.isLoading }
        // The model cannot see it before it deletes: it does not leave the main actor.
        let stale = try await store.fetch(Card.self, named: "c1")
        try await store.insert(Box(id: "b", label: "", cards: [stale.value]))
        #expect(await !model.delete(at: [0, 1]).value)
        #expect((model.failure as? RecordDatabaseError)?.code == .stillReferenced)
        try await shown { model.rows.map(\.front) == ["f1", "f3", "f4", "f5"] }
        #expect(model.rows[0].failure != nil)
    }

    @Test func modelIsReleasedWhileItWaitsAndItsLoopEnds() async throws {
        var database: InMemoryRecordDatabase? = try InMemoryRecordDatabase(from: [Card(id: "a", front: "f", back: "b")])
        let weakDatabase = Weak(database)
        var model = database.map { LiveQueryModel(RecordStore($0).query(Card.self)) }
        let weakModel = Weak(model)
        try await shown { weakModel.object?.isLoading == false }
        (model, database) = (nil, nil)
        #expect(weakModel.object == nil)
        try await shown("the loop holds the database") { weakDatabase.object == nil }
        _ = model
        _ = database
    }

    @Test func modelIsReleasedBeforeItsFirstRows() async throws {
        var model: LiveQueryModel? = LiveQueryModel(query)
        let weakModel = Weak(model)
        model = nil
        #expect(weakModel.object == nil)
        _ = model
    }

    @Test func refreshEndsWithItsTask() async throws {
        let gate = Gate()
        let held = SwitchedDatabase(store.database, gate: gate)
        let model = LiveQueryModel(RecordStore(held).query(Card.self))
        let refresh = Task { await model.refresh() }
        await Task.yield()
        refresh.cancel()
        await refresh.value
        #expect(model.isLoading)
        gate.open()
        try await shown { model.rows.count == 5 }
    }

    @Test func rowsChangeWithinTheGivenClosure() async throws {
        let model = LiveQueryModel(query)
        var isPerforming = false
        var changedInside: [Bool] = []
        model.perform = { change in
            isPerforming = true
            change()
            isPerforming = false
        }
        try await shown { !model.isLoading }
        withObservationTracking {
            _ = model.rows[0].value
        } onChange: {
            MainActor.assumeIsolated { changedInside.append(isPerforming) }
        }
        try await store.update(Card.self, named: "c1") { $0.successes = 3 }
        try await shown { model.rows[0].successes == 3 }
        #expect(changedInside == [true])
        model.perform = nil
    }
}
