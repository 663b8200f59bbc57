import TestSupport
import Testing

@testable import NestedRecords

/// Deletions that take along what a value contains, or look after references from outside.
@Suite struct ContentDeletionTests {
    func makeDatabase(batchLimit: Int = .max) async throws -> InMemoryRecordDatabase {
        let memory = InMemoryRecordDatabase(batchLimit: batchLimit)
        try await memory.values.overwrite([
            School.sample(), School(id: "dale", pupils: [Pupil(id: "bo"), Pupil(id: "eve")]),
        ])
        return memory
    }

    @Test(arguments: [1, 2, .max]) func unsharedContentsAreDeleted(batchLimit: Int) async throws {
        let memory = try await makeDatabase(batchLimit: batchLimit)
        let deleted = try await memory.values.delete(School.self, named: "hilltop", [.contents, .dangling])
        #expect(deleted.map(\.description).sorted() == ["Pupil/ann", "Pupil/dee", "School/hilltop"])
        #expect(deleted.first?.description == "School/hilltop")
        #expect(try await memory.texts == ["Pupil/bo", "Pupil/eve", "School/dale"])
    }

    @Test func planSaysWhyAContentIsDeleted() async throws {
        let memory = try await makeDatabase()
        let plan = try await memory.deletionPlan(for: [Record.ID("School/hilltop")], .contents)
        let hilltop = try Record.ID("School/hilltop")
        for id in try Flat.ids(["Pupil/ann", "Pupil/dee"]) {
            #expect(plan.chain(from: id).map(\.record) == [id, hilltop])
        }
        #expect(try plan.chain(from: Record.ID("Pupil/bo")).isEmpty && plan.dangling.isEmpty)
    }

    @Test func whatASharedContentContainsStays() async throws {
        let memory = InMemoryRecordDatabase()
        // 1 → 2 → 3 → 4, and 9 → 3
        let last = Station(3, next: Station(4))
        try await memory.values.overwrite([Station(1, next: Station(2, next: last)), Station(9, next: last)])
        let deleted = try await memory.values.delete(Station.self, named: 1, [.contents, .dangling])
        #expect(deleted.map(\.name) == ["1", "2"])
    }

