#if SQLite
import CSQLite
import Foundation
@_spi(Engines) import NestedRecords
import TestSupport
import Testing

@testable import NestedRecordsSQLite

/// The column with the fields as JSON, read by programs that know nothing of the library.
@Suite struct SQLiteFieldsTests: SQLiteSuite {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func texts(_ sql: String) throws -> [String?] {
        var handle: OpaquePointer?
        try #require(sqlite3_open(path, &handle) == SQLITE_OK)
        defer { sqlite3_close_v2(handle) }
        var statement: OpaquePointer?
        try #require(sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK)
        defer { sqlite3_finalize(statement) }
        var texts: [String?] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            texts.append(sqlite3_column_text(statement, 0).map { String(cString: $0) })
        }
        return texts
    }

    private func save(_ fields: [String: Record.Fields], to database: SQLiteRecordDatabase) async throws {
        let records = try fields.sorted { $0.key < $1.key }.map { try Flat.record($0.key, $0.value) }
        try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
    }

    @Test func valuesAreReadableJSON() async throws {
        let database = try open { $0.writesFieldsForSQL = true }
        try await save(
            [
                "A/1": [
                    "date": .date(Date(timeIntervalSinceReferenceDate: 0.5)), "far": .date(Date.distantPast - 1e12),
                    "location": .location(try Location(latitude: 1.5, longitude: -2)),
                    "reference": try Flat.reference("B/x/\"y\""), "bytes": .bytes(Data([0, 255])),
                    "infinite": [.double(.infinity), .double(-.infinity), .double(.nan)], "nul": "a\0b",
                    "map": ["n": .null, "t": true, "list": [1, 2.5, []]], "large": .int(.max),
                ]
            ], to: database)
        #expect(
            try texts("SELECT fields FROM records WHERE body IS NOT NULL") == [
                #"{"date":"2001-01-01T00:00:00.5Z","far":null,"location":{"latitude":1.5,"longitude":-2.0},"#
                    + #""reference":"B/x/\"y\"","bytes":"AP8=","infinite":["Infinity","-Infinity","NaN"],"nul":"a�b","#
                    + #""map":{"n":null,"t":true,"list":[1,2.5,[]]},"large":9223372036854775807}"#
            ])
        #expect(try await database.verify().isEmpty)
    }

    @Test func assetIsReadableJSON() async throws {
        let database = try open { $0.writesFieldsForSQL = true }
        let asset = try await RecordStore(database).assets.add(Data("hello".utf8), contentType: "text/plain")
        try await save(["A/1": ["file": .asset(asset)]], to: database)
        #expect(
            try texts("SELECT fields -> '$.file.size' FROM readable_records WHERE type = 'A'") == ["5"])
        #expect(
            try texts("SELECT fields ->> '$.file.hash' FROM readable_records WHERE type = 'A'")
                == [asset.hash])
        #expect(try await database.verify().isEmpty)
    }

    @Test func everyRecordHasJSONThatSQLiteReads() async throws {
        let database = try open { $0.writesFieldsForSQL = true }
        let records = try SampleRecords.all() + (0..<300).map { try SampleRecords.random($0) }
        try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
        #expect(try texts("SELECT name FROM records WHERE body IS NOT NULL AND json_valid(fields) IS NOT 1") == [])
        #expect(try await database.verify().isEmpty)
    }

    @Test func fieldsThatAreTooLargeOrTooDeepAreNull() async throws {
        let database = try open { $0.writesFieldsForSQL = true }
        var deep: Record.Value = 1
        for _ in 0..<101 { deep = [deep] }
        guard case .list(let nested) = deep else { return }
        try await save(
            [
                "A/1": [
                    "text": .string(String(repeating: "x", count: 1_000_000)), "deep": deep, "nested": nested[0],
                    "list": .list(Array(repeating: "0123456", count: 100_001)),
                    "bytes": .bytes(Data(count: 800_000)), "last": 1,
                ],
                "A/2": ["text": .string(String(repeating: "x", count: 999_998))],
            ], to: database)
        #expect(
            try texts("SELECT json_remove(fields, '$.nested') FROM records WHERE name = '1'") == [
                #"{"text":null,"deep":null,"list":null,"bytes":null,"last":1}"#
            ])
        #expect(try texts("SELECT length(fields->>'nested') FROM records WHERE name = '1'") == ["201"])
        #expect(try texts("SELECT length(fields->>'text') FROM records WHERE name = '2'") == ["999998"])
    }

    @Test func deletedRecordsHaveNoFields() async throws {
        let database = try open { $0.writesFieldsForSQL = true }
        try await save(["A/1": ["n": 1]], to: database)
        try await save(["A/1": ["n": 2]], to: database)
        #expect(try texts("SELECT fields FROM records") == [#"{"n":2}"#])
        try await database.commit(RecordBatch(deletingAnyVersionOf: [Record.ID("A/1")]))
        #expect(try texts("SELECT fields FROM records") == [nil])
    }

    @Test func fileKeepsFieldsOnceAProcessHasWrittenThem() async throws {
        let without = try open { $0.writesFieldsForSQL = false }
        try await save(["A/1": ["n": 1], "A/2": ["n": 2]], to: without)
        #expect(try texts("SELECT fields FROM records") == [nil, nil])
        #expect(try await without.verify().isEmpty)
        let index = "SELECT name FROM sqlite_master WHERE name = 'records_without_fields'"
        #expect(try texts(index) == [], "it would have every record")
        let other = try open { $0.writesFieldsForSQL = true }
        try await save(["A/2": ["n": 3]], to: other)
        #expect(try texts(index) == ["records_without_fields"])
        #expect(try texts("SELECT fields FROM records ORDER BY name") == [#"{"n":1}"#, #"{"n":3}"#])
        // A database that was open before, without the option, and a new one.
        try await save(["A/2": ["n": 4]], to: without)
        try await save(["A/1": ["n": 5]], to: try open { $0.writesFieldsForSQL = false })
        #expect(try texts("SELECT fields FROM records ORDER BY name") == [#"{"n":5}"#, #"{"n":4}"#])
    }

    @Test func filesWithoutFieldsGetThemInOnePass() async throws {
        let first = try open { $0.writesFieldsForSQL = false }
        let many = Dictionary(
            uniqueKeysWithValues: (1...5_000).map { ("A/\($0)", ["n": .int(Int64($0))] as Record.Fields) })
        try await save(many, to: first)
        try await first.close()
        try run("UPDATE records SET body = x'FF' WHERE name = '17'")
        let database = try open { $0.writesFieldsForSQL = true }
        try await database.prepare()
        #expect(try texts("SELECT name FROM records WHERE fields IS NULL") == ["17"])
        #expect(try texts("SELECT count(*) FROM records WHERE fields = '{\"n\":' || name || '}'") == ["4999"])
        #expect(try await database.verify().map(\.recordID?.name) == ["17"])
    }

    @Test func changesByOthersAreFound() async throws {
        let database = try open { $0.writesFieldsForSQL = true }
        try await save(["A/1": ["n": 1], "A/2": ["n": 2], "A/3": ["n": 3]], to: database)
        try run("UPDATE records SET fields = json_set(fields, '$.n', 7) WHERE name = '2'")
        let problem = try #require(try await database.verify().first)
        #expect(problem.code == .corrupt && problem.recordID?.name == "2")
        #expect(try await database.record(for: Record.ID("A/2"))?.fields == ["n": 2])
        let statement = try #require(
            problem.hint?.components(separatedBy: "execute ").last?.components(separatedBy: ";").first)
        try run(statement)
        try await open { $0.writesFieldsForSQL = true }.prepare()
        #expect(try await database.verify().isEmpty)
        #expect(try texts("SELECT fields FROM records WHERE name = '2'") == [#"{"n":2}"#])
    }

    @Test func theStatementsOfTheArticleDoWhatItSays() async throws {
        let database = try open { $0.writesFieldsForSQL = true }
        try await database.commit(RecordBatch(saving: try Article.cities(), savePolicy: .overwrite))
        let blocks = try Article("NestedRecordsSQLite/NestedRecordsSQLite.docc/ReadingFilesWithSQL.md").blocks
        var count = 0
        for (block, next) in zip(blocks, blocks.dropFirst()) {
            switch block.language {
            case "sql": #expect(try Article.output(of: "sqlite3", [path, block.text]) == next.text)
            case "python": #expect(try Article.output(of: "python3", ["-c", block.text, path]) == next.text)
            default: continue
            }
            count += 1
        }
        #expect(count == 3)
    }
}
#endif
