import NestedRecords
import NestedRecordsViews
import TestSupport
import Testing

@MainActor @Suite struct RecordDraftTests {
    private let store: RecordStore

    init() throws {
        store = RecordStore(try InMemoryRecordDatabase(from: [Card(id: "1", front: "sea", back: "mer")]))
    }

    private var stored: Card { get async throws { try await store.fetch(Card.self, named: "1").value } }

    private func draft() async throws -> RecordDraft<Card> {
        RecordDraft(try await store.fetch(Card.self, named: "1"), in: store)
    }

    @Test func draftChangesWhatIsStoredOnlyWhenItIsSaved() async throws {
        let draft = try await draft()
        #expect(!draft.isDirty && !draft.isNew)
        draft.value.front = "the sea"
        #expect(draft.isDirty)
        #expect(try "\(draft.changes())" == "~ ViewCard/1\n    ~ front: \"sea\" => \"the sea\"")
        #expect(try await stored.front == "sea")
        #expect(await draft.save())
        #expect(!draft.isDirty && draft.failure == nil)
        #expect(try await stored.front == "the sea")
    }

    @Test func resetDropsTheChanges() async throws {
        let draft = try await draft()
        draft.value.front = "x"
        draft.reset()
        #expect(draft.value.front == "sea" && !draft.isDirty)
        let new = RecordDraft(Card(id: "2", front: "", back: ""), in: store)
        new.value.front = "x"
        new.reset()
        #expect(new.value.front.isEmpty && new.isNew)
    }

    @Test func newValueIsInserted() async throws {
        let draft = RecordDraft(Card(id: "2", front: "", back: ""), in: store)
        #expect(draft.isNew && !draft.isDirty)
        draft.value.front = "sun"
        #expect(try draft.changes().changed.map(\.fields) == [["front"]])
        #expect(await draft.save())
        #expect(!draft.isNew && !draft.isDirty)
        #expect(try await store.fetch(Card.self, named: "2").front == "sun")
        draft.value.back = "soleil"
        #expect(await draft.save())
        #expect(try await store.fetch(Card.self, named: "2").back == "soleil")
        let again = RecordDraft(Card(id: "2", front: "moon", back: ""), in: store)
        #expect(await !again.save())
        #expect((again.failure as? RecordDatabaseError)?.code == .conflict && again.isNew)
    }

    @Test func liveChangeComesIntoACleanDraftAndNeverIntoADirtyOne() async throws {
        let model = LiveValueModel(Card.self, named: "1", in: store)
        try await shown { model.record != nil }
        let draft = try #require(model.record).edit()
        try await store.update(Card.self, named: "1") { $0.back = "A" }
        try await shown { draft.value.back == "A" }
        #expect(draft.newer == nil && !draft.isDirty)

        draft.value.front = "mine"
        try await store.update(Card.self, named: "1") { $0.back = "B" }
        try await shown { draft.newer != nil }
        #expect(draft.value.front == "mine" && draft.value.back == "A" && draft.newer?.back == "B")
        #expect(model.record?.back == "B")

        #expect(await draft.save())
        #expect(draft.value.front == "mine" && draft.value.back == "B" && draft.newer == nil && !draft.isDirty)
        try await shown { model.record?.front == "mine" && model.record?.back == "B" }
    }

    @Test func draftThatIsCleanAgainTakesTheNewerVersion() async throws {
        let model = LiveValueModel(Card.self, named: "1", in: store)
        try await shown { model.record != nil }
        let draft = try #require(model.record).edit()
        draft.value.front = "mine"
        try await store.update(Card.self, named: "1") { $0.back = "B" }
        try await shown { draft.newer != nil }
        draft.value.front = "sea"
        #expect(await draft.save())
        #expect(draft.value.back == "B" && draft.newer == nil)
    }

