import NestedRecords
import NestedRecordsTesting
import NestedRecordsViews
import TestSupport
import Testing

@MainActor @Suite struct RecordModelTests {
    private let store: RecordStore

    init() throws {
        store = RecordStore(try InMemoryRecordDatabase(from: [Card(id: "1", front: "sea", back: "mer")]))
    }

    private func model() async throws -> RecordModel<Card> {
        RecordModel(try await store.fetch(Card.self, named: "1"), in: store)
    }

    private var stored: Card { get async throws { try await store.fetch(Card.self, named: "1").value } }

    @Test func saveStoresAndShowsTheChange() async throws {
        let model = try await model()
        #expect(await model.save { $0.successes += 1 })
        #expect(model.successes == 1 && model.value.front == "sea" && model.failure == nil && !model.isSaving)
        #expect(try await stored.successes == 1)
    }

    @Test func savesRunInTurnSoThatNoneIsLost() async throws {
        let model = try await model()
        let saves = (0..<20).map { _ in Task { await model.save { $0.successes += 1 } } }
        for save in saves { #expect(await save.value) }
        #expect(model.successes == 20)
        #expect(try await stored.successes == 20)
    }

    @Test func changesOfOthersToOtherFieldsAreKept() async throws {
        let model = try await model()
        try await store.update(Card.self, named: "1") { $0.back = "la mer" }
        #expect(await model.save { $0.front = "the sea" })
        #expect(model.front == "the sea" && model.back == "la mer")
        #expect(try await stored.back == "la mer")
    }

    @Test func contestedFieldIsAFailureAndNothingIsSaved() async throws {
        let model = try await model()
        try await store.update(Card.self, named: "1") { $0.front = "theirs" }
        #expect(await !model.save { $0.front = "mine" })
        #expect((model.failure as? RecordError)?.code == .contestedField)
        #expect(model.front == "sea")
        #expect(try await stored.front == "theirs")
        #expect(await model.save { $0.back = "x" })
        #expect(model.failure == nil && model.front == "theirs")
    }

    @Test func errorOfTheChangeIsTheFailure() async throws {
        struct Refused: Error {}
        let model = try await model()
        #expect(
            await !model.save {
                $0.front = "x"
                throw Refused()
            })
        #expect(model.failure is Refused && model.front == "sea")
        #expect(try await stored.front == "sea")
    }

    @Test func saveOfADeletedRecordFails() async throws {
        let model = try await model()
        try await store.delete(Card.self, named: "1")
        #expect(await !model.save { $0.front = "x" })
        #expect((model.failure as? RecordDatabaseError)?.code == .unknownRecord)
        #expect(try await store.fetchIfPresent(Card.self, named: "1") == nil)
    }

    @Test func lastSaveIsUndoneOnce() async throws {
        let model = try await model()
        #expect(!model.canUndo)
        #expect(await !model.undo())
        await model.save { $0.front = "a" }
        await model.save { $0.front = "b" }
        await model.save { $0.front = "b" }  // changes nothing
        #expect(model.canUndo)
        #expect(await model.undo())
        #expect(model.front == "a" && !model.canUndo)
        #expect(try await stored.front == "a")
        #expect(await !model.undo())
        #expect(model.front == "a" && model.failure == nil)
    }

    @Test func undoKeepsChangesOfOthersToOtherFields() async throws {
        let model = try await model()
        await model.save { $0.front = "a" }
        try await store.update(Card.self, named: "1") { $0.back = "other" }
        #expect(await model.undo())
        #expect(try await stored == "sea|other")
        await model.save { $0.front = "b" }
        try await store.update(Card.self, named: "1") { $0.front = "c" }
        #expect(await !model.undo())
        #expect((model.failure as? RecordError)?.code == .contestedField && model.canUndo)
        #expect(try await stored == "c|other")
    }

    @Test func saveThatWasMergedCannotBeUndone() async throws {
        let model = try await model()
        try await store.update(Card.self, named: "1") { $0.back = "other" }
        #expect(await model.save { $0.front = "a" })
        #expect(!model.canUndo)
    }

    @Test func undoOfASaveWithAnAddedRecordRestoresTheValue() async throws {
        try await store.insert(Box(id: "a", label: "A", cards: []))
        let model = RecordModel(try await store.fetch(Box.self, named: "a"), in: store)
        await model.save { $0.cards.append(Card(id: "9", front: "n", back: "n")) }
        #expect(await model.undo())
        #expect(model.cards.isEmpty)
        #expect(try await store.fetchIfPresent(Card.self, named: "9") != nil)
    }

    @Test func deletionNeedsTheShownVersion() async throws {
        let model = try await model()
        try await store.update(Card.self, named: "1") { $0.back = "x" }
        #expect(await !model.delete())
        #expect((model.failure as? RecordDatabaseError)?.code == .versionMismatch)
        let current = try await self.model()
        #expect(await current.delete())
        #expect(try await store.fetchIfPresent(Card.self, named: "1") == nil)
    }

    @Test func rowsConvergeUnderFaultsAndOtherWriters() async throws {
        var options = FaultyRemoteDatabase.Options()
        options.refusedRequests = 0.1
        options.lostRequests = 0.05
        let store = RecordStore(FaultyRemoteDatabase(options), retries: RetryPolicy(repeatsTransientErrors: true))
        try await store.overwrite((0..<4).map { Card(id: "\($0)", front: "f", back: "b") })
        let model = LiveQueryModel(store.query(Card.self))
        func loaded() async throws {
            try await shown {
                if model.error != nil { model.retry() }
                return !model.isLoading && model.rows.count == 4
            }
        }
        try await loaded()
        for round in 1...5 {
            for row in model.rows { await row.save { $0.successes += 1 } }
            _ = try? await store.update(Card.self, named: round % 4) { $0.failures += 1 }
        }
        var truth: [Card] = []
        while truth.isEmpty { truth = (try? await store.query(Card.self).all().map(\.value)) ?? [] }
        let expected = truth.map { "\($0.successes)/\($0.failures)" }
        try await shown("\(expected)") {
            if model.error != nil, !model.isLoading { model.retry() }
            return model.rows.map { "\($0.successes)/\($0.failures)" } == expected
        }
    }
}

extension Card {
    fileprivate static func == (card: Card, text: String) -> Bool { "\(card.front)|\(card.back)" == text }
}
