import Foundation
import TestSupport
import Testing

@testable import NestedRecords

@Suite struct RecordRepositoryTests {
    private struct Tag: RecordCodable, Identifiable, Equatable {
        var id: String
        static let recordType = "RepositoryTag"
    }

    private struct Note: RecordCodable, Identifiable, Equatable {
        struct Place: Codable, Equatable { var street: String? }

        var id: Int
        var owner: String
        var text: String
        var visits = 0
        var weight = 0.5
        var small: Int8 = 0
        var words: [String] = []
        var tags: [Tag] = []
        var place: Place?
        var comment: String?
        static let recordType = "RepositoryNote"
    }

    private let database = InMemoryRecordDatabase()
    private var all: RecordRepository<Note> { RecordRepository(in: database.values) }
    private var anns: RecordRepository<Note> { all.scoped(to: \.owner, "ann") }

    private func fill() async throws {
        for id in 1...6 {
            try await all.insert(Note(id: id, owner: id.isMultiple(of: 2) ? "ann" : "bo", text: "\(id)"))
        }
    }

    // MARK: Scopes

    @Test func valuesOutsideAScopeAreNotFound() async throws {
        try await fill()
        #expect(try await all.query.all().map(\.id) == [1, 2, 3, 4, 5, 6])
        #expect(try await anns.query.all().map(\.id) == [2, 4, 6])
        #expect(try await anns.query.filter { $0.id > 2 }.sorted(descending: true) { $0.id }.all().map(\.id) == [6, 4])
        #expect(try await anns.query.limit(2).page().values.map(\.id) == [2, 4])
        #expect(try await anns.query.count() == 3)
        #expect(try await anns.query.first()?.id == 2)
        #expect(try await anns.query.filter { $0.text == "4" }.first()?.id == 4)
        #expect(try await anns.query.filter { $0.text == "3" }.first() == nil)
        #expect(try await anns.query.filter { $0.text == "4" }.exists())
        #expect(try await !anns.query.filter { $0.text == "3" }.exists())
        var ids: [Int] = []
        for try await note in anns.query.limit(1).values() { ids.append(note.id) }
        #expect(ids == [2, 4, 6])
        #expect(try await anns.fetchIfPresent(2)?.text == "2")
        #expect(try await anns.fetchIfPresent(3) == nil)
        #expect(try await anns.fetchIfPresent(9) == nil)
        #expect(try await anns.fetch(2).text == "2")
        #expect(try await anns.scoped(to: \.text, "4").query.all().map(\.id) == [4])
        for name in [3, 9] {
            for error in [
                await #expect(throws: RecordError.self) { _ = try await anns.fetch(name) },
                await #expect(throws: RecordError.self) { try await anns.update(name) { $0.text = "" } },
                await #expect(throws: RecordError.self) { try await anns.change(name) { $0.text.set("") } },
                await #expect(throws: RecordError.self) { try await anns.delete(name) },
            ] {
                #expect(error?.code == .recordNotFound)
                #expect(error?.recordID?.name == "\(name)")
            }
        }
        #expect(try await all.fetch(3).text == "3")
    }

    @Test func scopeOfAPropertyWithAWrapperNamesItsField() async throws {
        struct Visit: RecordCodable, Identifiable {
            var id: Int
            @ExplicitNull var owner: String?
            static let recordType = "RepositoryVisit"
            static let ownerField = QueryField<Visit, String?>("owner")
        }
        let visits = RecordRepository(of: Visit.self, in: database.values)
        let anns = visits.scoped(to: \.owner, in: Visit.ownerField, "ann")
        try await visits.insert(Visit(id: 1, owner: "bo"))
        try await anns.insert(Visit(id: 2))
        #expect(try await anns.query.all().map(\.id) == [2])
        #expect(try await visits.fetch(2).owner == "ann")
    }

