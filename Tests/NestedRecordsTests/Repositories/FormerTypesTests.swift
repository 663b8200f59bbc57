import Foundation
import NestedRecords
import TestSupport
import Testing

/// Records that are stored under a record type that their Swift type had before.
@Suite struct FormerTypesTests {
    private enum Old {
        struct Trainee: RecordCodable, Identifiable {
            var id: String
            var title: String
            static let recordType = "Trainee"
        }

        struct Course: RecordCodable, Identifiable {
            var id: String
            var students: [Trainee]
            var head: RecordLink<Trainee>?
            static let recordType = "Course"
        }
    }

    private struct Learner: RecordCodable, Identifiable, Equatable {
        var id: String
        var name: String
        static let recordType = "Learner"
        static let formerRecordTypes = ["Trainee", "Novice"]
        static let formerFieldNames = ["name": ["title"]]
    }

    private struct Course: RecordCodable, Identifiable {
        var id: String
        var students: [Learner]
        var head: RecordLink<Learner>?
        static let recordType = "Course"
    }

    private func oldDatabase() async throws -> InMemoryRecordDatabase {
        let database = InMemoryRecordDatabase()
        let students = ["ann", "bo"].map { Old.Trainee(id: $0, title: $0.uppercased()) }
        try await database.save(Old.Course(id: "1a", students: students, head: try RecordLink(named: "bo")))
        return database
    }

    private func names(_ database: some RecordDatabase) async throws -> [String] {
        var names: [String] = []
        for try await record in database.records(ofType: nil) { names.append("\(record.id)") }
        return names.sorted()
    }

    // MARK: Reading

    @Test func referencesToFormerTypesAreRead() async throws {
        let database = try await oldDatabase()
        let value = try await database.load(Course.self, named: "1a")
        #expect(value.students == [Learner(id: "ann", name: "ANN"), Learner(id: "bo", name: "BO")])
        #expect(try await value.head?.load(from: database).name == "BO")
    }

    @Test func rootIsReadUnderAFormerType() async throws {
        let database = try await oldDatabase()
        #expect(try await database.load(Learner.self, named: "ann").name == "ANN")
        #expect(try await database.loadIfPresent(Learner.self, named: "ann")?.name == "ANN")
        #expect(try await database.loadIfPresent(Learner.self, named: "cy") == nil)
        let ids = ["bo", "ann"].map { try? Record.ID(type: "Learner", name: $0) }.compactMap { $0 }
        #expect(try await database.load(Learner.self, from: ids).map(\.name) == ["BO", "ANN"])
        let error = await #expect(throws: RecordError.self) { try await database.load(Learner.self, named: "cy") }
        #expect(error?.code == .recordNotFound && error?.recordID?.description == "Learner/cy")
    }

    @Test func eachOfSeveralRootsIsReadUnderAFormerType() async throws {
        let database = try await oldDatabase()
        let ids = try ["bo", "cy"].map { try Record.ID(type: "Learner", name: $0) }
        let results = try await RecordDecoder().decodeEach(Learner.self, from: ids, in: database)
        #expect(try results[0].get().name == "BO")
        #expect(throws: RecordError.self) { try results[1].get() }
    }

    @Test func referenceToThePresentTypeIsReadUnderAFormerOneAndTheOtherWayRound() async throws {
        let database = try await oldDatabase()
        try await database.save(Old.Course(id: "2b", students: []))
        var record = try #require(try await database.record(for: Record.ID("Course/2b")))
        record["students"] = .list([.reference(Record.Reference(to: try Record.ID("Learner/ann")))])
        var moved = try Record(id: Record.ID("Learner/bo"), fields: ["id": "bo", "name": "Bo"])
        moved.metadata = nil
        try await database.commit(RecordBatch(saving: [record, moved], deleting: [Record.ID("Trainee/bo")]))
        #expect(try await database.load(Course.self, named: "2b").students.map(\.name) == ["ANN"])
        #expect(try await database.load(Course.self, named: "1a").students.map(\.name) == ["ANN", "Bo"])
    }

