import NestedRecords
import NestedRecordsViews
import TestSupport
import Testing

@MainActor @Suite struct LiveValueModelTests {
    private let database: InMemoryRecordDatabase
    private let store: RecordStore

    init() throws {
        let card = Card(id: "1", front: "sea", back: "mer")
        database = try InMemoryRecordDatabase(from: [Box(id: "a", label: "A", cards: [card])])
        store = RecordStore(database)
    }

    @Test func valueIsLoadedAndFollowed() async throws {
        let model = LiveValueModel(Box.self, named: "a", in: store)
        #expect(model.isLoading && model.record == nil && !model.isMissing && model.error == nil)
        try await shown { model.record?.label == "A" }
        #expect(!model.isLoading)
        let record = model.record
        try await store.update(Card.self, named: "1") { $0.back = "la mer" }
        try await shown { model.record?.cards[0].back == "la mer" }
        #expect(model.record === record)
    }

    @Test func missingValueIsShownAsMissingUntilItComes() async throws {
        let model = LiveValueModel(Card.self, named: "2", in: store)
        try await shown { model.isMissing }
        #expect(!model.isLoading && model.record == nil && model.error == nil)
        try await store.insert(Card(id: "2", front: "f", back: "b"))
        try await shown { model.record?.front == "f" }
        #expect(!model.isMissing)
        #expect(await model.record?.delete() == true)
        try await shown { model.isMissing }
        #expect(model.record == nil)
    }

    @Test func valueStaysAfterAnErrorAndIsFollowedAgain() async throws {
        let model = LiveValueModel(Box.self, named: "a", in: store)
        try await shown { model.record != nil }
        try await store.delete(Card.self, named: "1", .dangling)
        try await shown { model.error != nil }
        #expect((model.error as? RecordError)?.code == .danglingReference)
        #expect(model.record?.cards.count == 1 && !model.isMissing)
        try await store.insert(Card(id: "1", front: "x", back: "y"))
        try await shown { model.error == nil }
        #expect(model.record?.cards[0].front == "x")
    }

    @Test func anotherNameIsShownInPlace() async throws {
        try await store.insert(Card(id: "2", front: "f", back: "b"))
        let model = LiveValueModel(Card.self, named: "1", in: store)
        try await shown { model.record != nil }
        model.show(named: "1", in: store)
        #expect(!model.isLoading && model.record?.front == "sea")
        model.show(named: "2", in: store)
        // Never the value of one record under the name of another.
        #expect(model.isLoading && model.record == nil)
        try await shown { model.record?.front == "f" }
        try await store.update(Card.self, named: "1") { $0.front = "old" }
        await model.refresh()
        #expect(model.record?.front == "f")
    }

    @Test func sameNameInAnotherDatabaseIsShown() async throws {
        let model = LiveValueModel(Card.self, named: "1", in: store)
        try await shown { model.value?.front == "sea" }
        let other = RecordStore(try InMemoryRecordDatabase(from: [Card(id: "1", front: "other", back: "")]))
        model.show(named: "1", in: other)
        #expect(model.record == nil)
        try await shown { model.value?.front == "other" }
    }

    @Test func nameThatNoRecordCanHaveIsAnError() async throws {
        let model = LiveValueModel(Card.self, named: "", in: store)
        try await shown { model.error != nil }
        #expect((model.error as? RecordError)?.code == .invalidID && !model.isMissing)
    }

    @Test func storeIsNeeded() {
        let model = LiveValueModel<Card>()
        model.show(named: "1", in: nil)
        #expect(model.error is MissingRecordStore && !model.isLoading)
        let text = model.error.map { "\($0)" }
        #expect(text == "the view needs a store: add .recordStore(store) to a view that contains it")
    }

    @Test func databaseWithoutAFeedIsAnErrorAndRetryRepeatsIt() async throws {
        let model = LiveValueModel(Card.self, named: "1", in: RecordStore(CountingDatabase(database)))
        try await shown { model.error != nil }
        model.retry()
        #expect(model.isLoading)
        try await shown { !model.isLoading }
        #expect((model.error as? RecordDatabaseError)?.code == .noFeed)
    }

    @Test func olderLiveValuesDoNotTakeBackASave() async throws {
        let model = LiveValueModel(Card.self, named: "1", in: store)
        try await shown { model.record != nil }
        let record = try #require(model.record)
        let draft = record.edit()
        for number in 1...200 {
            #expect(await record.save { $0.successes += 1 })
            #expect(record.successes == number)
            if number.isMultiple(of: 3) { await Task.yield() }
            #expect(record.successes == number)
        }
        // Nor do they keep later changes of others from being shown.
        try await store.update(Card.self, named: "1") { $0.failures = 7 }
        try await shown { record.failures == 7 }
        #expect(record.successes == 200)
        try await shown { draft.value.successes == 200 && draft.value.failures == 7 }
    }

    @Test func laterVersionThatArrivesDuringASaveIsShown() async throws {
        let model = LiveValueModel(Card.self, named: "1", in: store)
        try await shown { model.record != nil }
        let record = try #require(model.record)
        for number in 1...60 {
            async let save = record.save { $0.successes = number }
            async let other: Void = store.change(Card.self, named: "1") { $0.failures.increment() }
            #expect(await save)
            try await other
        }
        try await shown { record.failures == 60 }
        #expect(record.successes == 60)
    }

    @Test func modelIsReleasedWhileItWaits() async throws {
        var model: LiveValueModel? = LiveValueModel(Card.self, named: "1", in: store)
        let weakModel = Weak(model)
        try await shown { weakModel.object?.record != nil }
        let record = Weak(model?.record)
        model = nil
        #expect(weakModel.object == nil && record.object == nil)
        _ = model
    }
}
