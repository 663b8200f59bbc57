import Foundation
import TestSupport
import Testing

@testable import NestedRecords

/// Records of earlier forms are rewritten.
@Suite struct MigrationTests {
    private var migration: RecordMigration {
        var migration = RecordMigration()
        migration.renameType("Student", to: "Pupil")
        migration.renameField("title", to: "name", in: "Pupil")
        migration.setDefault(true, for: "isActive", in: "Pupil")
        return migration
    }

    private func record(_ id: String, _ fields: Record.Fields) throws -> Record {
        try Record(id: Record.ID(id), fields: fields)
    }

    private func reference(_ id: String) throws -> Record.Value { .reference(Record.Reference(to: try Record.ID(id))) }

    /// A school with students, who know each other in a circle, and a book that nobody changes.
    private func database(students: Int) async throws -> InMemoryRecordDatabase {
        let database = InMemoryRecordDatabase()
        var records = try (0..<students).map { number in
            try record(
                "Student/\(number)",
                ["title": .string("s\(number)"), "friend": try reference("Student/\((number + 1) % students)")])
        }
        let all = try (0..<students).map { try reference("Student/\($0)") }
        records.append(try record("School/s", ["students": .list(all), "book": try reference("Book/b")]))
        records.append(try record("Book/b", ["pages": 7]))
        try await database.commit(RecordBatch(saving: records))
        return database
    }

    private func check(_ database: some RecordDatabase, students: Int) async throws {
        #expect(try await database.danglingReferences().isEmpty)
        var count = 0
        for try await record in database.records(ofType: "Pupil") {
            count += 1
            #expect(record["name"] == .string("s\(record.id.name)") && record["title"] == nil)
            #expect(record["isActive"] == true)
        }
        #expect(count == students)
        for try await record in database.records(ofType: nil) {
            #expect(record.id.type != "Student")
            #expect(!record.references.contains { $0.id.type == "Student" })
        }
        #expect(try await database.record(for: Record.ID("School/s"))?.references.count == students + 1)
    }

    @Test(arguments: [Int.max, 1_000, 50, 13, 7, 4, 3, 2, 1])
    func recordsMoveWithAllReferencesToThem(_ batchLimit: Int) async throws {
        let database = CountingDatabase(try await database(students: 10), batchLimit: batchLimit)
        let report = try await database.migrate(migration)
        try await check(database, students: 10)
        #expect(report.examinedCount == 12 && report.movedCount == 10 && report.failures.isEmpty)
        #expect(report.rewrittenCount == 11)
        let again = try await database.migrate(migration)
        #expect(again.rewrittenCount == 0)
    }

    @Test(arguments: [Int.max, 7, 3, 2, 1])
    func noReferenceDanglesAtAnyTime(_ batchLimit: Int) async throws {
        let memory = try await database(students: 6)
        let saves = Locked(0)
        let database = CountingDatabase(
            memory, batchLimit: batchLimit,
            beforeSave: { _ in
                let dangling = try await memory.danglingReferences()
                #expect(dangling.isEmpty)
                saves.withLock { $0 += 1 }
            })
        _ = try await database.migrate(migration)
        #expect(saves.withLock { $0 } > 0)
        try await check(memory, students: 6)
    }

    @Test(arguments: [Int.max, 7, 3, 1])
    func interruptedMigrationGoesOn(_ batchLimit: Int) async throws {
        struct Stop: Error {}
        let memory = try await database(students: 6)
        var stops = 0
        while stops < 200 {
            let left = Locked(2)
            let database = CountingDatabase(
                memory, batchLimit: batchLimit,
                beforeSave: { _ in
                    let mayGoOn = left.withLock { left in
                        left -= 1
                        return left > 0
                    }
                    if !mayGoOn { throw Stop() }
                })
            do {
                let report = try await database.migrate(migration)
                #expect(report.failures.isEmpty)
                break
            } catch is Stop {
                stops += 1
                #expect(try await memory.danglingReferences().isEmpty)
            }
        }
        #expect(stops > 0 || batchLimit == .max)
        try await check(memory, students: 6)
    }