    @Test func missingRecordIsOmittedOnlyIfItIsMissingUnderEachType() async throws {
        let database = try await oldDatabase()
        try await database.delete(Record.ID("Trainee/ann"))
        try await database.commit(
            RecordBatch(
                saving: [Record(id: Record.ID("Learner/bo"), fields: ["id": "bo", "name": "Bo"])],
                deleting: [Record.ID("Trainee/bo")]))
        var decoder = RecordDecoder()
        decoder.danglingReferencePolicy = .omit
        #expect(try await database.load(Course.self, named: "1a", decoder: decoder).students.map(\.name) == ["Bo"])
        let error = await #expect(throws: RecordError.self) { try await database.load(Course.self, named: "1a") }
        #expect(error?.code == .danglingReference)
    }

    @Test func allValuesIncludeThoseOfFormerTypesOnce() async throws {
        let database = try await oldDatabase()
        try await database.commit(
            RecordBatch(saving: [
                Record(id: Record.ID("Learner/ann"), fields: ["id": "ann", "name": "Ann"]),
                Record(id: Record.ID("Novice/ann"), fields: ["id": "ann", "name": "older"]),
                Record(id: Record.ID("Novice/di"), fields: ["id": "di", "name": "Di"]),
            ]))
        var names: [String] = []
        for try await pupil in database.all(Learner.self) { names.append(pupil.name) }
        #expect(names.sorted() == ["Ann", "BO", "Di"])
        #expect(try await database.loadAll(Learner.self).map(\.name).sorted() == ["Ann", "BO", "Di"])
    }

    @Test func unionReadsFormerTypes() async throws {
        struct Club: RecordCodable, Identifiable {
            enum Member: RecordUnion {
                case pupil(Learner)
                static let recordTypes: [any RecordDecodable.Type] = [Learner.self]
                init?(record: any RecordDecodable) {
                    guard let pupil = record as? Learner else { return nil }
                    self = .pupil(pupil)
                }
                var record: any RecordEncodable {
                    switch self {
                    case .pupil(let pupil): pupil
                    }
                }
            }
            var id: String
            var members: [Member]
        }
        let database = try await oldDatabase()
        let members = [Record.Value.reference(Record.Reference(to: try Record.ID("Trainee/ann")))]
        let club = try Record(id: Record.ID("Club/c"), fields: ["id": "c", "members": .list(members)])
        try await database.commit(RecordBatch(saving: [club]))
        let read = try await database.load(Club.self, named: "c").members
        guard case .pupil(let pupil)? = read.first else {
            Issue.record("\(read)")
            return
        }
        #expect(pupil.name == "ANN")
    }

    /// Gives the records their present type after the first fetch.
    private struct MigratedMeanwhile: RecordDatabase {
        let database: InMemoryRecordDatabase

        func records(for ids: [Record.ID]) async throws -> [Record] {
            let found = try await database.records(for: ids)
            _ = try await database.migrate(Learner.self)
            return found
        }

        func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
            try await database.commit(batch)
        }