    @Test func scopeIsPutIntoWhatIsInserted() async throws {
        let stored = try await anns.insert(Note(id: 1, owner: "", text: "a"))
        #expect(stored.owner == "ann")
        #expect(try await all.fetch(1).owner == "ann")
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await all.scoped(to: \.owner, "bo").insert(Note(id: 1, owner: "", text: "b"))
        }
        #expect(error?.code == .conflict)
    }

    @Test func noValueLeavesItsScope() async throws {
        try await fill()
        var stored = try await anns.fetch(2)
        stored.owner = "bo"
        for error in [
            await #expect(throws: RecordError.self) { try await anns.update(2) { $0.owner = "bo" } },
            await #expect(throws: RecordError.self) { try await anns.change(2) { $0.owner.set("bo") } },
        ] {
            #expect(error?.code == .outsideScope)
            #expect(error?.recordID?.name == "2")
        }
        let error = await #expect(throws: RecordError.self) { try await anns.save(&stored) }
        #expect(error?.code == .outsideScope)
        #expect(try await all.fetch(2).owner == "ann")
        var other = try await all.fetch(3)
        other.owner = "ann"
        let missing = await #expect(throws: RecordError.self) { try await anns.save(&other) }
        #expect(missing?.code == .recordNotFound)
    }

    @Test func valuesAreChangedAndDeleted() async throws {
        try await fill()
        var stored = try await anns.fetch(2)
        stored.text = "two"
        try await anns.save(&stored)
        #expect(try await anns.update(2) { $0.text += "!" }.text == "two!")
        #expect(try await anns.delete(4).map(\.name) == ["4"])
        #expect(try await anns.query.all().map(\.text) == ["two!", "6"])
    }

    @Test func recordsOutsideAScopeAreMissingAlsoWhereTheyCannotBeDecoded() async throws {
        try await fill()
        try await database.set("text", of: "RepositoryNote/3", to: 7)
        try await database.set("text", of: "RepositoryNote/4", to: 7)
        #expect(try await anns.fetchIfPresent(3) == nil)
        for error in [
            await #expect(throws: RecordError.self) { _ = try await anns.fetch(3) },
            await #expect(throws: RecordError.self) { try await anns.update(3) { $0.text = "" } },
            await #expect(throws: RecordError.self) { try await anns.delete(3) },
        ] {
            #expect(error?.code == .recordNotFound)
            #expect(error?.recordID?.name == "3")
        }
        await #expect(throws: DecodingError.self) { _ = try await anns.fetchIfPresent(4) }
        await #expect(throws: DecodingError.self) { _ = try await anns.fetch(4) }
    }

    @Test func recordOutsideAScopeIsFetchedOnce() async throws {
        try await fill()
        let counting = CountingDatabase(database)
        let anns = RecordRepository<Note>(in: counting.values).scoped(to: \.owner, "ann")
        #expect(try await anns.fetchIfPresent(3) == nil)
        #expect(try await anns.fetchIfPresent(2)?.text == "2")
        #expect(counting.calls.map { $0.map(\.name) } == [["3"], ["2"]])
    }

    @Test func conflictWithARecordOutsideAScopeDoesNotShowIt() async throws {
        try await fill()
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await anns.insert(Note(id: 3, owner: "", text: "mine"))
        }
        #expect(error?.code == .conflict)
        #expect(error?.clientRecord?["text"] == "mine")
        #expect(error?.serverRecord == nil)
        #expect(
            error?.description == "the name of the record RepositoryNote/3 is taken: its record is outside the scope")
        let own = await #expect(throws: RecordDatabaseError.self) {
            try await anns.insert(Note(id: 2, owner: "", text: "mine"))
        }
        #expect(own?.serverRecord?["text"] == "2")
    }

    @Test func conflictWithARecordThatHasLeftAScopeDoesNotShowIt() async throws {
        try await fill()
        var stored = try await anns.fetch(2)
        stored.text = "mine"
        try await all.change(2) {
            $0.owner.set("bo"); $0.text.set("secret")
        }
        let error = await #expect(throws: RecordDatabaseError.self) { try await anns.save(&stored) }
        #expect(error?.code == .conflict)
        #expect(error?.serverRecord == nil)
    }

    @Test func scopeOfAReferenceHolds() async throws {
        struct Item: RecordCodable, Identifiable {
            var id: Int
            var owner: Tag
            static let recordType = "RepositoryItem"
        }
        let items = RecordRepository(of: Item.self, in: database.values)
        try await items.insert(Item(id: 1, owner: Tag(id: "x")))
        let own = items.scoped(to: \.owner, Tag(id: "y"))
        try await own.insert(Item(id: 2, owner: Tag(id: "x")))
        #expect(try await own.query.all().map(\.id) == [2])
        #expect(try await own.fetchIfPresent(1)?.id == nil)
        #expect(try await items.query.count() == 2)
    }

    @Test func lookingForValuesThatStateTheirRecordTypesIsRefused() async throws {
        struct Shape: RecordCodable, DynamicRecordRepresentable, Identifiable {
            var id: String
            var kind: String
            static let recordType = "RepositoryShape"
            var recordType: String { kind }
        }
        let shapes = RecordRepository(of: Shape.self, in: database.values)
        #expect(try await shapes.insert(Shape(id: "1", kind: "Circle")).recordID.type == "Circle")
        for error in [
            await #expect(throws: RecordError.self) { _ = try await shapes.query.all() },
            await #expect(throws: RecordError.self) { _ = try await shapes.query.count() },
            await #expect(throws: RecordError.self) { _ = try await shapes.fetchIfPresent("1") },
            await #expect(throws: RecordError.self) { _ = try await shapes.fetch("1") },
            await #expect(throws: RecordError.self) { try await shapes.update("1") { $0.kind = "" } },
            await #expect(throws: RecordError.self) { try await shapes.delete("1") },
            await #expect(throws: RecordError.self) { _ = try await database.values.query(Shape.self).all() },
        ] {
            #expect(error?.code == .unknownType)
            #expect(error?.description.contains("the values of Shape state their record types themselves") == true)
        }
    }

    // MARK: Properties

    @Test func propertiesAreChangedInOneBatch() async throws {
        let counting = CountingDatabase(database)
        let notes = RecordRepository(of: Note.self, in: counting.values)
        try await notes.insert(
            Note(id: 1, owner: "ann", text: "a", words: ["x", "y", "x"], place: .init(street: "Lane")))
        try await database.values.overwrite(Tag(id: "t"))
        counting.forgetCalls()
        try await notes.change(1) {
            $0.text.set("b")
            $0.visits.increment()
            $0.visits.increment(2)
            $0.weight.increment(0.25)
            $0.words.append("z")
            $0.words.remove("x")
            $0.tags.append(Tag(id: "t"))
            $0.place.street.set("Road")
            $0.comment.set("c")
        }
        #expect(counting.modifications.count == 1)
        let note = try await notes.fetch(1)
        #expect(
            note.value
                == Note(
                    id: 1, owner: "ann", text: "b", visits: 3, weight: 0.75, words: ["y", "z"], tags: [Tag(id: "t")],
                    place: .init(street: "Road"), comment: "c"))
        try await notes.change(1) {
            $0.tags.remove(Tag(id: "t"))
            $0.comment.set(nil)
            $0.place.set(nil)
        }
        let record = try await database.records(for: [note.recordID]).first
        #expect(record?["comment"] == nil)
        #expect(record?["place"] == nil)
        #expect(record?["tags"] == .list([]))
    }

    @Test func changeThatFailsChangesNothing() async throws {
        try await all.insert(Note(id: 1, owner: "ann", text: "a", visits: .max, small: 127))
        try await database.set("words", of: "RepositoryNote/1", to: "text")
        func reason(_ change: (QueryField<Note, Note>) -> PropertyChange<Note>) async -> String {
            let error = await #expect(throws: RecordError.self) {
                try await all.change(1) {
                    $0.text.set("b")
                    change($0)
                }
            }
            #expect(error?.code == .unchangeableField)
            #expect(error?.recordID?.name == "1")
            return error?.reason ?? ""
        }
        #expect(await reason { $0.visits.increment() } == "'visits' is 9223372036854775807, and 1 more is no Int")
        #expect(await reason { $0.small.increment() } == "'small' is 127, and 1 more is no Int8")
        #expect(
            await reason { $0.field("visits", as: UInt64.self).increment() }
                == "'visits' is 9223372036854775807, and 1 more is no Int64")
        #expect(
            await reason { $0.field("small", as: UInt64.self).increment(.max) }
                == "'small' is 127, and 18446744073709551615 more is no Int64")
        #expect(
            await reason { $0.field("visits", as: Double.self).increment(0.5) }
                == "'visits' is 9223372036854775807, which is no Double")
        #expect(await reason { $0.words.append("a") }.hasPrefix("'words' is no list"))
        #expect(
            await reason { $0.place.street.set("a") } == "'place.street' leads into a missing value, which is no map")
        #expect(await reason { $0.field("text", as: Int.self).increment() }.hasPrefix("'text' is no integer"))
        let error = await #expect(throws: RecordError.self) {
            try await all.change(1) { $0.text.isEmpty.description.set("") }
        }
        #expect(error?.code == .unknownField)
        #expect(try await database.records(for: [Record.ID("RepositoryNote/1")]).first?["text"] == "a")
    }

    @Test func referenceToARecordThatIsNotSavedIsRefused() async throws {
        struct Shelf: RecordCodable, Identifiable {
            var id: Int
            var label: Tag?
            var labels: [String: [Tag]] = [:]
            static let recordType = "RepositoryShelf"
        }
        let shelves = RecordRepository(of: Shelf.self, in: database.values)
        try await shelves.insert(Shelf(id: 1, label: Tag(id: "old"), labels: ["a": [Tag(id: "old")]]))
        let before = try await database.records(for: [Record.ID("RepositoryShelf/1")])
        for path in ["label", "labels.a[1]"] {
            let error = await #expect(throws: RecordError.self) {
                try await shelves.change(1) {
                    if path == "label" {
                        $0.label.set(Tag(id: "new"))
                    } else {
                        $0.field(FieldPath(["labels", "a"]), as: [Tag].self).append(Tag(id: "new"))
                    }
                }
            }
            #expect(error?.code == .unchangeableField)
            #expect(error?.recordID?.description == "RepositoryShelf/1")
            #expect(
                error?.reason
                    == "'\(path)' would refer to RepositoryTag/new, which is not in the database: save it first")
        }
        #expect(try await database.records(for: [Record.ID("RepositoryShelf/1")]) == before)
        try await database.values.overwrite(Tag(id: "new"))
        try await shelves.change(1) { $0.label.set(Tag(id: "new")) }
        #expect(try await shelves.fetch(1).label == Tag(id: "new"))
    }

    @Test func referenceToARecordThatIsDeletedBeforeTheCommitIsRefused() async throws {
        try await all.insert(Note(id: 1, owner: "ann", text: "a"))
        try await database.values.overwrite(Tag(id: "t"))
        let base = database
        let counting = CountingDatabase(
            database, beforeSave: { _ in try await base.delete([Record.ID("RepositoryTag/t")], .dangling) })
        let error = await #expect(throws: RecordError.self) {
            try await RecordRepository<Note>(in: counting.values).change(1) { $0.tags.append(Tag(id: "t")) }
        }
        #expect(error?.code == .unchangeableField)
        #expect(try await all.fetch(1).tags.isEmpty)
    }

    @Test func otherPropertiesOfARecordWithADanglingReferenceAreChanged() async throws {
        try await all.insert(Note(id: 1, owner: "ann", text: "a", tags: [Tag(id: "t")]))
        try await database.delete([Record.ID("RepositoryTag/t")], .dangling)
        try await all.change(1) { $0.text.set("b") }
        #expect(try await database.records(for: [Record.ID("RepositoryNote/1")]).first?["text"] == "b")
    }

    @Test func changeOfTheIdentityIsRefused() async throws {
        try await all.insert(Note(id: 1, owner: "ann", text: "a"))
        for isSet in [true, false] {
            let error = await #expect(throws: RecordError.self) {
                try await all.change(1) {
                    $0.text.set("b")
                    if isSet { $0.id.set(77) } else { $0.id.increment() }
                }
            }
            #expect(error?.code == .identityChanged)
            #expect(error?.recordID?.name == "1")
        }
        try await all.change(1) {
            $0.id.set(1); $0.text.set("c")
        }
        #expect(try await all.fetch(1).text == "c")
    }

    @Test func identifierThatDoesNotNameTheRecordMayChange() async throws {
        struct Page: RecordCodable, Identifiable {
            var id: Int
            var slug: String
            var recordName: String { slug }
            static let recordType = "RepositorySlug"
        }
        let pages = RecordRepository(of: Page.self, in: database.values)
        try await pages.insert(Page(id: 1, slug: "a"))
        try await pages.change("a") { $0.id.set(2) }
        #expect(try await pages.fetch("a").value.id == 2)
    }

    @Test func changesOfManyTasksAreAllMade() async throws {
        try await all.insert(Note(id: 1, owner: "ann", text: ""))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    try await all.change(1) {
                        $0.visits.increment(); $0.words.append("\(number)")
                    }
                }
            }
            try await group.waitForAll()
        }
        let note = try await all.fetch(1)
        #expect(note.visits == 20)
        #expect(Set(note.words).count == 20)
    }

    @Test func recordsOfEarlierFormsAreChanged() async throws {
        struct Old: RecordCodable, Identifiable {
            var id: Int
            var count: Int
            static let recordType = "RepositoryPage"
        }
        struct Page: RecordCodable, Identifiable {
            var id: Int
            var views: Int
            var size: Int
            static let recordType = "RepositoryPage"
            static let schema = RecordSchema(defaults: ["size": 3], formerNames: ["views": ["count"]], version: 2)
        }
        try await database.values.overwrite(Old(id: 1, count: 5))
        let pages = RecordRepository(of: Page.self, in: database.values)
        try await pages.change(1) {
            $0.views.increment(); $0.size.increment()
        }
        let page = try await pages.fetch(1)
        #expect((page.views, page.size) == (6, 4))
        #expect(try await database.records(for: [Record.ID("RepositoryPage/1")]).first?["count"] == nil)
        try await database.set("$version", of: "RepositoryPage/1", to: 3)
        let error = await #expect(throws: RecordError.self) { try await pages.change(1) { $0.views.increment() } }
        #expect(error?.code == .newerVersion)
    }

    // MARK: Locations and cascading properties

    private struct Stop: RecordCodable, Identifiable, Equatable {
        var id: Int
        var spot: String?
        var way: [String] = []
        static let recordType = "RepositoryStop"
        static let schema = RecordSchema(locations: ["spot", "way"])
    }

    private struct Loan: RecordCodable, Identifiable {
        var id: Int
        var note: RecordLink<Note>
        var others: [RecordLink<Note>] = []
        static let recordType = "RepositoryLoan"
        static let schema = RecordSchema(cascading: ["note", "others"])
    }

    private static let texts = ["41.40;2.17", "41.4;2.17", "57.05;-5.13"]

    @Test(arguments: texts, [false, true])
    func locationsAreChangedAndFoundAsTheyAreInserted(text: String, isDeclared: Bool) async throws {
        let stops = RecordRepository(of: Stop.self, in: database.values)
        func spot(_ stop: QueryField<Stop, Stop>) -> QueryField<Stop, String?> {
            isDeclared ? QueryField("spot") : stop.spot
        }
        func way(_ stop: QueryField<Stop, Stop>) -> QueryField<Stop, [String]> {
            isDeclared ? QueryField("way") : stop.way
        }
        try await stops.insert(Stop(id: 1, spot: text, way: [text]))
        try await stops.insert(Stop(id: 2))
        try await stops.change(2) {
            spot($0).set(text)
            way($0).append(text)
        }
        #expect(try await stops.fetch(2).value == Stop(id: 2, spot: text, way: [text]))
        let records = try await database.records(for: [1, 2].map { try Record.ID(of: Stop.self, named: $0) })
        #expect(records.map { $0["spot"] }.allSatisfy { $0 == records[0]["spot"] })
        #expect(records.map { $0["way"] }.allSatisfy { $0 == records[0]["way"] })
        #expect(try await stops.query.filter { spot($0) == text }.all().map(\.id) == [1, 2])
        #expect(try await stops.query.filter { way($0) == [text] }.all().map(\.id) == [1, 2])
        #expect(try await stops.query.filter { way($0).contains(text) }.all().map(\.id) == [1, 2])
        for other in Self.texts where other != text {
            #expect(try await stops.query.filter { spot($0) == other }.all().isEmpty)
        }
        #expect(try await stops.query.filter { spot($0) == "nowhere" }.all().isEmpty)
        let error = await #expect(throws: RecordError.self) {
            try await stops.change(2) { spot($0).set("nowhere") }
        }
        #expect(error?.code == .unchangeableField)
        try await stops.change(2) {
            way($0).remove("nowhere")
            way($0).remove(text)
        }
        #expect(try await stops.fetch(2).way.isEmpty)
    }

    @Test(arguments: [false, true])
    func changedCascadingPropertiesTakeTheRecordWithThem(isDeclared: Bool) async throws {
        let loans = RecordRepository(of: Loan.self, in: database.values)
        func note(_ loan: QueryField<Loan, Loan>) -> QueryField<Loan, RecordLink<Note>> {
            isDeclared ? QueryField("note") : loan.note
        }
        func others(_ loan: QueryField<Loan, Loan>) -> QueryField<Loan, [RecordLink<Note>]> {
            isDeclared ? QueryField("others") : loan.others
        }
        try await fill()
        try await loans.insert(Loan(id: 1, note: try RecordLink(named: 1)))
        let second = try RecordLink<Note>(named: 2)
        try await loans.change(1) {
            note($0).set(second)
            others($0).append(second)
            others($0).append(second)
        }
        let record = try await database.records(for: [Record.ID(of: Loan.self, named: 1)]).first
        #expect(record?.references.map(\.id.name) == ["2", "2", "2"])
        #expect(record?.references.map(\.action) == [.deleteSelf, .deleteSelf, .deleteSelf])
        #expect(try await loans.query.filter { note($0) == second }.count() == 1)
        #expect(try await loans.query.filter { note($0).isAny(of: [second]) }.count() == 1)
        #expect(try await loans.query.filter { others($0).contains(second) }.count() == 1)
        try await loans.change(1) { others($0).remove(second) }
        #expect(try await loans.fetch(1).others.isEmpty)
        try await all.delete(2, .cascading)
        #expect(try await loans.query.count() == 0)
    }

    @Test func descriptionNamesTypeAndScope() {
        #expect(anns.description.hasPrefix("Note values where owner = \"ann\" in InMemoryRecordDatabase"))
    }
}
