import Foundation
import NestedRecords
import TestSupport
import Testing

/// Names and values that are hard to store, on all databases.
@Suite(.serialized) struct EngineRecordTests {
    @Test func everyRecordIsReadAsItWasSaved() async throws {
        let indexes = [
            FieldIndex("A", by: "a"), FieldIndex("A", by: "value"), FieldIndex("School", by: "b.c"),
            FieldIndex("School", by: .recordName),
        ]
        try await Engine.forEach(indexes: indexes) { engine in
            var random = RandomRecord(seed: 3)
            var records: [Record.ID: Record] = [:]
            for var record in try SampleRecords.all() + (0..<400).map({ _ in try random.record() }) {
                record.metadata = nil
                records[record.id] = record
            }
            let saved = try await engine.database.commit(
                RecordBatch(saving: Array(records.values), savePolicy: .overwrite))
            let found = try await engine.database.recordsByID(for: Array(records.keys))
            #expect(found.count == records.count, "\(engine.name)")
            for (id, record) in records {
                let expected = record.saved(as: try #require(saved[id]))
                #expect(found[id].map { $0.isIdentical(to: expected) } == true, "\(engine.name): \(id)")
            }
        }
    }

    @Test func namesThatLookLikeStatementsAreNames() async throws {
        let names = [
            "'; DROP TABLE records; --", "\"", "\\", "{a,b}", "{\"", "NULL", "null", "%", "_", "?1", "$1", "a/b/c", " ",
            "é", "e\u{301}", "\u{10FFFF}", "\u{FEFF}", String(repeating: "é", count: 127), "💧",
        ]
        try await Engine.forEach { engine in
            let database = engine.database
            let records = try names.map { name in
                let id = try Record.ID(type: "Book", name: name)
                return try Record(
                    id: id,
                    fields: [
                        "r": .reference(Record.Reference(to: id)), "t": .string(name), "'\"\0": "\0'",
                        "\u{1}": .bytes(Data([0, 1, 0xFF])),
                    ])
            }
            try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
            for record in records {
                #expect(try await database.records(for: [record.id]).map(\.fields) == [record.fields], "\(engine.name)")
                #expect(try await database.referrers(of: [record.id])[record.id]?.map(\.record) == [record.id])
            }
            let sorted = names.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
            let page = try await database.page(RecordQuery("Book"))
            #expect(page.records.map { Array($0.id.name.utf8) } == sorted, "\(engine.name)")
            #expect(try await Set(database.allRecords.keys) == Set(records.map(\.id)), "\(engine.name)")
            // No record has a type with NUL.
            for type in ["Book\0", "Book\0' OR 1=1"] {
                for filter in [nil, RecordFilter.compare("a", .equal, 1)] {
                    #expect(try await database.page(RecordQuery(type, where: filter)).records == [], "\(engine.name)")
                    #expect(try await database.count(RecordQuery(type, where: filter)) == 0, "\(engine.name)")
                }
                for try await record in database.records(ofType: type) { Issue.record("found \(record)") }
                let referring = RecordFilter.refers("r", to: type, where: .isNull("a"))
                #expect(try await database.count(RecordQuery("Book", where: referring)) == 0, "\(engine.name)")
            }
            try await database.commit(RecordBatch(deletingAnyVersionOf: records.map(\.id)))
            #expect(try await database.allRecords.isEmpty, "\(engine.name)")
        }
    }

    @Test func recordsOfAllSizesAreFetchedAndListedWhileOthersSave() async throws {
        try await Engine.forEach { engine in
            let database = engine.database
            let records = try (0..<3_000).map { number in
                let size = number % 700 == 3 ? 700_000 : number % 40
                return try Flat.record("T\(number % 2)/\(number)", ["t": .string(String(repeating: "x", count: size))])
            }
            try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
            let found = try await database.recordsByID(for: records.map(\.id) + [try Record.ID("T0/none")])
            #expect(found.mapValues(\.fields) == Dictionary(uniqueKeysWithValues: records.map { ($0.id, $0.fields) }))
            var count = 0
            for try await record in database.records(ofType: "T1") {
                count += 1
                #expect(record.fields == found[record.id]?.fields, "\(engine.name)")
                // Nothing that is still to come is listed twice, whatever others save.
                if count % 100 == 0 {
                    try await database.commit(RecordBatch(saving: [record], savePolicy: .overwrite))
                }
            }
            #expect(count == 1_500, "\(engine.name)")
        }
    }

    @Test func targetsAndPathsThatDifferInNormalizationAloneAreTwo() async throws {
        try await Engine.forEach { engine in
            let database = engine.database
            let targets = try ["Shelf/\u{E9}", "Shelf/e\u{301}"].map(Record.ID.init)
            let references = targets.map { Record.Value.reference(Record.Reference(to: $0)) }
            let holder = try Flat.record("Book/0", ["a": .list(references)])
            let holders = [
                try Flat.record("Book/1", ["\u{E9}": references[0]]),
                try Flat.record("Book/2", ["e\u{301}": references[0]]),
            ]
            try await database.commit(
                RecordBatch(
                    saving: try holders + [holder] + targets.map { try Record(id: $0, fields: [:]) },
                    savePolicy: .overwrite))
            let referrers = try await database.referrers(of: targets)
            #expect(referrers[targets[0]]?.map(\.record.name).sorted() == ["0", "1", "2"], "\(engine.name)")
            #expect(referrers[targets[1]]?.map(\.record.name) == ["0"], "\(engine.name)")
            // The same path in the other form.
            let changed = try Flat.record("Book/1", ["e\u{301}": references[0]])
            try await database.commit(RecordBatch(saving: [changed], savePolicy: .overwrite))
            var batch = RecordBatch(deletingAnyVersionOf: [targets[1]])
            batch.allowedReferrers = [targets[1]: []]
            let error = await #expect(throws: RecordDatabaseError.self, "\(engine.name)") {
                try await database.commit(batch)
            }
            #expect(error?.code == .stillReferenced, "\(engine.name)")
        }
    }
}