    @Test(arguments: [Int.max, 7, 3, 2, 1])
    func changesOfOthersDuringAMigrationAreKept(_ batchLimit: Int) async throws {
        let memory = try await database(students: 6)
        let database = CountingDatabase(
            memory, batchLimit: batchLimit,
            beforeSave: { number in
                guard number <= 12 else { return }
                // Another writer changes each record once, under the ID that it has then.
                for type in ["Student", "Pupil"] {
                    let id = try Record.ID("\(type)/\(number % 6)")
                    guard var record = try await memory.record(for: id), record["visits"] == nil else { continue }
                    record["visits"] = 1
                    try await memory.commit(RecordBatch(saving: [record]))
                    break
                }
            })
        do {
            try await database.migrate(migration)
        } catch let error as RecordDatabaseError {
            #expect([.conflict, .versionMismatch].contains(error.code))
        }
        var changed: Set<String> = []
        for try await record in memory.records(ofType: nil) where record["visits"] != nil {
            changed.insert(record.id.name)
        }
        #expect(changed.count == min(6, database.modifications.count))
        #expect(try await memory.danglingReferences().isEmpty)
    }

    @Test(arguments: [Int.max, 3, 1]) func referenceThatIsSavedBeforeTheDeletionIsChangedToo(
        _ batchLimit: Int
    ) async throws {
        let memory = try await database(students: 3)
        let saved = Locked(0)
        let database = CountingDatabase(
            memory, batchLimit: batchLimit,
            beforeSave: { _ in
                // The former records are the last ones to be changed before they are deleted.
                guard let record = try await memory.record(for: Record.ID("Student/1")),
                    record.references.allSatisfy({ $0.id.type == "Pupil" }), saved.withLock({ $0 }) < 3
                else { return }
                let number = saved.withLock { count in
                    count += 1
                    return count
                }
                let holder = try Flat.record("Friend/\(number)", ["of": try Flat.reference("Student/1")])
                try await memory.commit(RecordBatch(saving: [holder]))
            })
        let report = try await database.migrate(migration)
        #expect(report.movedCount == 3 && report.rewrittenCount == 7)
        try await check(memory, students: 3)
        #expect(try await memory.fetch("Friend/3").references.map(\.id.type) == ["Pupil"])
    }

    @Test func formerRecordStaysIfReferencesToItAreSavedAgainAndAgain() async throws {
        let memory = try await database(students: 1)
        let database = CountingDatabase(
            memory,
            beforeSave: { number in
                let holder = try Flat.record("Friend/\(number)", ["of": try Flat.reference("Student/0")])
                try await memory.commit(RecordBatch(saving: [holder]))
            })
        let error = await #expect(throws: RecordDatabaseError.self) { try await database.migrate(migration) }
        #expect(error?.code == .stillReferenced)
        #expect(try await memory.record(for: Record.ID("Student/0")) != nil)
        #expect(try await memory.danglingReferences().isEmpty)
        try await memory.migrate(migration)
        try await check(memory, students: 1)
    }

    @Test func changeIsRepeatedWithTheChangeOfAnotherWriter() async throws {
        let memory = InMemoryRecordDatabase()
        try await memory.commit(RecordBatch(saving: [try record("Pupil/1", ["title": "s1"])]))
        let database = CountingDatabase(
            memory,
            beforeSave: { number in
                guard number == 1, var record = try await memory.record(for: Record.ID("Pupil/1")) else { return }
                record["visits"] = 1
                try await memory.commit(RecordBatch(saving: [record]))
            })
        #expect(try await database.migrate(migration).rewrittenCount == 1)
        #expect(try await memory.fetch("Pupil/1").fields == ["name": "s1", "visits": 1, "isActive": true])
    }