    @Test func allDraftsOfARowFollowItAndAreNotHeldByIt() async throws {
        let model = LiveValueModel(Card.self, named: "1", in: store)
        try await shown { model.record != nil }
        let record = try #require(model.record)
        let first = record.edit()
        var second: RecordDraft? = record.edit()
        let weakSecond = Weak(second)
        second = nil
        #expect(weakSecond.object == nil)
        let third = record.edit()
        try await store.update(Card.self, named: "1") { $0.back = "A" }
        try await shown { first.value.back == "A" && third.value.back == "A" }
        _ = second
    }

    @Test func contestedFieldsAreAChoiceEach() async throws {
        let draft = try await draft()
        (draft.value.front, draft.value.back, draft.value.successes) = ("my front", "my back", 5)
        try await store.update(Card.self, named: "1") {
            ($0.front, $0.back, $0.failures) = ("their front", "their back", 7)
        }
        #expect(await !draft.save())
        #expect(draft.failure == nil && draft.conflicts.map(\.field.name) == ["front", "back"])
        #expect(draft.conflicts[0].field.client == "my front" && draft.conflicts[0].field.server == "their front")
        #expect(draft.conflicts[0].field.ancestor == "sea" && draft.conflicts.allSatisfy { $0.choice == nil })
        #expect(try await stored.front == "their front")
        #expect(draft.value.front == "my front")

        draft.conflicts[0].choice = .mine
        #expect(await !draft.save())
        #expect(draft.conflicts.map(\.field.name) == ["back"])
        draft.conflicts[0].choice = .theirs
        #expect(await draft.save())
        #expect(draft.conflicts.isEmpty && !draft.isDirty)
        let saved = try await stored
        #expect(saved.front == "my front" && saved.back == "their back" && saved.successes == 5 && saved.failures == 7)
        #expect(draft.value.front == "my front" && draft.value.back == "their back" && draft.value.failures == 7)
    }

    @Test func choiceHoldsForTheseValuesOnly() async throws {
        let draft = try await draft()
        draft.value.front = "mine"
        try await store.update(Card.self, named: "1") { $0.front = "theirs" }
        #expect(await !draft.save())
        draft.conflicts[0].choice = .mine
        try await store.update(Card.self, named: "1") { $0.front = "theirs again" }
        #expect(await !draft.save())
        #expect(draft.conflicts.map(\.field.server) == ["theirs again"] && draft.conflicts[0].choice == nil)
        #expect(try await stored.front == "theirs again")
        draft.conflicts[0].choice = .theirs
        #expect(await draft.save())
        #expect(draft.value.front == "theirs again")
    }

