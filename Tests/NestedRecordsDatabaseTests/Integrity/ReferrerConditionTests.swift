import TestSupport
import Testing

@_spi(Engines) @testable import NestedRecords

/// Deletions during which another writer saves a reference to a record to delete.
@Suite struct ReferrerConditionTests {
    private struct Note: RecordCodable, Identifiable, Equatable {
        var id: Int
        var book: RecordLink<Book>?
        var owner = ""
        static let recordType = "ConditionNote"
    }

    private struct Book: RecordCodable, Identifiable, Equatable {
        var id: Int
        var cover: Cover?
        static let recordType = "ConditionBook"
    }

    private struct Cover: RecordCodable, Identifiable, Equatable {
        var id: Int
        static let recordType = "ConditionCover"
    }

    private let memory = InMemoryRecordDatabase()

    /// A store in which the first commit comes after another writer's.
    private func store(_ other: @escaping @Sendable () async throws -> Void) -> RecordStore {
        CountingDatabase(memory) { number in
            if number == 1 { try await other() }
        }.values
    }

    private func holdingStore(action: Record.Reference.Action = .none, of id: String = "ConditionBook/1") -> RecordStore
    {
        store { [memory] in
            let value = Record.Value.reference(Record.Reference(to: try Record.ID(id), action: action))
            try await memory.commit(RecordBatch(saving: [try Flat.record("Holder/1", ["x": value])]))
        }
    }

    @Test func referencePreventsTheDeletion() async throws {
        try await memory.values.insert(Book(id: 1))
        let store = holdingStore()
        let error = await #expect(throws: RecordDatabaseError.self) { try await store.delete(Book.self, named: 1) }
        #expect(error?.code == .stillReferenced && error?.references.first?.context.record?.description == "Holder/1")
        #expect(error?.context.record == nil && error?.recordID?.description == "ConditionBook/1")
        #expect(try await memory.values.fetchIfPresent(Book.self, named: 1) != nil)
    }

    @Test func referenceIsCleared() async throws {
        try await memory.values.insert(Book(id: 1))
        try await holdingStore().delete(Book.self, named: 1, .clearing)
        #expect(try await memory.fetch("Holder/1").fields == [:])
        #expect(try await memory.danglingReferences().isEmpty)
    }

    @Test func recordThatBelongsToTheDeletedOneGoesToo() async throws {
        try await memory.values.insert(Book(id: 1))
        let deleted = try await holdingStore(action: .deleteSelf).delete(Book.self, named: 1, .cascading)
        #expect(deleted.map(\.description) == ["Holder/1", "ConditionBook/1"])
    }

    @Test(arguments: [.contents, [.contents, .dangling]] as [DeletionOptions])
    func contentToWhichAnotherRecordRefersStays(options: DeletionOptions) async throws {
        try await memory.values.insert(Book(id: 1, cover: Cover(id: 5)))
        let deleted = try await holdingStore(of: "ConditionCover/5").delete(Book.self, named: 1, options)
        #expect(deleted.map(\.description) == ["ConditionBook/1"])
    }

    @Test func danglingReferenceIsLeft() async throws {
        try await memory.values.insert(Book(id: 1))
        try await holdingStore().delete(Book.self, named: 1, .dangling)
        #expect(try await memory.danglingReferences().count == 1)
    }

    @Test func planIsRefusedOnceAnotherRecordRefersToOneOfIts() async throws {
        try await memory.values.insert(Book(id: 1))
        let plan = try await memory.values.plan(deleting: Book.self, named: 1)
        try await memory.values.insert(Note(id: 1, book: try RecordLink(named: 1)))
        let error = await #expect(throws: RecordDatabaseError.self) { try await memory.values.delete(plan) }
        #expect(error?.code == .stillReferenced)
        #expect(try await memory.values.fetchIfPresent(Book.self, named: 1) != nil)
    }

    @Test func fetchedValueIsDeletedUnderTheSameCondition() async throws {
        let book = try await memory.values.insert(Book(id: 1))
        let store = holdingStore()
        let error = await #expect(throws: RecordDatabaseError.self) { try await store.delete(book) }
        #expect(error?.code == .stillReferenced)
        try await store.delete(book, .clearing)
        #expect(try await memory.danglingReferences().isEmpty)
    }