    @Test func otherRecordWithTheNewIDIsReportedAndNothingChanges() async throws {
        let memory = try await database(students: 3)
        try await memory.commit(RecordBatch(saving: [try record("Pupil/1", ["name": "another"])]))
        let report = try await memory.migrate(migration)
        #expect(report.failures.map(\.id.description) == ["Student/1"])
        #expect(report.failures[0].reason == "another record Pupil/1 exists: delete one of the two")
        #expect(try await memory.danglingReferences().isEmpty)
        #expect(try await memory.record(for: Record.ID("Student/1"))?["title"] == "s1")
        #expect(try await memory.record(for: Record.ID("Pupil/1"))?["name"] == "another")
        #expect(try await memory.record(for: Record.ID("Student/2"))?["title"] == "s2")
        #expect(report.rewrittenCount == 0 && report.movedCount == 0)
    }

    // MARK: Several records with one new ID

    private var joining: RecordMigration {
        var migration = RecordMigration()
        migration.renameType("A", to: "C")
        migration.renameType("B", to: "C")
        return migration
    }

    @Test(arguments: [Int.max, 7, 2, 1])
    func recordsThatWouldGetOneIDAreReportedAndNothingChanges(_ batchLimit: Int) async throws {
        let memory = InMemoryRecordDatabase()
        try await memory.commit(
            RecordBatch(saving: [
                try record("A/1", ["x": 1]), try record("B/1", ["x": 10]), try record("B/2", ["x": 2]),
                try record("R/1", ["a": try reference("A/1"), "b": try reference("B/2")]),
            ]))
        for isDryRun in [true, false] {
            let report = try await CountingDatabase(memory, batchLimit: batchLimit)
                .migrate(joining, isDryRun: isDryRun)
            #expect(report.movedCount == 0 && report.failures.map(\.id.description).sorted() == ["A/1", "B/1"])
            let reason = "these records would all become C/1, delete or rename all but one: A/1, B/1"
            #expect(report.failures.allSatisfy { $0.reason == reason })
        }
        #expect(try await memory.danglingReferences().isEmpty)
        #expect(try await memory.fetch("A/1").fields == ["x": 1])
        #expect(try await memory.fetch("B/1").fields == ["x": 10])
        #expect(try await memory.fetch("B/2").fields == ["x": 2])
    }

    @Test(arguments: [Int.max, 3, 2, 1])
    func recordsThatReferToThemselvesAndEachOtherMove(_ batchLimit: Int) async throws {
        let memory = InMemoryRecordDatabase()
        let target = try reference("C/1")
        try await memory.commit(
            RecordBatch(saving: try ["C/1", "C/2", "D/2", "D/3"].map { try record($0, ["to": target]) }))
        var migration = RecordMigration()
        migration.renameType("C", to: "D")
        let report = try await CountingDatabase(memory, batchLimit: batchLimit).migrate(migration)
        #expect(report.failures.isEmpty)
        #expect(try await memory.danglingReferences().isEmpty)
        #expect(try await memory.fetch("D/1")["to"] == reference("D/1"))
    }

