#if SQLite
import Foundation
@testable import NestedRecords
import NestedRecordsTesting
import TestSupport
import Testing

@testable import NestedRecordsSQLite

@Suite struct SQLiteDatabaseTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ change: (inout SQLiteRecordDatabase.Options) -> Void = { _ in }) throws
        -> SQLiteRecordDatabase
    {
        var options = SQLiteRecordDatabase.Options()
        change(&options)
        return try SQLiteRecordDatabase(path: folder.path("test.sqlite"), options: options)
    }

    @Test(arguments: RecordDatabaseContract.requirements)
    func contractHolds(_ requirement: RecordDatabaseRequirement) async throws {
        for indexes in [
            [], ["A", "Sample", "Book"].flatMap { [FieldIndex($0, by: "a"), FieldIndex($0, by: "text")] },
        ] {
            let folder = try TemporaryFolder()
            var options = SQLiteRecordDatabase.Options()
            options.indexes = indexes
            options.durability = .relaxed
            options.maximumDeletionCount = 50
            let open = { @Sendable [options] in try SQLiteRecordDatabase(path: folder.path(), options: options) }
            try await requirement.check(
                try open(),
                reopening: { database in
                    try await database.close()
                    return try open()
                }, forgettingDeletions: { try await $0.crowdOutDeletions() })
            let database = try open()
            #expect(try await database.verify().isEmpty)
            try await database.close()
        }
    }

    @Test func recordsAreThereAfterOpeningAgain() async throws {
        var expected: [Record.ID: Record] = [:]
        for round in 1...4 {
            let database = try open { $0.isReadOnly = round == 4 }
            #expect(try await database.allRecords == expected)
            if round == 4 {
                // A reader that is closed last cannot remove the files beside it.
                try await database.close()
                break
            }
            let records = try (0..<50).map {
                try Flat.record("Type\($0 % 3)/\($0 % (round * 10))é", ["round": .int(Int64(round))])
            }
            _ = try await database.save(RecordGraph(Set(records)), savePolicy: .overwrite)
            try await database.delete([Record.ID("Type1/1é")], .dangling)
            expected = try await database.allRecords
            if round > 1 { try await database.close() }
        }
        #expect(!expected.isEmpty)
        try await open().close()
        // The first database above is closed when it is released, which may be later.
        try await waitUntil("the last one to close the file leaves nothing beside it") {
            try folder.names == ["test.sqlite"]
        }
    }

    @Test func changeTagsAreNeverUsedAgain() async throws {
        let database = try open()
        let record = try Flat.record("T/1")
        var tags: Set<String> = []
        for _ in 0..<20 {
            let saved = try await database.commit(
                RecordBatch(saving: [record, try Flat.record("T/2")], savePolicy: .overwrite))
            tags.formUnion(saved.values.map(\.changeTag))
            try await database.commit(RecordBatch(deletingAnyVersionOf: [record.id]))
        }
        #expect(tags.count == 40)
        let copy = folder.path("copy.sqlite")
        try await database.close()
        try FileManager.default.copyItem(atPath: folder.path("test.sqlite"), toPath: copy)
        for path in [copy, folder.path("test.sqlite")] {
            let saved = try await SQLiteRecordDatabase(path: path).commit(
                RecordBatch(saving: [record], savePolicy: .overwrite))
            tags.formUnion(saved.values.map(\.changeTag))
        }
        #expect(tags.count == 42, "two copies that go different ways have different tags")
    }

    @Test func whatOneDatabaseSavesTheOtherReads() async throws {
        let databases = [try open(), try open { $0.indexes = [FieldIndex("T", by: "n")] }, try open()]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<90 {
                group.addTask {
                    let record = try Flat.record("T/\(number)", ["n": .int(Int64(number % 10))])
                    try await databases[number % 3].commit(RecordBatch(saving: [record], savePolicy: .overwrite))
                }
            }
            try await group.waitForAll()
        }
        for database in databases {
            #expect(try await database.count(RecordQuery("T")) == 90)
            let page = try await database.page(RecordQuery("T", where: .compare("n", .equal, 3)))
            #expect(page.records.count == 9 && page.examinedCount == 9, "the index is known to all")
        }
        #expect(try await databases[0].verify().isEmpty)
    }

    @Test func manyOpenANewFileAtTheSameTime() async throws {
        for round in 0..<10 {
            let path = folder.path("new\(round).sqlite")
            let stores = try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<6 {
                    group.addTask {
                        var options = SQLiteRecordDatabase.Options()
                        options.indexes = [FieldIndex("T", by: "n"), FieldIndex("T", by: FieldPath(["\(number)"]))]
                        let database = try SQLiteRecordDatabase(path: path, options: options)
                        try await database.commit(
                            RecordBatch(saving: [try Flat.record("T/\(number)", ["n": 1])], savePolicy: .overwrite))
                        return try await database.changeToken().store
                    }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(stores.count == 1)
            let database = try SQLiteRecordDatabase(path: path)
            #expect(try await database.count(RecordQuery("T", where: .compare("n", .equal, 1))) == 6)
            #expect(try await database.verify().isEmpty)
        }
    }

    @Test func indexesAreAddedAndRemovedOnOpening() async throws {
        let records = try (0..<20).map { try Flat.record("T/\($0)", ["n": .int($0 % 4), "m": "x"]) }
        let plain = try open()
        try await plain.commit(RecordBatch(saving: records, savePolicy: .overwrite))
        let query = RecordQuery("T", where: .compare("n", .equal, 1))
        #expect(try await plain.page(query).examinedCount == 20)

        let (n, m) = (FieldIndex("T", by: "n"), FieldIndex("T", by: "m"))
        let indexed = try open { $0.indexes = [n, m, n, FieldIndex("not a type!", by: "x")] }
        #expect(try await indexed.page(query).examinedCount == 5)
        #expect(
            try await plain.page(query).examinedCount == 5, "a database that is open sees new indexes")
        #expect(try await indexed.verify().isEmpty)

        try await plain.commit(RecordBatch(deletingAnyVersionOf: [records[1].id]))
        let kept = try open()
        #expect(try await kept.page(query).records.map(\.id.name) == ["13", "17", "5", "9"])
        let reduced = try open {
            $0.indexes = [m]
            $0.removesOtherIndexes = true
        }
        try await reduced.prepare()
        for database in [plain, indexed, kept, reduced] {
            let page = try await database.page(query)
            #expect(page.records.count == 4 && page.examinedCount == 19)
        }
        #expect(try await reduced.verify().isEmpty)
    }

    @Test func descriptionIsThePath() throws {
        #expect("\(try open())" == "SQLiteRecordDatabase at \(folder.path("test.sqlite"))")
    }
}
#endif
