#if SQLite
import Foundation
@testable import NestedRecords
import TestSupport
import Testing

@testable import NestedRecordsSQLite

/// Rows, pages and indexes that are not what was written.
@Suite struct SQLiteDamageTests: SQLiteSuite {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func damagedRecordsAreReported() async throws {
        let database = try open()
        try await database.commit(
            RecordBatch(saving: try (1...3).map { try Flat.record("A/\($0)", ["n": 1]) }, savePolicy: .overwrite))
        try run("UPDATE records SET body = x'FF00' WHERE name = '1'")
        try run("UPDATE records SET body = (SELECT body FROM records WHERE name = '3') WHERE name = '2'")
        for name in ["1", "2"] {
            let failure = await #expect(throws: RecordDatabaseError.self) {
                try await database.record(for: Record.ID("A/\(name)"))
            }
            #expect(failure?.code == .corrupt && failure?.path == path)
        }
        #expect(try await database.record(for: Record.ID("A/3"))?.fields == ["n": 1])
        #expect(try await database.verify().map(\.recordID?.name) == ["1", "2"])
    }

    /// Three records with indexes, of which two cannot be read: one has other bytes, one those of another record.
    private func damagedDatabase() async throws -> SQLiteRecordDatabase {
        let database = try open { $0.indexes = [FieldIndex("A", by: "n")] }
        let fields: Record.Fields = ["n": 1, "r": try Flat.reference("A/x")]
        try await database.commit(
            RecordBatch(saving: try (1...3).map { try Flat.record("A/\($0)", fields) }, savePolicy: .overwrite))
        try run("UPDATE records SET body = x'FF00' WHERE name = '1'")
        try run("UPDATE records SET body = (SELECT body FROM records WHERE name = '3') WHERE name = '2'")
        return database
    }

    @Test func damagedRecordsOfPagesAreErrorsThatNameThem() async throws {
        let database = try open { $0.indexes = [FieldIndex("A", by: "n")] }
        try await database.commit(
            RecordBatch(
                saving: try (1...3).map { try Flat.record("A/\($0)", ["n": .int($0), "text": "abc"]) },
                savePolicy: .overwrite))
        // After the name of the record.
        try run("UPDATE records SET body = substr(body, 1, length(body) - 1) WHERE name = '2'")
        let order = RecordOrder("n", isDescending: true)
        let queries = [
            RecordQuery("A", order: [order], limit: 2), RecordQuery("A", order: [order]), RecordQuery("A"),
            RecordQuery("A", where: .compare("n", .atLeast, 2)),
            RecordQuery("A", where: .compare("text", .equal, "abc"), order: [order], limit: 2),
        ]
        for query in queries {
            let failure = await #expect(throws: RecordDatabaseError.self) { try await database.page(query) }
            #expect(try failure?.code == .corrupt && failure?.recordID == Record.ID("A/2"), "\(query)")
        }
        for field in [nil, "text"] as [FieldPath?] {
            let failure = await #expect(throws: RecordDatabaseError.self) {
                try await database.summaries(of: RecordQuery("A"), field: field, groupedBy: "n")
            }
            #expect(try failure?.code == .corrupt && failure?.recordID == Record.ID("A/2"))
        }
        let first = try await database.page(RecordQuery("A", order: [order], limit: 1))
        #expect(first.records.map(\.id.name) == ["3"])
        // Its rest can be read once the record was replaced.
        try await database.commit(RecordBatch(saving: [try Flat.record("A/2", ["n": 2])], savePolicy: .overwrite))
        #expect(try await database.page(queries[1]).records.map(\.id.name) == ["3", "2", "1"])
    }

    @Test(arguments: [SavePolicy.overwrite])
    func damagedRecordsAreReplaced(_ policy: SavePolicy) async throws {
        let database = try await damagedDatabase()
        let records = try [Flat.record("A/1", ["n": 2]), Flat.record("A/2", ["n": 3, "r": Flat.reference("A/y")])]
        let token = try await database.changeToken()
        let saved = try await database.commit(RecordBatch(saving: records, savePolicy: policy))
        for record in records {
            let stored = try #require(try await database.record(for: record.id))
            #expect(stored.fields == record.fields && stored.metadata == saved[record.id])
        }
        // Nothing of them is left in the indexes.
        #expect(try await database.verify().isEmpty)
        #expect(try await database.changes(since: token, limit: 10).saved.map(\.id.name).sorted() == ["1", "2"])
    }

    @Test func damagedRecordsAreDeleted() async throws {
        let database = try await damagedDatabase()
        let ids = try [Record.ID("A/1"), Record.ID("A/2")]
        let token = try await database.changeToken()
        try await database.commit(RecordBatch(deletingAnyVersionOf: ids))
        #expect(try await database.allRecords.keys.map(\.name) == ["3"])
        #expect(try await database.verify().isEmpty)
        #expect(try await Set(database.changes(since: token, limit: 10).deleted) == Set(ids))
    }

    @Test func conditionsOnDamagedRecordsAreErrorsThatNameThem() async throws {
        let database = try await damagedDatabase()
        let version = RecordBatch.Version.changeTag("t")
        for name in ["1", "2"] {
            let id = try Record.ID("A/\(name)")
            var known = try Flat.record("A/\(name)")
            let metadata = Record.Metadata(changeTag: "t", creationDate: Date(), modificationDate: Date())
            known.metadata = metadata
            var batches = [
                RecordBatch(saving: [known]),
                RecordBatch(saving: [try Flat.record("A/\(name)")], savePolicy: .ifUnchanged),
            ]
            batches.append(RecordBatch())
            batches[2].deletions = [RecordBatch.VersionedID(id, version: version)]
            batches.append(RecordBatch())
            batches[3].conditions = [RecordBatch.VersionedID(id, version: .missing)]
            for var batch in batches {
                let other = try Flat.record("A/other")
                batch.saves.append(other)
                let failure = await #expect(throws: RecordDatabaseError.self) {
                    try await database.commit(batch)
                }
                #expect(failure?.code == .corrupt && failure?.recordID == id, "\(String(describing: failure))")
                #expect(try await database.record(for: other.id) == nil)
            }
        }
    }

    @Test(
        arguments: [
            // With a valid ID, by which the record is deleted or saved.
            ("UPDATE records SET name = '9' WHERE name = '1'", "A/9"),
            ("INSERT INTO types VALUES (100, 'Z', 0); UPDATE records SET type = 100 WHERE name = '1'", "Z/1"),
            ("UPDATE records SET body = (SELECT body FROM records WHERE name = '3') WHERE name = '1'", "A/1"),
            ("UPDATE records SET shape = 77 WHERE name = '1'", "A/1"),
            ("UPDATE records SET body = x'00' WHERE name = '1'", "A/1"),
            ("UPDATE records SET body = 'text' WHERE name = '1'", "A/1"),
            // Without one.
            ("UPDATE records SET name = CAST(name AS BLOB) WHERE name = '1'", nil),
            ("UPDATE records SET name = CAST(x'39FF' AS TEXT) WHERE name = '1'", nil),
            ("UPDATE records SET name = 'a' || char(10) WHERE name = '1'", nil),
            ("INSERT INTO types VALUES (100, 'A/B', 0); UPDATE records SET type = 100 WHERE name = '1'", nil),
        ] as [(String, String?)])
    func aRowThatIsNoneOfItsRecordIsAnErrorThatNamesItAndTheWayOut(_ sql: String, _ id: String?) async throws {
        let index = FieldIndex("A", by: "n")
        for isSaved in [false, true] {
            let database = try open { $0.indexes = [index] }
            let reference = try Flat.reference("A/x")
            let token = try await database.changeToken()
            try await database.commit(
                RecordBatch(
                    saving: try (1...3).map { try Flat.record("A/\($0)", ["n": .int($0), "r": reference]) },
                    savePolicy: .overwrite))
            try run(sql)
            let type = id?.first == "Z" ? "Z" : "A"
            var calls: [(SQLiteRecordDatabase) async throws -> Void] = [
                { database in
                    var count = 0
                    for try await _ in database.records(ofType: nil) {
                        count += 1
                        try #require(count <= 3, "a list does not end")
                    }
                },
                { _ = try await $0.changes(since: token, limit: 10) },
            ]
            // These do not read bodies.
            if id == nil { calls.append { _ = try await $0.referrers(of: [Record.ID("A/x")]) } }
            if id != nil || !sql.contains("SET type") {
                calls += [
                    { for try await _ in $0.records(ofType: type) {} },
                    { _ = try await $0.page(RecordQuery(type)) },
                    { _ = try await $0.page(RecordQuery(type, where: .compare("r", .notEqual, 1))) },
                ]
            }
            if !sql.contains("SET type") {
                let path = path
                calls += [
                    { _ = try await $0.page(RecordQuery("A", where: .compare("n", .atLeast, 1))) },
                    { _ = try await $0.page(RecordQuery("A", order: [RecordOrder("n", isDescending: true)])) },
                    { _ in
                        var options = SQLiteRecordDatabase.Options()
                        options.indexes = [index, FieldIndex("A", by: "r")]
                        try await SQLiteRecordDatabase(path: path, options: options).prepare()
                    },
                ]
            }
            if sql.contains("'text'") {
                // These look at the bytes alone.
                calls += [
                    { _ = try await $0.danglingReferences() },
                    { _ = try await $0.count(RecordQuery("A", where: .compare("r", .notEqual, 1))) },
                ]
            }
            let way =
                id == nil
                ? "remove the row with the SQL statements:" : "delete the record with a RecordBatch, or overwrite it"
            var statements = ""
            for (number, call) in calls.enumerated() {
                let failure = await #expect(throws: RecordDatabaseError.self, "call \(number)") {
                    try await call(database)
                }
                #expect(failure?.code == .corrupt && failure?.hint != nil, "call \(number)")
                #expect(failure?.recordID?.description == id, "call \(number)")
                let text = try #require(failure).description
                #expect(text.contains((id.map { " (record \($0))" } ?? "") + ": row 1: "), "\(text)")
                statements = String(text[(try #require(text.range(of: way))).upperBound...])
            }
            let problems = try await database.verify()
            #expect(problems.map(\.recordID?.description) == [id] && problems.first?.description.contains(way) == true)
            // The way out leads out.
            if let id = try id.map(Record.ID.init) {
                let saved = isSaved ? [try Record(id: id, fields: ["n": 7])] : []
                try await database.commit(
                    RecordBatch(saving: saved, deletingAnyVersionOf: isSaved ? [] : [id], savePolicy: .overwrite))
            } else {
                try run(statements)
            }
            #expect(try await database.verify().isEmpty)
            #expect(try await database.allRecords.count == (id == nil || !isSaved ? 2 : 3))
            for call in calls { try await call(database) }
            try await database.close()
            for name in try folder.names { try FileManager.default.removeItem(atPath: folder.path(name)) }
        }
    }

    @Test func everyDamagedRowIsFound() async throws {
        let database = try open()
        let token = try await database.changeToken()
        try await database.commit(
            RecordBatch(saving: try (1...6).map { try Flat.record("A/\($0)") }, savePolicy: .overwrite))
        try await database.commit(RecordBatch(deletingAnyVersionOf: [try Record.ID("A/6")]))
        try run(
            """
            UPDATE records SET body = x'00' WHERE name = '1'; UPDATE records SET name = '9' WHERE name = '3';
            UPDATE records SET name = '' WHERE name = '4'; UPDATE records SET type = '' WHERE name = '6'
            """)
        let problems = try await database.verify()
        #expect(problems.map(\.recordID?.name) == ["1", "9", nil, nil])
        for (problem, row) in zip(problems, [1, 3, 4, 6]) { #expect(problem.description.contains(": row \(row): ")) }
        try await database.commit(
            RecordBatch(
                saving: [try Flat.record("A/1")], deletingAnyVersionOf: [try Record.ID("A/9")], savePolicy: .overwrite))
        for problem in problems[2...] {
            let hint = try #require(problem.hint)
            let way = try #require(hint.range(of: "the SQL statements:"))
            try run(String(hint[way.upperBound...]))
        }
        #expect(try await database.verify().isEmpty)
        #expect(try await database.allRecords.keys.map(\.name).sorted() == ["1", "2", "5"])
        // A deletion that was removed from the history is not among the changes; all others are.
        let changes = try await database.changes(since: token, limit: 10)
        #expect(changes.saved.map(\.id.name).sorted() == ["1", "2", "5"] && changes.deleted.map(\.name) == ["9"])
    }

    @Test func indexesThatDisagreeWithRecordsAreReported() async throws {
        let database = try open { $0.indexes = [FieldIndex("A", by: "n")] }
        try await database.commit(
            RecordBatch(saving: [try Flat.record("A/1", ["n": 1, "r": Flat.reference("A/2")])], savePolicy: .overwrite))
        try run("UPDATE entries SET key = x'30'")
        #expect(
            try await database.verify().map(\.description)
                == ["the file \(path) is damaged (record A/1): it is not in the index A by n"])
        try run("UPDATE entries SET key = CAST('3bff00000000000008000' AS BLOB); DELETE FROM record_references")
        #expect(
            try await database.verify().map(\.reason) == ["its reference to A/2 is not in the index of references"])
        try run("INSERT INTO record_references VALUES (2, 1, 0, 1, NULL), (3, 1, 0, 1, NULL)")
        #expect(try await database.verify().map(\.reason) == ["record_references has 2 rows instead of 1"])
    }

    @Test(arguments: [
        "UPDATE batches SET number = 9223372036854775807 WHERE number = 1", "DELETE FROM batches",
        "DELETE FROM batches; INSERT INTO batches VALUES (-5, 0, 0)",
        "UPDATE state SET deletion_count = 9223372036854775807", "DELETE FROM state",
        "INSERT INTO records(number, type, name) VALUES (9223372036854775807, 1, 'x')",
    ]) func uncountedNumbersAreReported(_ sql: String) async throws {
        let database = try open()
        let record = try Flat.record("A/1")
        try await database.commit(RecordBatch(saving: [record], savePolicy: .overwrite))
        #expect(try await database.allRecords.count == 1)
        try run(sql)
        let failure = await #expect(throws: RecordDatabaseError.self) {
            try await database.commit(RecordBatch(deletingAnyVersionOf: [record.id]))
        }
        #expect(failure?.code == .corrupt)
        #expect(try await database.allRecords.count == 1)
    }

    @Test func recordWithoutItsBatchIsNotMissing() async throws {
        let database = try open()
        let records = [try Flat.record("A/1"), try Flat.record("A/2")]
        try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
        try run("DELETE FROM batches; INSERT INTO batches VALUES (2, 1, 0)")
        var batch = RecordBatch(saving: [try Flat.record("A/3")], savePolicy: .overwrite)
        batch.conditions = [RecordBatch.VersionedID(records[0].id, version: .missing)]
        let reopened = try open()
        let failure = await #expect(throws: RecordDatabaseError.self) { try await reopened.commit(batch) }
        #expect(failure?.code == .corrupt && failure?.recordID == records[0].id, "\(String(describing: failure))")
    }

    @Test func damagedPagesAreReported() async throws {
        let database = try open()
        try await database.commit(
            RecordBatch(saving: try (1...2_000).map { try Flat.record("A/\($0)", ["n": 1]) }, savePolicy: .overwrite))
        try await database.close()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for offset in stride(from: 16 * 4_096, to: bytes.count, by: 1) { bytes[offset] = UInt8(offset % 251) }
        try bytes.write(to: URL(fileURLWithPath: path))
        let damaged = try open()
        let failure = await #expect(throws: RecordDatabaseError.self) { try await damaged.allRecords }
        #expect(failure?.code == .corrupt)
        #expect((try? await damaged.verify().isEmpty) != true)
    }
}
#endif