    /// Random graphs, in which records of several types become one type and the target may be there.
    @Test(arguments: 0..<150)
    func migrationsLoseNothingAndDryRunsSayWhatTheyDo(_ seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let memory = InMemoryRecordDatabase()
        var records: [Record] = []
        for number in 0..<Int.random(in: 1...4, using: &random) {
            for type in ["A", "B", "C", "R"] where Bool.random(using: &random) {
                var fields: Record.Fields = ["origin": .string("\(type)/\(number)")]
                for name in ["p", "q"] where Bool.random(using: &random) {
                    let type = ["A", "B", "C"][Int.random(in: 0..<3, using: &random)]
                    fields[name] = try reference("\(type)/\(Int.random(in: 0..<4, using: &random))")
                }
                records.append(try record("\(type)/\(number)", fields))
            }
        }
        try await memory.commit(RecordBatch(saving: records))
        let missing = Set(try await memory.danglingReferences().map(\.target))
        var migration = joining
        migration.renameField("origin", to: "from", in: "R")
        let limit = [Int.max, 1, 2, 3, 5][Int(seed % 5)]
        let database = CountingDatabase(memory, batchLimit: limit)
        let preview = try await database.migrate(migration, isDryRun: true)
        #expect(database.modifications.isEmpty)
        let report = try await database.migrate(migration)
        var origins: [String] = []
        for try await record in memory.records(ofType: nil) {
            if case .string(let origin)? = record["origin"] ?? record["from"] { origins.append(origin) }
        }
        #expect(origins.sorted() == records.map(\.id.description).sorted())
        #expect(Set(preview.failures.map(\.id)) == Set(report.failures.map(\.id)), "\(preview)\n\(report)")
        #expect(preview.movedCount == report.movedCount)
        #expect(preview.rewrittenCount == report.rewrittenCount, "\(preview)\n\(report)")
        let dangling = Set(try await memory.danglingReferences().map(\.target))
        #expect(dangling.allSatisfy { id in missing.contains { $0.name == id.name } })
    }

    @Test func dryRunSavesNothing() async throws {
        let database = CountingDatabase(try await database(students: 3))
        let report = try await database.migrate(migration, isDryRun: true)
        #expect(database.modifications.isEmpty)
        #expect(report.rewrittenCount == 4 && report.movedCount == 3 && report.isDryRun)
        #expect(
            report.description == "5 records examined, 4 to rewrite (3 with another type), 0 failed")
    }

    @Test func progressIsReported() async throws {
        let database = try await database(students: 20)
        let counts = Locked<[Int]>([])
        let report = try await database.migrate(migration, batchSize: 10) { report in
            counts.withLock { $0.append(report.rewrittenCount) }
        }
        let seen = counts.withLock { $0 }
        #expect(seen.first == 0 && seen.last == report.rewrittenCount && seen == seen.sorted() && seen.count > 3)
    }

    @Test func presentFieldIsNotOverwritten() async throws {
        let memory = InMemoryRecordDatabase()
        let fields: Record.Fields = ["title": "old", "name": "new", "isActive": .null]
        try await memory.commit(RecordBatch(saving: [try record("Pupil/1", fields)]))
        let report = try await memory.migrate(migration)
        #expect(report.rewrittenCount == 0)
        #expect(try await memory.fetch("Pupil/1").fields == fields)
    }

    @Test(arguments: [["A": "B", "B": "A"], ["A": "no type"]])
    func typesThatNoRecordCanHaveAreRefused(_ types: [String: String]) async throws {
        var migration = RecordMigration()
        for (former, type) in types { migration.renameType(former, to: type) }
        let database = InMemoryRecordDatabase()
        let rules = migration
        let error = await #expect(throws: RecordError.self) { _ = try await database.migrate(rules) }
        #expect(error?.code == .invalidID)
    }

    @Test func fieldsThatNoRecordCanHaveAndCirclesOfFieldsAreRefused() async throws {
        let changes: [(key: String, change: (inout RecordMigration) -> Void)] = [
            ("$value", { $0.renameField("x", to: "$value", in: "A") }),
            ("$version", { $0.setDefault(1, for: "$version", in: "A") }), ("", { $0.setDefault(1, for: "", in: "A") }),
            (
                "y",
                {
                    $0.renameField("x", to: "y", in: "A")
                    $0.renameField("y", to: "z", in: "A")
                }
            ),
        ]
        for (key, change) in changes {
            var migration = RecordMigration()
            change(&migration)
            let rules = migration
            let error = await #expect(throws: RecordError.self) {
                _ = try await InMemoryRecordDatabase().migrate(rules)
            }
            #expect(error?.code == .invalidKey && error?.key == key)
        }
    }

    @Test func canceledMigrationEnds() async throws {
        let database = try await database(students: 3)
        let task = Task { [migration] in
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await database.migrate(migration)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await database.record(for: Record.ID("Student/1")) != nil)
    }
}