    @Test(arguments: [1, 2, .max]) func recordsThatReferToEachOtherAreDeletedInAnyNumberOfBatches(
        limit: Int
    ) async throws {
        let memory = InMemoryRecordDatabase(batchLimit: limit)
        for number in 1...3 {
            let next = try Flat.record("N/\(number)", ["next": Flat.reference("N/\(number % 3 + 1)")])
            try await memory.commit(RecordBatch(saving: [next]))
        }
        #expect(try await memory.delete(Flat.ids(["N/1", "N/2", "N/3"])).count == 3)
    }

    @Test func versionsAreReadBeforeReferences() async throws {
        let memory = memory
        try await memory.values.insert(Book(id: 1))
        let calls = Locked<[String]>([])
        var database = BrokenDatabase(
            base: memory,
            fetch: { base, ids in
                calls.withLock { $0.append("fetch") }
                return try await base.records(for: ids)
            })
        database.refer = { base, ids in
            calls.withLock { $0.append("referrers") }
            return try await base.referrers(of: ids)
        }
        _ = try await database.deletionPlan(for: [Record.ID("ConditionBook/1")])
        #expect(calls.withLock { $0 } == ["fetch", "referrers"])
    }

    // MARK: Databases that cannot check

    private struct Simple: RecordDatabase {
        let base: InMemoryRecordDatabase

        func records(for ids: [Record.ID]) async throws -> [Record] { try await base.records(for: ids) }

        func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
            try check(batch)
            return try await base.commit(batch)
        }

