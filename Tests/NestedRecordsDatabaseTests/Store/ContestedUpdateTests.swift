import TestSupport
import Testing

@testable import NestedRecords

@Suite struct ContestedUpdateTests {
    @Test func updateStartsAgainFromTheDatabase() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample())
        let database = CountingDatabase(memory) { number in
            if number <= 2 { try await memory.set("visits", of: "School/hilltop", to: .int(Int64(number) * 10)) }
        }
        var seen: [Int] = []
        let school = try await database.values.update(School.self, named: "hilltop") { school in
            seen.append(school.visits)
            school.visits += 1
        }
        #expect(seen == [0, 10, 20])
        #expect(school.visits == 21)
        #expect(try await memory.fetch("School/hilltop")["visits"] == 21)
    }

    @Test(arguments: [(-3, 1), (0, 1), (1, 1), (3, 3)])
    func triesAreBoundedAndTheLastConflictIsThrown(maximumAttempts: Int, tries: Int) async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(Pupil(id: "ann"))
        let database = CountingDatabase(memory) { number in
            try await memory.set("age", of: "Pupil/ann", to: .int(Int64(number) * 10))
        }
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await database.values.update(
                Pupil.self, from: Record.ID("Pupil/ann"), maximumAttempts: maximumAttempts
            ) { $0.age += 1 }
        }
        #expect(error?.code == .conflict)
        #expect(database.modifications.count == tries)
        #expect(error?.clientRecord?["age"] == (tries == 1 ? 8 : .int(Int64(tries) * 10 - 9)))
        #expect(error?.serverRecord?["age"] == .int(Int64(tries) * 10))
    }

    @Test func recordThatAnotherWriterDeletesIsReadAgain() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample())
        let database = CountingDatabase(memory) { number in
            guard number == 1 else { return }
            try await memory.values.update(School.self, named: "hilltop", deletesRemovedRecords: true) {
                $0.pupils.removeLast()
            }
        }
        let school = try await database.values.update(School.self, named: "hilltop") { school in
            for index in school.pupils.indices { school.pupils[index].age = 9 }
        }
        #expect(school.pupils == [Pupil(id: "ann", age: 9)])
        #expect(database.modifications.map(\.texts) == [["Pupil/ann", "Pupil/bo"], ["Pupil/ann"]])
    }

    @Test func rootThatAnotherWriterDeletesIsNotFound() async throws {
        let (memory, graph) = try await InMemoryRecordDatabase.holding(Pupil(id: "ann"))
        let database = CountingDatabase(memory) { _ in try await memory.delete([graph.roots[0]], .dangling) }
        let error = await #expect(throws: RecordError.self) {
            try await database.values.update(Pupil.self, named: "ann") { $0.age += 1 }
        }
        #expect(error?.code == .recordNotFound && error?.recordID == graph.roots[0])
        #expect(try await memory.texts.isEmpty)
    }

    @Test func conflictInALaterBatchIsNotTriedAgain() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample(), batchLimit: 1)
        let database = CountingDatabase(memory) { number in
            if number == 2 { try await memory.set("visits", of: "School/hilltop", to: 9) }
        }
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await database.values.update(School.self, named: "hilltop") { school in
                school.visits += 1
                school.pupils[0].age += 1
            }
        }
        #expect(error?.code == .partiallySaved && (error?.underlyingError as? RecordDatabaseError)?.code == .conflict)
        #expect(error?.savedMetadata.keys.map(\.description) == ["Pupil/ann"])
        #expect(try await memory.fetch("Pupil/ann")["age"] == 8)
        #expect(try await memory.fetch("School/hilltop")["visits"] == 9)
    }

    @Test func absentRootIsNotFound() async throws {
        let id = try Record.ID("Pupil/ann")
        let error = await #expect(throws: RecordError.self) {
            try await InMemoryRecordDatabase().values.update(Pupil.self, named: "ann") { _ in }
        }
        #expect(error?.code == .recordNotFound && error?.recordID == id)
    }

    @Test func anotherIdentityIsRefused() async throws {
        let (memory, graph) = try await InMemoryRecordDatabase.holding(Pupil(id: "ann"))
        let error = await #expect(throws: RecordError.self) {
            try await memory.values.update(Pupil.self, named: "ann") { $0.id = "bo" }
        }
        #expect(error?.code == .identityChanged && error?.recordID == graph.roots[0])
        #expect(try await memory.texts == ["Pupil/ann"])
    }

    @Test func errorsOfTheClosureAndOfTheDatabaseComeThrough() async throws {
        struct Refused: Error {}
        struct Broken: Error {}
        let (memory, _) = try await InMemoryRecordDatabase.holding(Pupil(id: "ann"))
        let database = CountingDatabase(memory) { _ in throw Broken() }
        await #expect(throws: Refused.self) {
            try await database.values.update(Pupil.self, named: "ann") { _ in throw Refused() }
        }
        #expect(database.modifications.isEmpty)
        await #expect(throws: Broken.self) {
            try await database.values.update(Pupil.self, named: "ann") { $0.age += 1 }
        }
        #expect(database.modifications.count == 1)
    }

    @Test func cancellationIsCheckedBetweenAttempts() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(Pupil(id: "ann"))
        let database = CountingDatabase(memory) { _ in
            try await memory.set("age", of: "Pupil/ann", to: 10)
            withUnsafeCurrentTask { $0?.cancel() }
        }
        let task = Task { try await database.values.update(Pupil.self, named: "ann") { $0.age += 1 } }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(database.modifications.count == 1)
        #expect(try await memory.fetch("Pupil/ann")["age"] == 10)
    }
}
