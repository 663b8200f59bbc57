#if PostgreSQL
import TestSupport
import Testing

@_spi(Engines) @testable import NestedRecords
@testable import NestedRecordsPostgreSQL

@Suite(.enabled(if: TestServer.isThere, TestServer.reason), .timeLimit(.minutes(60)))
struct PostgreSQLQueryTests {
    // MARK: Plans

    @Test(TestServer.isOneServer) func indexesAreUsed() async throws {
        try await withDatabase {
            $0.indexes = [FieldIndex("Book", by: "title"), FieldIndex("Book", by: "pages")]
        } _: { database in
            let room = try Record.ID(type: "Room", name: "1")
            for start in stride(from: 0, to: 30_000, by: 10_000) {
                let shelf = try Record.ID(type: "Shelf", name: "\(start)")
                let records = try (start..<start + 10_000).map { number in
                    var fields = Record.Fields()
                    fields["title"] = .string("t\(number * 7_919 % 30_011)")
                    fields["pages"] = .int(Int64(number % 500))
                    // Few and many records refer to the same one.
                    if number % 1_000 == 1 { fields["shelf"] = .reference(Record.Reference(to: shelf)) }
                    if number % 50 == 2 { fields["room"] = .reference(Record.Reference(to: room)) }
                    let type = number % 3 == 0 ? "Leaflet" : "Book"
                    return try Record(id: Record.ID(type: type, name: "\(number)"), fields: fields)
                }
                try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
            }
            for range in [RecordRange.type("Book"), .all] {
                let page = database.tables.page(range, after: RecordPlace(type: "Book", name: "2"), limit: 1_000)
                let text = try await database.plan(of: page, with: [Tables.unsorted])
                #expect(!text.contains("Sort"), "before the server has looked at the table: \(text)")
            }
            let catalog = try await database.knownCatalog()
            let (pages, _) = try range(
                RecordQuery("Book", order: [RecordOrder("pages", isDescending: true)], limit: 20), catalog)
            let sorted = try await database.genericPlan(of: database.tables.page(pages, after: nil, limit: 20))
            #expect(sorted.contains("Incremental Sort"), "only the names of one key are sorted: \(sorted)")
            try await database.sql("ANALYZE \(database.tables.records)")
            func plan(of range: RecordRange, after place: RecordPlace? = nil) async throws -> String {
                let page = database.tables.page(range, after: place, limit: 20)
                if case .index = range { return try await database.genericPlan(of: page) }
                return try await database.plan(of: page)
            }
            let queries: [RecordQuery] = [
                RecordQuery("Book", where: .compare("title", .equal, "t77")),
                RecordQuery("Book", where: .hasPrefix("title", "t7"), order: [RecordOrder("title")], limit: 20),
                RecordQuery("Book", order: [RecordOrder("title")], limit: 20),
                RecordQuery("Book", order: [RecordOrder("pages", isDescending: true)], limit: 20),
                RecordQuery("Book", where: .compare("pages", .greater, 490), limit: 20),
                RecordQuery("Book", where: .isAny("pages", of: [3, 7, 400])),
                RecordQuery(
                    "Book", where: .not(.compare("pages", .equal, 4)), order: [RecordOrder("pages")], limit: 9),
            ]
            for query in queries {
                var (range, place) = try self.range(query, catalog)
                let text = try await plan(of: range, after: place)
                #expect(text.contains("records_by_key_"), "\(query): \(text)")
                #expect(!text.contains("Seq Scan"), "\(query): \(text)")
                guard query.limit != nil, !query.order.isEmpty else { continue }
                var next = query
                next.after = try await database.page(query).next
                (range, place) = try self.range(next, catalog)
                let nextText = try await plan(of: range, after: place)
                #expect(nextText.contains("records_by_key_"), "\(next): \(nextText)")
                // Within the index, not as a filter on what it gives.
                if !query.order[0].isDescending {
                    #expect(nextText.contains("ROW(keys["), "\(next): \(nextText)")
                }
            }
            let byName = try await plan(of: .type("Book"), after: RecordPlace(type: "Book", name: "2"))
            #expect(byName.contains("records_pkey"), "\(byName)")
            #expect(!byName.contains("Sort"), "\(byName)")
            let all = try await plan(of: .all, after: RecordPlace(type: "Book", name: "2"))
            #expect(all.contains("records_pkey"), "\(all)")
            for target in ["Shelf/10000", "Room/1"] {
                let referring = try await plan(of: .referring([target]))
                #expect(referring.contains("records_by_refs"), "\(referring)")
            }
            let ids = try (0..<100).map { try Record.ID(type: "Book", name: "\($0)") }
            let fetch = try await database.plan(of: database.fetch(ids))
            #expect(fetch.contains("records_pkey"), "\(fetch)")
            #expect(!fetch.contains("Seq Scan on records"), "\(fetch)")
            let token = try await database.changeToken()
            let changes = try await database.plan(of: database.tables.changes(since: token, limit: 100))
            #expect(changes.contains("records_by_xid"), "\(changes)")
            #expect(!changes.contains("Seq Scan on records"), "\(changes)")
            #expect(!changes.contains("Seq Scan on commits"), "\(changes)")
        }
    }