        func storedRecords(ofType type: String?) -> RecordSequence { base.storedRecords(ofType: type) }
    }

    @Test(arguments: [[], .clearing, .cascading, .contents] as [DeletionOptions])
    func databaseThatCannotCheckRefusesADeletionAtItsStart(options: DeletionOptions) async throws {
        let stored = try await memory.values.insert(Book(id: 1))
        let store = RecordStore(Simple(base: memory))
        for error in [
            await #expect(throws: RecordDatabaseError.self) { try await store.delete(Book.self, named: 1, options) },
            await #expect(throws: RecordDatabaseError.self) { try await store.delete(stored, options) },
            await #expect(throws: RecordDatabaseError.self) {
                try await store.delete(store.plan(deleting: Book.self, named: 1, options))
            },
        ] {
            #expect(error?.code == .unsupported && error?.kind == .unsupported)
            #expect(error?.description.contains("'dangling'") == true)
        }
        #expect(try await memory.values.fetchIfPresent(Book.self, named: 1) != nil)
        try await store.delete(Book.self, named: 1, options.union(.dangling))
        #expect(try await memory.values.fetchIfPresent(Book.self, named: 1) == nil)
    }

    // MARK: Transactions and scopes

    @Test func transactionSeesAReferenceOfAnotherWriter() async throws {
        let memory = memory
        try await memory.values.insert(Book(id: 1))
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await memory.values.transaction { store in
                try await store.delete(Book.self, named: 1)
                _ = try? await memory.values.insert(Note(id: 1, book: try RecordLink(named: 1)))
            }
        }
        #expect(error?.code == .stillReferenced)
        #expect(try await memory.values.fetchIfPresent(Book.self, named: 1) != nil)
        try await memory.values.transaction { store in
            try await store.update(Note.self, named: 1) { $0.book = nil }
            try await store.delete(Book.self, named: 1)
            // A reference that is saved after the deletion dangles.
            try await store.insert(Note(id: 2, book: try RecordLink(named: 1)))
        }
        #expect(try await memory.danglingReferences().count == 1)
    }

    @Test func referenceOutsideTheScopePreventsTheDeletion() async throws {
        try await memory.values.insert(Book(id: 1))
        let outside = try holdingStore().scoped { $0.rule(Book.self) { $0.id == 1 } }
        let error = await #expect(throws: RecordDatabaseError.self) { try await outside.delete(Book.self, named: 1) }
        #expect(error?.code == .stillReferenced && error?.references.isEmpty == true)
        #expect(error?.description.contains("Holder") == false)
        #expect(try await outside.delete(Book.self, named: 1, .clearing).count == 1)
        #expect(try await memory.danglingReferences().count == 1)
    }

    @Test(arguments: [.dangling, .clearing, .cascading] as [DeletionOptions])
    func recordOutsideTheScopeThatBelongsToTheDeletedOnePreventsTheDeletion(options: DeletionOptions) async throws {
        try await memory.values.insert(Book(id: 1))
        let outside = try holdingStore(action: .deleteSelf).scoped { $0.rule(Book.self) { $0.id == 1 } }
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await outside.delete(Book.self, named: 1, options)
        }
        #expect(error?.code == .stillReferenced && error?.references.isEmpty == true)
        #expect(try await memory.values.fetchIfPresent(Book.self, named: 1) != nil)
    }

    @Test func referenceInsideTheScopeIsNamedAndCleared() async throws {
        try await memory.values.insert(Book(id: 1))
        let memory = memory
        let scoped = try store {
            try await memory.values.insert(Note(id: 1, book: try RecordLink(named: 1), owner: "ann"))
        }.scoped {
            $0.rule(Book.self) { $0.id == 1 }
            $0.rule(Note.self) { $0.owner == "ann" }
        }
        let error = await #expect(throws: RecordDatabaseError.self) { try await scoped.delete(Book.self, named: 1) }
        #expect(error?.code == .stillReferenced && error?.references.count == 1)
        try await scoped.delete(Book.self, named: 1, .clearing)
        #expect(try await memory.values.fetch(Note.self, named: 1).book == nil)
    }

    @Test func untypedConditionOfAScopeCountsReferencesFromOutside() async throws {
        try await memory.values.insert(Book(id: 1))
        try await memory.values.insert(Note(id: 1, book: try RecordLink(named: 1), owner: "bo"))
        let scoped = try memory.values.scoped { $0.rule(Book.self) { $0.id == 1 } }
        func batch(_ id: String) throws -> RecordBatch {
            var batch = RecordBatch()
            batch.allowedReferrers = [try Record.ID(id): []]
            return batch
        }
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await scoped.database.commit(batch("ConditionBook/1"))
        }
        #expect(error?.code == .stillReferenced && error?.references.isEmpty == true)
        let hidden = try memory.values.scoped { $0.rule(Book.self) { $0.id == 2 } }
        try await hidden.database.commit(batch("ConditionBook/1"))
        await #expect(throws: RecordError.self) { try await scoped.database.commit(batch("ConditionNote/1")) }
    }

    // MARK: The other order

    @Test func linkThatIsSavedAfterTheDeletionIsRefusedWhereTheCodingAsksForTargets() async throws {
        let book = try await memory.values.insert(Book(id: 1))
        var coding = RecordCoding()
        coding.requiresLinkTargets = true
        let memory = memory
        let strict = RecordStore(
            CountingDatabase(memory) { number in
                if number == 1 { try await memory.values.delete(Book.self, named: 1) }
            }, coding: coding)
        let error = await #expect(throws: RecordError.self) {
            try await strict.insert(Note(id: 1, book: try RecordLink(to: book.value)))
        }
        #expect(error?.code == .missingLinkTarget)
        try await memory.values.insert(Note(id: 1, book: try RecordLink(to: book.value)))
        #expect(try await memory.danglingReferences().count == 1)
    }

    @Test func nestedValueThatWasDeletedIsInsertedAgain() async throws {
        let cover = try await memory.values.insert(Cover(id: 5))
        try await memory.values.delete(Cover.self, named: 5)
        try await memory.values.insert(Book(id: 1, cover: cover.value))
        var book = try await memory.values.insert(Book(id: 2))
        try await memory.values.delete(Book.self, named: 1, .contents)
        book.cover = cover.value
        book = try await memory.values.save(book)
        #expect(try await memory.values.fetch(Book.self, named: 2).cover == cover.value)
        #expect(try await memory.danglingReferences().isEmpty)
    }
}