    @Test func ringThatNothingElseRefersToIsDeleted() async throws {
        let memory = InMemoryRecordDatabase()
        let records = try (1...4).map {
            try Flat.record("N/\($0)", ["next": try Flat.reference("N/\($0 == 4 ? 2 : $0 + 1)")])
        }
        try await memory.save(RecordGraph(records), savePolicy: .overwrite)
        #expect(
            try await memory.delete([Record.ID("N/1")], [.contents, .dangling]).map(\.name).sorted() == [
                "1", "2", "3", "4",
            ])
    }

    @Test func linkFromOutsideKeepsAContent() async throws {
        let memory = try await makeDatabase()
        let link = try Flat.record(
            "Note/1", ["pupil": .reference(Record.Reference(to: Record.ID("Pupil/ann"), isLink: true))])
        try await memory.save(RecordGraph([link]), savePolicy: .overwrite)
        let deleted = try await memory.values.delete(School.self, named: "hilltop", [.contents, .dangling])
        #expect(deleted.map(\.description).sorted() == ["Pupil/dee", "School/hilltop"])
    }

    @Test func recordThatIsDeletedAsOwnedKeepsNothing() async throws {
        let memory = try await makeDatabase()
        let note = try Flat.record(
            "Note/1", ["school": try Flat.owner("School/hilltop"), "pupil": try Flat.reference("Pupil/ann")])
        try await memory.save(RecordGraph([note]), savePolicy: .overwrite)
        let deleted = try await memory.values.delete(School.self, named: "hilltop", [.cascading, .contents, .dangling])
        #expect(deleted.map(\.description).sorted() == ["Note/1", "Pupil/ann", "Pupil/dee", "School/hilltop"])
    }

    @Test(arguments: [1, .max]) func contentsOfRecordsThatCascadeAreDeletedToo(batchLimit: Int) async throws {
        // A note belongs to the school and contains a page, which contains a picture; a mark belongs to the page.
        let memory = try await makeDatabase(batchLimit: batchLimit)
        for record in try [
            Flat.record("Note/1", ["school": Flat.owner("School/hilltop"), "page": Flat.reference("Page/1")]),
            Flat.record("Page/1", ["picture": Flat.reference("Picture/1"), "shared": Flat.reference("Picture/2")]),
            Flat.record("Picture/1"), Flat.record("Picture/2"),
            Flat.record("Mark/1", ["page": Flat.owner("Page/1"), "text": Flat.reference("Text/1")]),
            Flat.record("Text/1"), Flat.record("Other/1", ["picture": Flat.reference("Picture/2")]),
        ] { try await memory.save(RecordGraph([record]), savePolicy: .overwrite) }
        let plan = try await memory.deletionPlan(for: [Record.ID("School/hilltop")], [.cascading, .contents])
        #expect(
            plan.ids.map(\.description).sorted() == [
                "Mark/1", "Note/1", "Page/1", "Picture/1", "Pupil/ann", "Pupil/dee", "School/hilltop", "Text/1",
            ])
        #expect(
            try plan.chain(from: Record.ID("Text/1")).map(\.record.description) == [
                "Text/1", "Mark/1", "Page/1", "Note/1", "School/hilltop",
            ])
        #expect(try await memory.delete(plan).count == 8)
        #expect(try await memory.texts == ["Other/1", "Picture/2", "Pupil/bo", "Pupil/eve", "School/dale"])
        #expect(try await memory.danglingReferences().isEmpty)
    }

    @Test func contentsOfARecordThatStaysStay() async throws {
        // The mark belongs to a page that another record refers to: neither goes, nor what the mark contains.
        let memory = InMemoryRecordDatabase()
        let records = try [
            Flat.record("Note/1", ["page": Flat.reference("Page/1")]), Flat.record("Page/1"),
            Flat.record("Mark/1", ["page": Flat.owner("Page/1"), "text": Flat.reference("Text/1")]),
            Flat.record("Text/1"), Flat.record("Other/1", ["page": Flat.reference("Page/1")]),
        ]
        try await memory.save(RecordGraph(records), savePolicy: .overwrite)
        let deleted = try await memory.delete([Record.ID("Note/1")], [.cascading, .contents])
        #expect(deleted.map(\.description) == ["Note/1"])
    }

    @Test func outsideReferencesCanPreventADeletion() async throws {
        let memory = try await makeDatabase()
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await memory.values.delete(Pupil.self, named: "bo")
        }
        #expect(error?.code == .stillReferenced)
        let sources = error?.references.compactMap { $0.context.record?.description } ?? []
        #expect(sources.sorted() == ["School/dale", "School/hilltop"])
        #expect("\(error as Any)".contains("the record Pupil/bo cannot be deleted: it is referred to at 'pupils["))
        #expect(try await memory.texts.contains("Pupil/bo"))
        try await memory.values.delete(School.self, named: "dale")
        #expect(try await !memory.texts.contains("School/dale"))
    }

    @Test func outsideReferencesCanBeCleared() async throws {
        let memory = try await makeDatabase()
        try await memory.delete([Pupil(id: "bo"), Pupil(id: "dee")].map { try Record.ID(of: $0) }, .clearing)
        #expect(try await memory.values.fetch(School.self, named: "hilltop").value.pupils.map(\.id) == ["ann"])
        #expect(try await memory.values.fetch(School.self, named: "hilltop").value.director == nil)
        #expect(try await memory.values.fetch(School.self, named: "dale").value.pupils.map(\.id) == ["eve"])
    }

    @Test func clearingLeavesEverythingElseAsItIs() async throws {
        let (kept, gone) = (try Flat.reference("A/1"), try Flat.reference("A/2"))
        let fields: Record.Fields = [
            "a": gone, "b": kept, "list": .list([kept, gone, 1, .list([]), .list([gone])]),
            "map": .map(["x": gone, "y": .list([gone, .map([:])]), "z": .null]), "empty": .map([:]),
        ]
        let memory = InMemoryRecordDatabase()
        try await memory.save(
            RecordGraph([Flat.record("A/1"), Flat.record("A/2"), Flat.record("B/1", fields)]),
            savePolicy: .overwrite)
        try await memory.delete([Record.ID("A/2")], .clearing)
        let record = try await memory.fetch("B/1")
        #expect(
            record.fields == [
                "b": kept, "list": .list([kept, 1, .list([]), .list([])]),
                "map": .map(["y": .list([.map([:])]), "z": .null]), "empty": .map([:]),
            ])
    }

    @Test func planIsRefusedOnceARecordHasChanged() async throws {
        let memory = try await makeDatabase()
        let plan = try await memory.deletionPlan(for: [Record.ID("School/hilltop")], .contents)
        try await memory.set("age", of: "Pupil/ann", to: 9)
        let error = await #expect(throws: RecordDatabaseError.self) { try await memory.delete(plan) }
        #expect(error?.code == .versionMismatch && error?.recordID?.description == "Pupil/ann")
        #expect(try await memory.texts.count == 6)
    }

    @Test func recordThatChangesWhileItIsDeletedIsLookedAtAgain() async throws {
        let memory = try await makeDatabase()
        let database = CountingDatabase(memory) { number in
            // Another school takes the pupil in.
            guard number == 1 else { return }
            try await memory.values.update(School.self, named: "dale") { $0.director = Pupil(id: "ann") }
        }
        try await database.values.delete(School.self, named: "hilltop", [.contents, .dangling])
        #expect(try await memory.texts == ["Pupil/ann", "Pupil/bo", "Pupil/eve", "School/dale"])
    }

    @Test func fetchedValueIsDeletedInItsVersionAlone() async throws {
        let memory = try await makeDatabase()
        let school = try await memory.values.fetch(School.self, named: "hilltop")
        try await memory.set("visits", of: "School/hilltop", to: 9)
        for options in [[], .contents] as [DeletionOptions] {
            let error = await #expect(throws: RecordDatabaseError.self) {
                try await memory.values.delete(school, options)
            }
            #expect(error?.code == .versionMismatch)
        }
        let fresh = try await memory.values.fetch(School.self, named: "hilltop")
        #expect(try await memory.values.delete(fresh, [.contents, .dangling]).count == 3)
        let gone = await #expect(throws: RecordDatabaseError.self) { try await memory.values.delete(fresh, .dangling) }
        #expect(gone?.code == .versionMismatch && gone?.serverRecord == nil)
    }

    @Test func contentThatAnotherWriterHasChangedIsNotDeleted() async throws {
        let memory = try await makeDatabase()
        let school = try await memory.values.fetch(School.self, named: "hilltop")
        try await memory.set("age", of: "Pupil/ann", to: 11)
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await memory.values.delete(school, [.contents, .dangling])
        }
        #expect(error?.code == .versionMismatch && error?.recordID?.description == "Pupil/ann")
        #expect(try await memory.texts.contains("School/hilltop"))
    }

    @Test func contentThatIsTakenOutWhileThePlanIsMadeStays() async throws {
        let memory = try await makeDatabase()
        let fetches = Locked(0)
        let database = BrokenDatabase(
            base: memory,
            fetch: { base, ids in
                let number = fetches.withLock { count in
                    count += 1
                    return count
                }
                if number == 2 { try await base.values.update(School.self, named: "hilltop") { $0.pupils = [] } }
                return try await base.records(for: ids)
            })
        let deleted = try await database.values.delete(School.self, named: "hilltop", [.contents, .dangling])
        #expect(deleted.map(\.description).sorted() == ["Pupil/dee", "School/hilltop"])
        #expect(try await memory.texts.contains("Pupil/ann"))
    }

    @Test func recordThatGetsAnotherOwnerWhileThePlanIsMadeStays() async throws {
        let memory = InMemoryRecordDatabase()
        let loan = try Flat.record("Loan/1", ["book": try Flat.owner("Book/2")])
        try await memory.save(
            RecordGraph([try Flat.record("Book/2"), try Flat.record("Book/3"), loan]),
            savePolicy: .overwrite)
        let fetches = Locked(0)
        let database = BrokenDatabase(
            base: memory,
            fetch: { base, ids in
                let number = fetches.withLock { count in
                    count += 1
                    return count
                }
                // After the search for owned records.
                if number == 2 {
                    let changed = try Flat.record("Loan/1", ["book": try Flat.owner("Book/3")])
                    try await base.commit(RecordBatch(saving: [changed], savePolicy: .overwrite))
                }
                return try await base.records(for: ids)
            })
        #expect(
            try await database.delete([Record.ID("Book/2")], [.cascading, .dangling]).map(\.description) == ["Book/2"])
        #expect(try await memory.texts == ["Book/3", "Loan/1"])
    }
}