    @Test(TestServer.isOneServer, arguments: [nil, 100] as [Int64?])
    func groupsAreCountedInTheOrderOfTheTable(_ least: Int64?) async throws {
        try await withDatabase {
            $0.indexes = [FieldIndex("Book", by: "pages")]
        } _: { database in
            let records = try (0..<20_000).map { number in
                let fields: Record.Fields = ["pages": .int(Int64(number * 7_919 % 500))]
                return try Record(id: Record.ID(type: "Book", name: "\(number)"), fields: fields)
            }
            try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
            let catalog = try await database.knownCatalog()
            var query = RecordQuery("Book")
            if let least { query.filter = .compare("pages", .atLeast, .int(least)) }
            let part = RecordFilterPart(query.filter)
            let plan = try #require(
                QueryPlan(part, ofType: "Book", groupedBy: "pages", indexes: catalog.indexes))
            let slot = try #require(plan.index.flatMap(catalog.slot))
            for isAnalyzed in [false, true] {
                if isAnalyzed { try await database.sql("ANALYZE \(database.tables.records)") }
                let text = try await database.plan(
                    of: database.tables.groups(ofType: "Book", slot, plan.ranges, atMost: 1_000),
                    with: [Tables.counted])
                #expect(text.contains("HashAggregate"), "\(text)")
                #expect(!text.contains("Index Scan using"), "\(text)")
            }
            let counts = try await database.summaries(of: query, field: nil, groupedBy: "pages").map(\.count)
            #expect(counts == Array(repeating: 40, count: 500 - Int(least ?? 0)))
        }
    }

    private func range(_ query: RecordQuery, _ catalog: Catalog) throws -> (RecordRange, RecordPlace?) {
        let plan = try QueryPlan(query, indexes: catalog.indexes)
        let slot = try #require(plan.index.flatMap(catalog.slot))
        return (
            .index(
                type: query.recordType, slot: slot, ranges: plan.ranges, isDescending: plan.isDescending,
                isDistributed: catalog.isDistributed),
            plan.start.map { RecordPlace(type: query.recordType, name: $0.name, key: $0.key?.text) }
        )
    }

    // MARK: Indexes that are made later

    @Test func indexOfRecordsThatAreThereFindsThem() async throws {
        try await withDatabase { database in
            let records = try (0..<1_500).map {
                try Record(id: Record.ID(type: "Book", name: "\($0)"), fields: ["a": .int(Int64($0))])
            }
            try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
            let later = try database.another { $0.indexes = [FieldIndex("Book", by: "a")] }
            try await later.prepare()
            let query = RecordQuery("Book", where: .compare("a", .atLeast, 1_490))
            let page = try await later.page(query)
            #expect(page.records.count == 10 && page.examinedCount == 10)
            // The first database does not know the index yet, and has to give its records keys all the same.
            try await database.commit(
                RecordBatch(
                    saving: [
                        try Record(id: Record.ID(type: "Book", name: "new"), fields: ["a": 2_000])
                    ], savePolicy: .overwrite))
            #expect(try await later.page(query).records.count == 11)
            #expect(try await later.count(query) == 11)
            await later.close()
        }
    }

    @Test func pathsWithHostileNamesAreIndexed() async throws {
        let names = ["a'b", "\"", "\\", "x\u{0}y", "]) --", "é", "e\u{301}", "@name", "a.b", ""]
        try await withDatabase {
            $0.indexes = names.map { FieldIndex("Book", by: FieldPath([$0])) }
        } _: { database in
            let records = try names.filter { !$0.isEmpty }.enumerated().map { position, name in
                try Record(
                    id: Record.ID(type: "Book", name: "\(position)"),
                    fields: [name: .string("'; DROP TABLE \"\\ {},\u{0}\(name)")])
            }
            try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
            for record in records {
                let (name, value) = try #require(record.fields.first)
                let page = try await database.page(
                    RecordQuery("Book", where: .compare(FieldPath([name]), .equal, value)))
                #expect(page.records.map(\.id) == [record.id] && page.records.first?.fields == record.fields)
                #expect(page.isPushedDown)
            }
        }
    }
}

extension PostgreSQLRecordDatabase {
    func plan(of statement: Statement, with settings: [Statement] = []) async throws -> String {
        let statement = Statement("test", "EXPLAIN " + statement.text, statement.parameters)
        let rows = try #require(try await pool.execute(settings + [statement], isRepeatable: false).last)
        return (0..<rows.count).compactMap { rows.text($0, 0) }.joined(separator: "\n")
    }
}

extension RecordDatabase {
    func allRecords() async throws -> [Record] {
        var found: [Record] = []
        for try await record in records(ofType: nil) { found.append(record) }
        return found
    }

    func allIDs() async throws -> Set<Record.ID> { Set(try await allRecords().map(\.id)) }
}
#endif