    @Test func conflictsOfAllRecordsAreShownAtOnce() async throws {
        let cards = [Card(id: "2", front: "f", back: "b"), Card(id: "3", front: "f", back: "b")]
        try await store.insert(Box(id: "a", label: "A", cards: cards))
        let draft = RecordDraft(try await store.fetch(Box.self, named: "a"), in: store)
        draft.value.label = "mine"
        for index in 0...1 { (draft.value.cards[index].front, draft.value.cards[index].back) = ("mine", "mine") }
        try await store.update(Box.self, named: "a") {
            $0.label = "theirs"
            for index in 0...1 { $0.cards[index].front = "theirs" }
        }
        #expect(await !draft.save())
        #expect(draft.failure == nil)
        #expect(
            Set(draft.conflicts.map(\.id)) == [
                ["ViewBox/a", "label"], ["ViewCard/2", "front"], ["ViewCard/3", "front"],
            ])
        for index in draft.conflicts.indices {
            draft.conflicts[index].choice = draft.conflicts[index].recordID.name == "2" ? .mine : .theirs
        }
        #expect(await draft.save())
        let box = try await store.fetch(Box.self, named: "a")
        #expect(box.label == "theirs" && box.cards.map(\.front) == ["mine", "theirs"])
        #expect(box.cards.map(\.back) == ["mine", "mine"])
    }

    @Test func draftOfADeletedRecordFailsAndKeepsItsValue() async throws {
        let model = LiveValueModel(Card.self, named: "1", in: store)
        try await shown { model.record != nil }
        let draft = try #require(model.record).edit()
        draft.value.front = "mine"
        try await store.delete(Card.self, named: "1")
        try await shown { model.isMissing }
        #expect(await !draft.save())
        #expect((draft.failure as? RecordDatabaseError)?.code == .unknownRecord && draft.value.front == "mine")
        try await store.insert(draft.value)
        #expect(try await stored.front == "mine")
    }

    @Test func editsDuringASaveStayChangesOfTheDraft() async throws {
        let gate = Gate()
        let held = RecordStore(HeldCommits(store.database, gate: gate))
        let draft = RecordDraft(try await held.fetch(Card.self, named: "1"), in: held)
        draft.value.front = "sent"
        let save = Task { await draft.save() }
        try await shown { draft.isSaving }
        #expect(await !draft.save())  // one at a time
        draft.value.front = "typed later"
        gate.open()
        #expect(await save.value)
        #expect(draft.value.front == "typed later" && draft.isDirty)
        #expect(try await stored.front == "sent")
        #expect(await draft.save())
        #expect(try await stored.front == "typed later")
    }

    @Test func editsDuringAMergedSaveDoNotTakeBackChangesOfOthers() async throws {
        let gate = Gate()
        let held = RecordStore(HeldCommits(store.database, gate: gate))
        let draft = RecordDraft(try await held.fetch(Card.self, named: "1"), in: held)
        try await store.update(Card.self, named: "1") { $0.back = "theirs" }
        draft.value.front = "sent"
        let save = Task { await draft.save() }
        try await shown { draft.isSaving }
        draft.value.successes = 3
        gate.open()
        #expect(await save.value)
        #expect(draft.value.successes == 3 && draft.newer?.back == "theirs")
        #expect(await draft.save())
        let saved = try await stored
        #expect(saved.front == "sent" && saved.back == "theirs" && saved.successes == 3)
    }

    @Test func editsDuringAnInsertionStayOrAreDroppedWithWhatExisted() async throws {
        struct Tag: RecordCodable, Identifiable {
            var id: String
            var note: String?
            static let recordType = "ViewTag"
        }
        struct Page: RecordCodable, Identifiable {
            var id: String
            var text: String
            var tag: Tag
            static let recordType = "ViewPage"
        }
        try await store.insert(Tag(id: "t", note: "kept"))
        for (id, tag) in [("1", Tag(id: "new")), ("2", Tag(id: "t"))] {
            let gate = Gate()
            let held = RecordStore(HeldCommits(store.database, gate: gate))
            let draft = RecordDraft(Page(id: id, text: "sent", tag: tag), in: held)
            let save = Task { await draft.save() }
            try await shown { draft.isSaving }
            draft.value.text = "later"
            gate.open()
            #expect(await save.value)
            #expect(draft.value.text == (id == "1" ? "later" : "sent") && draft.isDirty == (id == "1"))
            #expect(await draft.save())
        }
        #expect(try await store.fetch(Tag.self, named: "t").note == "kept")
        #expect(try await store.fetch(Page.self, named: "1").text == "later")
    }

    @Test func saveOfADraftCanBeUndone() async throws {
        let record = RecordModel(try await store.fetch(Card.self, named: "1"), in: store)
        let draft = record.edit()
        draft.value.front = "x"
        #expect(await draft.save())
        #expect(record.front == "x" && record.canUndo)
        #expect(await record.undo())
        #expect(try await stored.front == "sea")
    }

    @Test func valueThatCannotBeSavedIsKept() async throws {
        let draft = try await draft()
        draft.value.id = "2"
        #expect(draft.isDirty)
        #expect(await !draft.save())
        #expect((draft.failure as? RecordError)?.code == .identityChanged && draft.value.id == "2")
    }
}

/// A database whose commits wait.
private final class HeldCommits: RecordDatabase {
    private let base: any RecordDatabase
    private let gate: Gate

    init(_ base: any RecordDatabase, gate: Gate) { (self.base, self.gate) = (base, gate) }

    func records(for ids: [Record.ID]) async throws -> [Record] { try await base.records(for: ids) }

    func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        await gate.wait()
        return try await base.commit(batch)
    }

    func storedRecords(ofType type: String?) -> RecordSequence { base.storedRecords(ofType: type) }
}
