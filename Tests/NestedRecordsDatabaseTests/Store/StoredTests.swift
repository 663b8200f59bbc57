import Foundation
import NestedRecords
import TestSupport
import Testing

/// Fetch, change and save, while others change the same.
@Suite struct StoredTests {
    private struct Book: RecordCodable, Identifiable {
        var id: Int
        var subtitle: String?
    }

    private struct Shelf: RecordCodable, Identifiable {
        var id: String
        var books: [Book]
    }

    @Test func savedChangeKeepsWhatOthersChangedInOtherRecords() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample())
        var school = try await memory.values.fetch(School.self, named: "hilltop")
        try await memory.set("age", of: "Pupil/ann", to: 11)
        school.name = "Hill"
        try await memory.values.save(&school)
        #expect(try await memory.fetch("Pupil/ann")["age"] == 11)
        #expect(try await memory.fetch("School/hilltop")["name"] == "Hill")
    }

    @Test func onlyChangedRecordsAreSent() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample())
        let database = CountingDatabase(memory)
        var school = try await database.values.fetch(School.self, named: "hilltop")
        school.pupils[1].age = 12
        database.forgetCalls()
        try await database.values.save(&school)
        #expect(database.modifications.map(\.texts) == [["Pupil/bo"]] && database.calls.isEmpty)
        #expect(school.pupils[1].age == 12)
    }

    @Test func valueInHandAfterASaveIsWhatIsStored() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample())
        for limit in [Int.max, 2] {
            let database = CountingDatabase(memory, batchLimit: limit)
            var school = try await database.values.fetch(School.self, named: "hilltop")
            // Another writer changes a record that this save does not touch.
            try await memory.set("age", of: "Pupil/ann", to: .int(Int64(school.pupils[0].age) + 10))
            school.pupils[1].age += 1
            try await database.values.save(&school)
            let stored = try await memory.values.fetch(School.self, named: "hilltop")
            #expect(school.value == stored.value && school.entityTag == stored.entityTag)
            try await memory.values.update(School.self, named: "hilltop", ifMatch: school.entityTag) { $0.name += "!" }
        }
    }

    @Test func strictUpdateFailsForARecordThatItDoesNotTouch() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample())
        let tag = try await memory.values.fetch(School.self, named: "hilltop").entityTag
        try await memory.set("age", of: "Pupil/ann", to: 44)
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await memory.values.update(School.self, named: "hilltop", ifMatch: tag) { $0.name = "other" }
        }
        #expect(error?.code == .versionMismatch)
        #expect(try await memory.fetch("School/hilltop")["name"] != "other")
    }

    @Test func conflictOfAnInsertNamesTheFieldAndTheWay() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample())
        var other = School.sample()
        other.id = "other"
        other.pupils[1].age += 1
        let error = await #expect(throws: RecordDatabaseError.self) { try await memory.values.insert(other) }
        #expect(error?.code == .conflict && error?.context.field == "age")
        #expect(error?.context.chain.map(\.path) == ["pupils[1]", ""])
        #expect(error?.description.hasPrefix("record Pupil/bo already exists (version ") == true)
        #expect(
            error?.description.hasSuffix(
                ", and the field 'age' differs (School/other .pupils[1] → Pupil/bo); fetch the value, "
                    + "change it and save it, or use 'overwrite' to replace any version") == true)
    }

    @Test func memberInAnotherUnicodeSpellingIsKept() async throws {
        struct Marks: RecordCodable, Identifiable {
            var id: Int
            var values: [String: Int]
        }
        let memory = InMemoryRecordDatabase()
        var marks = try await memory.values.insert(Marks(id: 1, values: ["\u{E9}": 1, "a": 1]))
        marks.values["\u{E9}"] = nil
        marks.values["e\u{301}"] = 2
        try await memory.values.save(&marks)
        #expect(marks.values == ["\u{E9}": 2, "a": 1])
        guard case .map(let stored)? = try await memory.fetch("Marks/1")["values"] else {
            Issue.record("the values are no map")
            return
        }
        #expect(stored.map { Array($0.name.unicodeScalars) }.contains(["e", "\u{301}"]))
    }

    @Test func unchangedValueMakesNoCall() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample())
        let database = CountingDatabase(memory)
        var school = try await database.values.fetch(School.self, named: "hilltop")
        database.forgetCalls()
        try await database.values.save(&school)
        #expect(database.modifications.isEmpty && database.calls.isEmpty)
    }

    @Test func recordThatAnotherWriterChangedIsAConflict() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample())
        var school = try await memory.values.fetch(School.self, named: "hilltop")
        try await memory.set("age", of: "Pupil/ann", to: 11)
        school.pupils[0].age = 8
        school.name = "Hill"
        let error = await #expect(throws: RecordDatabaseError.self) { try await memory.values.save(&school) }
        #expect(error?.code == .conflict && error?.clientRecord?["age"] == 8 && error?.serverRecord?["age"] == 11)
        #expect(try await memory.fetch("School/hilltop")["name"] == "Hilltop")
        #expect(school.name == "Hill" && school.pupils[0].age == 8)
    }

    @Test func recordThatAnotherWriterDeletedIsUnknown() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample())
        var school = try await memory.values.fetch(School.self, named: "hilltop")
        try await memory.delete([Record.ID("Pupil/ann")], .dangling)
        school.pupils[0].age = 8
        let error = await #expect(throws: RecordDatabaseError.self) { try await memory.values.save(&school) }
        #expect(error?.code == .unknownRecord && error?.recordID?.description == "Pupil/ann")
    }

    @Test func fieldsThatTheTypeDoesNotHaveStay() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample())
        try await memory.set("colour", of: "School/hilltop", to: "red")
        var school = try await memory.values.fetch(School.self, named: "hilltop")
        school.visits = 3
        try await memory.values.save(&school)
        let record = try await memory.fetch("School/hilltop")
        #expect(record["colour"] == "red")
        #expect(record["visits"] == 3)
    }

    @Test func fieldwiseMergeTakesBothChanges() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample())
        var school = try await memory.values.fetch(School.self, named: "hilltop")
        try await memory.set("motto", of: "School/hilltop", to: "Theirs")
        school.name = "Hill"
        try await memory.values.save(&school, merging: { try $0.merged() })
        #expect(school.name == "Hill" && school.motto == "Theirs")
        school.visits = 1
        try await memory.values.save(&school)
        #expect(try await memory.values.fetch(School.self, named: "hilltop").value == school.value)
    }

    @Test func fieldwiseMergeRefusesAFieldThatBothChanged() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample())
        var school = try await memory.values.fetch(School.self, named: "hilltop")
        try await memory.set("name", of: "School/hilltop", to: "Theirs")
        school.name = "Ours"
        let error = await #expect(throws: RecordError.self) {
            try await memory.values.save(&school, merging: { try $0.merged() })
        }
        #expect(error?.code == .contestedField && error?.field == "name")
        #expect(try await memory.fetch("School/hilltop")["name"] == "Theirs")
    }

    @Test func closureIsAskedForEveryRecordInConflict() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample())
        var school = try await memory.values.fetch(School.self, named: "hilltop")
        for id in ["Pupil/ann", "Pupil/bo"] { try await memory.set("age", of: id, to: 11) }
        school.pupils[0].age = 8
        school.pupils[1].age = 9
        let asked = Locked<[String]>([])
        let merge: (SaveConflict) throws -> Record = { conflict in
            asked.withLock { $0.append("\(conflict.client.id) from \(conflict.ancestor?["age"] ?? .null)") }
            return conflict.merged { $0.client }
        }
        try await memory.values.save(&school, merging: merge)
        #expect(asked.withLock { $0 }.sorted() == ["Pupil/ann from 7", "Pupil/bo from 7"])
        #expect(school.pupils.map(\.age) == [8, 9])
        #expect(try await memory.values.fetch(School.self, named: "hilltop").value == school.value)
    }

    private struct Home: RecordCodable, Identifiable, Equatable {
        var id: String
        var street = ""
    }

    private struct FormerTenant: RecordCodable, Identifiable {
        var id: Int
        var home: RecordLink<Home>
        static let recordType = "Tenant"
    }

    private struct Tenant: RecordCodable, Identifiable {
        var id: Int
        var home: Home
    }

    @Test func valuesWithRecordsThatAreStoredAsLinksAreSavedAlone() async throws {
        let memory = InMemoryRecordDatabase()
        try await memory.values.insert([Home(id: "a"), Home(id: "b")])
        try await memory.values.insert([
            FormerTenant(id: 1, home: try RecordLink(named: "a")),
            FormerTenant(id: 2, home: try RecordLink(named: "b")),
        ])
        var tenants = try await memory.values.fetch(Tenant.self, named: [1, 2])
        tenants[1].home.street = "Lane"
        try await memory.values.save(&tenants[1])
        #expect(try await memory.values.fetch(Home.self, named: "b").street == "Lane")
        #expect(try tenants[0].changes().isEmpty)
    }

    @Test func severalSavesFollowEachOther() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample())
        var school = try await memory.values.fetch(School.self, named: "hilltop")
        for age in 1...3 {
            school.pupils[0].age = age
            school.visits = age
            try await memory.values.save(&school)
        }
        #expect(try await memory.fetch("Pupil/ann")["age"] == 3)
        #expect(school.metadata == (try await memory.fetch("School/hilltop")).metadata)
    }

    @Test func newRecordThatIsThereWithTheSameContentIsLeftAsItIs() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample())
        try await memory.values.overwrite(Pupil(id: "cy"))
        try await memory.set("colour", of: "Pupil/cy", to: "red")
        let before = try await memory.fetch("Pupil/cy")
        var school = try await memory.values.fetch(School.self, named: "hilltop")
        school.pupils.append(Pupil(id: "cy"))
        try await memory.values.save(&school)
        #expect(try await memory.fetch("Pupil/cy") == before)
        #expect(school.pupils.map(\.id) == ["ann", "bo", "cy"])
        #expect(school.changeTags[before.id] == before.metadata?.changeTag)
    }

    @Test func newRecordThatIsThereWithOtherContentIsAConflict() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample())
        try await memory.values.overwrite(Pupil(id: "cy", age: 9))
        var school = try await memory.values.fetch(School.self, named: "hilltop")
        school.pupils.append(Pupil(id: "cy", age: 7))
        let error = await #expect(throws: RecordDatabaseError.self) { try await memory.values.save(&school) }
        #expect(error?.code == .conflict && error?.recordID?.description == "Pupil/cy")
        #expect(try await memory.fetch("Pupil/cy")["age"] == 9)
    }

    @Test func anotherIdentityIsRefused() async throws {
        let (memory, graph) = try await InMemoryRecordDatabase.holding(Pupil(id: "ann"))
        var pupil = try await memory.values.fetch(Pupil.self, named: "ann")
        pupil.value.id = "bo"
        let error = await #expect(throws: RecordError.self) { try await memory.values.save(&pupil) }
        #expect(error?.code == .identityChanged && error?.recordID == graph.roots[0])
        #expect(try await memory.texts == ["Pupil/ann"])
    }

    @Test func changesOfObjectsAreFound() async throws {
        let memory = InMemoryRecordDatabase()
        try await memory.values.overwrite(Station(1, next: Station(2)))
        let database = CountingDatabase(memory)
        var station = try await database.values.fetch(Station.self, named: 1)
        station.next?.name = "Terminus"
        try await database.values.save(&station)
        #expect(database.modifications.map(\.texts) == [["Station/2"]])
        #expect(station.next?.name == "Terminus")
    }

    @Test func removedRecordsAreDeletedOnRequest() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample())
        var school = try await memory.values.fetch(School.self, named: "hilltop")
        school.pupils.removeLast()
        try await memory.values.save(&school, deletesRemovedRecords: true)
        #expect(try await memory.texts == ["Pupil/ann", "Pupil/dee", "School/hilltop"])
    }

    @Test func interruptedSaveCanBeRepeated() async throws {
        struct Broken: Error {}
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample(), batchLimit: 1)
        let database = CountingDatabase(memory) { number in
            if number == 2 { throw Broken() }
        }
        var school = try await database.values.fetch(School.self, named: "hilltop")
        school.pupils[0].age = 1
        school.visits = 5
        let error = await #expect(throws: RecordDatabaseError.self) { try await database.values.save(&school) }
        #expect(error?.code == .partiallySaved)
        try await database.values.save(&school)
        #expect(database.modifications.map(\.texts) == [["Pupil/ann"], ["School/hilltop"], ["School/hilltop"]])
        #expect(try await memory.values.fetch(School.self, named: "hilltop").value == school.value)
    }

    @Test func removalsOfAnInterruptedSaveAreMadeByTheNextOne() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample(), batchLimit: 1)
        let database = CountingDatabase(memory) { number in if number == 2 { throw Malfunction() } }
        var school = try await database.values.fetch(School.self, named: "hilltop")
        school.pupils = []
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await database.values.save(&school, deletesRemovedRecords: true)
        }
        #expect(error?.code == .partiallySaved)
        // A pupil that is part of the value again stays.
        school.pupils = [Pupil(id: "ann")]
        try await database.values.save(&school, deletesRemovedRecords: true)
        #expect(try await memory.texts == ["Pupil/ann", "Pupil/dee", "School/hilltop"])
        school.visits = 1
        try await database.values.save(&school, deletesRemovedRecords: true)
        #expect(database.modifications.last?.texts == ["School/hilltop"])
    }

    @Test func removalsOfAnInterruptedSaveAreNotMadeUnasked() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample(), batchLimit: 1)
        let database = CountingDatabase(memory) { number in if number == 2 { throw Malfunction() } }
        var school = try await database.values.fetch(School.self, named: "hilltop")
        school.pupils = []
        _ = await #expect(throws: RecordDatabaseError.self) {
            try await database.values.save(&school, deletesRemovedRecords: true)
        }
        try await database.values.save(&school)
        #expect(try await memory.texts.contains("Pupil/ann"))
        try await database.values.save(&school, deletesRemovedRecords: true)
        #expect(try await memory.texts == ["Pupil/dee", "School/hilltop"])
    }

    @Test func propertyThatIsNilInAValueThatIsPutBackIsCleared() async throws {
        let memory = InMemoryRecordDatabase()
        try await memory.values.insert(Shelf(id: "a", books: [Book(id: 1, subtitle: "Old"), Book(id: 2)]))
        try await memory.set("colour", of: "Book/1", to: "red")
        var shelf = try await memory.values.fetch(Shelf.self, named: "a")
        let book = shelf.books.removeFirst()
        try await memory.values.save(&shelf)
        shelf.books.append(Book(id: book.id, subtitle: nil))
        try await memory.values.save(&shelf)
        #expect(shelf.books.last?.subtitle == nil)
        #expect(try await memory.fetch("Book/1")["subtitle"] == nil)
        #expect(try await memory.fetch("Book/1")["colour"] == "red")
    }

    @Test func valueThatWasChangedByOthersWhileItWasTakenOutIsAConflict() async throws {
        let memory = InMemoryRecordDatabase()
        try await memory.values.insert(Shelf(id: "a", books: [Book(id: 1, subtitle: "Old")]))
        var shelf = try await memory.values.fetch(Shelf.self, named: "a")
        shelf.books = []
        try await memory.values.save(&shelf)
        try await memory.set("subtitle", of: "Book/1", to: "Theirs")
        shelf.books = [Book(id: 1, subtitle: nil)]
        let error = await #expect(throws: RecordDatabaseError.self) { try await memory.values.save(&shelf) }
        #expect(error?.code == .conflict)
        #expect(try await memory.fetch("Book/1")["subtitle"] == "Theirs")
    }

    @Test func valuesAreFetchedTogetherAndSavedAlone() async throws {
        let memory = InMemoryRecordDatabase()
        try await memory.values.overwrite([
            School.sample(), School(id: "dale", pupils: [Pupil(id: "ann"), Pupil(id: "eve")]),
        ])
        let ids = try ["School/hilltop", "School/dale"].map { try Record.ID($0) }
        var schools = try await memory.values.fetch(ids.map { RecordLink<School>(to: $0) })
        #expect(
            schools.map { $0.changeTags.keys.map(\.name).sorted() } == [
                ["ann", "bo", "dee", "hilltop"], ["ann", "dale", "eve"],
            ])
        schools[1].name = "Dale"
        schools[1].pupils[1].age = 3
        try await memory.values.save(&schools[1])
        #expect(try await memory.values.fetch(School.self, named: "dale").value == schools[1].value)
        #expect(try await memory.values.fetch(School.self, named: "hilltop").value == School.sample())
    }

    @Test func absentValueIsNilWhereThatIsAskedFor() async throws {
        let memory = InMemoryRecordDatabase()
        #expect(try await memory.values.fetchIfPresent(School.self, named: "hilltop") == nil)
        await #expect(throws: RecordError.self) { try await memory.values.fetch(School.self, named: "hilltop") }
    }
}