        func records(ofType type: String?) -> RecordSequence { database.records(ofType: type) }
    }

    @Test func valueIsFoundThatGetsItsPresentTypeMeanwhile() async throws {
        let database = MigratedMeanwhile(database: try await oldDatabase())
        #expect(try await database.loadIfPresent(Learner.self, named: "ann")?.name == "ANN")
        #expect(try await database.load(Learner.self, named: "bo").name == "BO")
    }

    @Test func valuesThatGetTheirPresentTypeMeanwhileAreListedOnce() async throws {
        let database = InMemoryRecordDatabase()
        try await database.save(Old.Trainee(id: "bo", title: "BO"))
        try await database.save(Learner(id: "ann", name: "ANN"))
        var names: [String] = []
        for try await learner in database.all(Learner.self) {
            if names.isEmpty { _ = try await database.migrate(Learner.self) }
            names.append(learner.name)
        }
        #expect(names.sorted() == ["ANN", "BO"])
    }

    // MARK: Saving

    @Test func fetchedValueKeepsTheTypeOfItsRecord() async throws {
        let database = try await oldDatabase()
        var pupil = try await database.fetch(Learner.self, named: "ann")
        #expect(pupil.id.description == "Trainee/ann" && pupil.metadata != nil)
        pupil.name = "Ann"
        try await database.save(&pupil)
        #expect(pupil.name == "Ann" && pupil.id.description == "Trainee/ann")
        #expect(try await names(database) == ["Course/1a", "Trainee/ann", "Trainee/bo"])
        let record = try #require(try await database.record(for: Record.ID("Trainee/ann")))
        #expect(record.fields == ["id": "ann", "name": "Ann"])
        #expect(try await database.load(Course.self, named: "1a").students.map(\.name) == ["Ann", "BO"])
        #expect(try await database.danglingReferences().isEmpty)
    }

    @Test func nestedValuesKeepTheTypesOfTheirRecords() async throws {
        let database = try await oldDatabase()
        var value = try await database.fetch(Course.self, named: "1a")
        value.students[0].name = "Ann"
        value.students.append(Learner(id: "cy", name: "Cy"))
        try await database.save(&value)
        #expect(try await names(database) == ["Course/1a", "Learner/cy", "Trainee/ann", "Trainee/bo"])
        #expect(try await database.load(Course.self, named: "1a").students.map(\.name) == ["Ann", "BO", "Cy"])
        let record = try #require(try await database.record(for: Record.ID("Course/1a")))
        #expect(
            record.references.map(\.id.description) == ["Trainee/ann", "Trainee/bo", "Learner/cy", "Trainee/bo"])
    }

    @Test func updateChangesTheRecordOfAFormerType() async throws {
        let database = try await oldDatabase()
        try await database.update(Learner.self, named: "ann") { $0.name = "Ann" }
        #expect(try await database.record(for: Record.ID("Trainee/ann"))?["name"] == "Ann")
        #expect(try await names(database) == ["Course/1a", "Trainee/ann", "Trainee/bo"])
    }

    @Test func unchangedValueMakesNoCall() async throws {
        let database = CountingDatabase(try await oldDatabase())
        var value = try await database.fetch(Course.self, named: "1a")
        database.forgetCalls()
        try await database.save(&value)
        #expect(database.modifications.isEmpty)
        #expect(try value.changes().isEmpty)
    }

    @Test func newRecordInThePlaceOfAFormerOneIsRefused() async throws {
        let database = try await oldDatabase()
        let before = try await names(database)
        for save in [
            { try await database.insert(Learner(id: "ann", name: "x")) as Any },
            { try await database.save(Learner(id: "ann", name: "x")) },
            { try await database.save([Learner(id: "new", name: "x"), Learner(id: "ann", name: "x")]) },
            { try await database.saveAndFetch(Learner(id: "ann", name: "x")) },
            { try await database.insert(Course(id: "3c", students: [Learner(id: "ann", name: "x")])) },
        ] as [() async throws -> Any] {
            let error = await #expect(throws: RecordDatabaseError.self) { _ = try await save() }
            #expect(error?.code == .notMigrated)
            #expect(
                error?.description
                    == "the record Learner/ann to save is in the database as Trainee/ann, of a former type: "
                    + "migrate the database, or fetch the value, change it and save it")
        }
        #expect(try await names(database) == before)
    }

    @Test func newRecordsAreSavedInBatchesWithTheirConditions() async throws {
        let database = CountingDatabase(try await oldDatabase(), batchLimit: 7)
        let pupils = (0..<10).map { Learner(id: "p\($0)", name: "x") }
        try await database.save(pupils)
        #expect(try await names(database).count == 13)
        #expect(database.modifications.map(\.saved.count) == [2, 2, 2, 2, 2])
    }

    @Test(arguments: [1, 2]) func databaseThatTakesFewRecordsIsAskedBefore(_ batchLimit: Int) async throws {
        let database = CountingDatabase(try await oldDatabase(), batchLimit: batchLimit)
        try await database.save(Learner(id: "new", name: "x"))
        #expect(try await database.record(for: Record.ID("Learner/new")) != nil)
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await database.save(Learner(id: "ann", name: "x"))
        }
        #expect(error?.code == .notMigrated)
    }

    @Test func deletionFindsTheRecordOfAFormerType() async throws {
        let database = try await oldDatabase()
        try await database.delete(Learner.self, named: "ann")
        try await database.delete(Learner(id: "bo", name: ""))
        #expect(try await names(database) == ["Course/1a"])
        let stored = try await oldDatabase().fetch(Learner.self, named: "ann")
        let other = try await oldDatabase()
        try await other.delete(try await other.fetch(Learner.self, named: "ann"))
        #expect(stored.id.description == "Trainee/ann")
        #expect(try await names(other) == ["Course/1a", "Trainee/bo"])
    }
}