@Suite struct StoredVersionTests {
    @Test func entityTagChangesWithEveryRecordOfTheValueAndWithNoOther() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample())
        try await memory.values.overwrite(Pupil(id: "eve"))
        func tag() async throws -> String { try await memory.values.fetch(School.self, named: "hilltop").entityTag }
        var seen: Set<String> = [try await tag()]
        #expect(try await tag() == seen.first)
        try await memory.set("age", of: "Pupil/eve", to: 1)
        #expect(try await tag() == seen.first)
        for id in ["Pupil/ann", "Pupil/dee", "School/hilltop"] {
            try await memory.set("age", of: id, to: 1)
            #expect(seen.insert(try await tag()).inserted)
        }
        #expect(seen.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) })
    }

    @Test func entityTagIsTheSameTogetherWithOthersAndAlone() async throws {
        let memory = InMemoryRecordDatabase()
        try await memory.values.overwrite([School.sample(), School(id: "dale", pupils: [Pupil(id: "ann")])])
        let ids = try ["School/hilltop", "School/dale"].map { try Record.ID($0) }
        let together = try await memory.values.fetch(ids.map { RecordLink<School>(to: $0) }).map(\.entityTag)
        var alone: [String] = []
        for id in ids { alone.append(try await memory.values.fetch(RecordLink<School>(to: id)).entityTag) }
        #expect(together == alone)
    }

    /// Reads its target as a reference alone.
    struct Visit: RecordCodable, Identifiable {
        var id: Int
        var school: Record.Reference
    }

    @Test func recordsThatAreFetchedAndNotReadDoNotCount() async throws {
        let memory = InMemoryRecordDatabase()
        try await memory.values.overwrite(School.sample())
        let visit = try Flat.record("Visit/1", ["id": 1, "school": try Flat.reference("School/hilltop")])
        _ = try await memory.commit(RecordBatch(saving: [visit], savePolicy: .overwrite))
        for _ in 1...2 {
            let stored = try await memory.values.fetch(Visit.self, named: 1)
            #expect(stored.changeTags.keys.map(\.description) == ["Visit/1"])
        }
    }

    @Test func savedValueHasTheTagsThatTheDatabaseHas() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample())
        var school = try await memory.values.fetch(School.self, named: "hilltop")
        for isRemoval in [false, true] {
            school.pupils[0].age += 1
            if isRemoval { school.pupils.removeLast() } else { school.pupils.append(Pupil(id: "eve")) }
            try await memory.values.save(&school)
            let fetched = try await memory.values.fetch(School.self, named: "hilltop")
            #expect(school.changeTags == fetched.changeTags && school.entityTag == fetched.entityTag)
            #expect(school.metadata == fetched.metadata)
        }
    }

    @Test func removedRecordThatComesBackKeepsItsOtherFields() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample())
        try await memory.set("colour", of: "Pupil/bo", to: "red")
        var school = try await memory.values.fetch(School.self, named: "hilltop")
        let pupils = school.pupils
        school.pupils.removeLast()
        try await memory.values.save(&school)
        school.pupils = pupils
        try await memory.values.save(&school)
        #expect(try await memory.fetch("Pupil/bo")["colour"] == "red")
    }

    @Test(arguments: [false, true])
    func deletedRecordComesBackAsANewOne(isDeletedByAnotherWriterFirst: Bool) async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample())
        var school = try await memory.values.fetch(School.self, named: "hilltop")
        let pupils = school.pupils
        school.pupils.removeLast()
        if isDeletedByAnotherWriterFirst { try await memory.delete([Record.ID("Pupil/bo")], .dangling) }
        try await memory.values.save(&school, deletesRemovedRecords: true)
        school.pupils = pupils
        try await memory.values.save(&school)
        #expect(try await memory.values.fetch(School.self, named: "hilltop").value == school.value)
    }

    @Test func recordOfAnotherFetchedValueKeepsItsOtherFields() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample())
        try await memory.values.insert(School(id: "dale", pupils: [Pupil(id: "eve")]))
        try await memory.set("colour", of: "Pupil/eve", to: "red")
        let ids = try ["School/hilltop", "School/dale"].map { try Record.ID($0) }
        var schools = try await memory.values.fetch(ids.map { RecordLink<School>(to: $0) })
        schools[0].pupils.append(schools[1].pupils[0])
        try await memory.values.save(&schools[0])
        #expect(try await memory.fetch("Pupil/eve")["colour"] == "red")
        schools[0].pupils[2].age = 9
        try await memory.values.save(&schools[0])
        #expect(try await memory.fetch("Pupil/eve")["colour"] == "red")
    }

    @Test func repeatedSaveDoesNotUndoWhatAnInterruptedOneHasMerged() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample(), batchLimit: 1)
        // The first call is in conflict, the second one saves the merged pupil.
        let database = CountingDatabase(memory) { number in if number == 3 { throw Malfunction() } }
        var school = try await database.values.fetch(School.self, named: "hilltop")
        try await memory.set("age", of: "Pupil/ann", to: 11)
        try await memory.set("colour", of: "Pupil/ann", to: "red")
        school.pupils[0].age = 8
        school.name = "Hill"
        let merge: (SaveConflict) throws -> Record = { conflict in conflict.merged { $0.server } }
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await database.values.save(&school, merging: merge)
        }
        #expect(error?.code == .partiallySaved)
        let again = await #expect(throws: RecordDatabaseError.self) { try await database.values.save(&school) }
        #expect(again?.code == .conflict)
        #expect(try await memory.fetch("Pupil/ann")["age"] == 11)
        try await database.values.save(&school, merging: merge)
        #expect(try await memory.fetch("Pupil/ann")["age"] == 11)
        #expect(try await memory.fetch("School/hilltop")["name"] == "Hill")
    }

    @Test func membersOfAnEmbeddedValueThatTheTypeDoesNotHaveStay() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample())
        try await memory.set(
            "address", of: "School/hilltop", to: .map(["street": "Hill Road", "number": 1, "door": "green"]))
        var school = try await memory.values.fetch(School.self, named: "hilltop")
        school.address?.street = "Lake Road"
        school.address?.number = nil
        try await memory.values.save(&school)
        #expect(try await memory.fetch("School/hilltop")["address"] == .map(["street": "Lake Road", "door": "green"]))
        school.address = nil
        try await memory.values.save(&school)
        #expect(try await memory.fetch("School/hilltop")["address"] == nil)
    }

    @Test func newRecordThatIsThereWithFurtherReferencesIsRead() async throws {
        let memory = InMemoryRecordDatabase()
        try await memory.values.insert(Station(1))
        try await memory.values.insert(Station(2, next: Station(3)))
        var station = try await memory.values.fetch(Station.self, named: 1)
        station.value.next = Station(2)
        try await memory.values.save(&station)
        #expect(station.next?.next?.id == 3)
        let inserted = try await memory.values.insert(Station(0, next: Station(2)))
        #expect(inserted.next?.next?.id == 3)
    }
}

@Suite struct InsertTests {
    struct Note: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String? = nil
        var text: String
        @ServerTimestamp var saved: Foundation.Date?
        var version: Record.Metadata?
    }

    @Test func insertRefusesExistingRecords() async throws {
        let memory = InMemoryRecordDatabase()
        try await memory.values.insert(Pupil(id: "ann", age: 8))
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await memory.values.insert(Pupil(id: "ann", age: 8))
        }
        #expect(error?.code == .conflict)
        let loaded = try await memory.values.fetch(Pupil.self, named: "ann").value
        await #expect(throws: RecordDatabaseError.self) { try await memory.values.insert(loaded) }
    }

    @Test func nestedRecordThatIsThereMustHaveTheSameContent() async throws {
        let memory = InMemoryRecordDatabase()
        try await memory.values.overwrite([Pupil(id: "ann"), Pupil(id: "bo", age: 2)])
        let ann = try await memory.fetch("Pupil/ann")
        let error = await #expect(throws: RecordDatabaseError.self) { try await memory.values.insert(School.sample()) }
        #expect(error?.code == .conflict && error?.recordID?.description == "Pupil/bo")
        #expect(try await memory.texts == ["Pupil/ann", "Pupil/bo"])
        var school = School.sample()
        school.pupils[1].age = 2
        let stored = try await memory.values.insert(school)
        #expect(stored.value == school)
        #expect(try await memory.fetch("Pupil/ann") == ann)
    }

    @Test func insertedValueCanBeChangedAndSaved() async throws {
        let memory = InMemoryRecordDatabase()
        var note = try await memory.values.insert(Note(text: "a"))
        #expect(note.value.id == note.recordID.name && note.version == note.metadata)
        #expect(note.saved == note.metadata?.modificationDate)
        note.text = "b"
        try await memory.values.save(&note)
        #expect(note.version == note.metadata)
        #expect(try await memory.values.fetch(RecordLink<Note>(to: note.recordID)).value == note.value)
    }
}
