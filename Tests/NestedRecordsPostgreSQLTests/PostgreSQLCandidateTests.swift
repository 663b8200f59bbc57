#if PostgreSQL
import TestSupport
import Testing

@_spi(Engines) @testable import NestedRecords
@testable import NestedRecordsPostgreSQL

/// Pages for which one index selects and another one orders.
@Suite(.enabled(if: TestServer.isThere, TestServer.reason), .timeLimit(.minutes(60)))
struct PostgreSQLCandidateTests {
    private static let indexes =
        RandomQuery.joinedIndexes
        + ["a", "b", "c", .recordName, .changeTag].flatMap { path in
            ["Book", "Shelf", "Room"].map { FieldIndex($0, by: path) }
        }

    /// The candidates of random queries are the records whose keys are in the ranges of both plans, in the order of the
    /// query, however few rows are read at first.
    @Test(TestServer.isOneServer) func candidatesAreTheRecordsOfBothPlans() async throws {
        try await withDatabase {
            $0.indexes = Self.indexes
        } _: { database in
            var count = 0
            for seed in Sweep.seeds(12, whole: 400) {
                var random = RandomQuery(seed: seed)
                let records = try random.records()
                let others = try await database.allIDs().subtracting(records.map(\.id))
                try await database.commit(
                    RecordBatch(saving: records, deletingAnyVersionOf: Array(others), savePolicy: .overwrite))
                for _ in 0..<200 {
                    var query = try random.anyQuery()
                    if query.limit == nil { query.limit = 2 }
                    let reference = ScannedDatabase(database)
                    for _ in 0..<3 {
                        guard try await check(query, database, reference) else { break }
                        count += 1
                        query.after = try await reference.page(query).next
                        if query.after == nil { break }
                    }
                }
            }
            #expect(count > 100)
        }
    }

    /// Whether the query has two plans.
    private func check(
        _ query: RecordQuery, _ database: PostgreSQLRecordDatabase, _ reference: ScannedDatabase
    ) async throws -> Bool {
        if query.filter?.referredTypes.isEmpty == false { return false }
        let catalog = try await database.knownCatalog()
        let (plan, inOrder) = try QueryPlan.alternatives(query, targets: [:], indexes: catalog.indexes)
        guard let inOrder else { return false }
        var rest = query
        (rest.filter, rest.limit) = (nil, nil)
        rest.after = query.after?.asCursor(of: QueryCursor(of: rest, after: try Record(id: Record.ID("Book/1"))))
        let expected = try await reference.page(rest).records.filter { record in
            [plan, inOrder].allSatisfy { plan in
                plan.index.map { index in plan.ranges.contains { $0.contains(index.key(of: record)) } } ?? true
            }
        }
        for least in [1, 100] {
            var pages = try #require(database.candidates(query, plan, inOrder, catalog, least: least))
            var found: [Record.ID] = []
            while let records = try await pages.next() { found += records.map(\.id) }
            #expect(found == expected.map(\.id), "\(query), \(least)")
        }
        return true
    }

    /// Tasks whose keys are often equal, in pages of a table that the server has not analyzed, and then has.
    @Test func pagesAreThoseOfAScan() async throws {
        try await withDatabase {
            $0.indexes = ["owner", "rank", "due"].map { FieldIndex("Task", by: $0) }
        } _: { database in
            let records = try (0..<3_000).map { number in
                try Record(
                    id: Record.ID(type: "Task", name: "\(number)"),
                    fields: [
                        "owner": .int(Int64(number * 7_919 % 3_001 % 5)), "rank": .int(Int64(number / 500 % 3)),
                        "due": .int(Int64(number / 3)), "number": .int(Int64(number)),
                        "text": .string(String(repeating: "x", count: number % 300)),
                    ])
            }
            let reference = InMemoryRecordDatabase()
            for database in [database, reference] as [any RecordDatabase] {
                try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
            }
            let owner = RecordFilter.compare("owner", .equal, 2)
            let filters = [
                owner, .isAny("owner", of: [0, 4]), owner && .isAny("due", of: (0..<20).map { .int($0 * 47) }),
                owner && .compare("number", .greater, 2_990), owner && .compare("due", .greater, 600),
                owner && .isAny("rank", of: [0, 2]),
            ]
            let orders = [
                [RecordOrder("due")], [RecordOrder("due", isDescending: true)], [RecordOrder("rank")],
                [RecordOrder("rank", isDescending: true)], [],
            ]
            for isAnalyzed in [false, true] {
                if isAnalyzed { try await database.sql("ANALYZE \(database.tables.records)") }
                for (filter, limit) in filters.flatMap({ filter in [1, 30, 1_050].map { (filter, $0) } }) {
                    for order in orders {
                        var query = RecordQuery("Task", where: filter, order: order, limit: limit)
                        for _ in 0..<3 {
                            let page = try await database.page(query)
                            let expected = try await reference.page(query)
                            #expect(
                                page.records.map(\.id) == expected.records.map(\.id),
                                "\(query), analyzed: \(isAnalyzed)")
                            #expect(page.next == expected.next, "\(query), analyzed: \(isAnalyzed)")
                            guard let next = page.next else { break }
                            query.after = next
                        }
                    }
                }
            }
        }
    }

    /// Neither plan reads many more rows than it may, whatever the server knows of the table.
    @Test(TestServer.isOneServer) func theServerReadsTheIndexes() async throws {
        try await withDatabase({
            $0.indexes = [FieldIndex("Task", by: "owner"), FieldIndex("Task", by: "due")]
            $0.poolSize = 1
        }) { database in
            for start in stride(from: 0, to: 20_000, by: 5_000) {
                let records = try (start..<start + 5_000).map { number in
                    let fields: Record.Fields = ["owner": .int(Int64(number % 3)), "due": .int(Int64(number / 100))]
                    return try Record(id: Record.ID(type: "Task", name: "\(number)"), fields: fields)
                }
                try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
            }
            let catalog = try await database.knownCatalog()
            var count = 0
            for isAnalyzed in [false, true] {
                if isAnalyzed { try await database.sql("ANALYZE \(database.tables.records)") }
                for order in [[], [RecordOrder("due")], [RecordOrder("due", isDescending: true)]] {
                    for filter in [
                        .compare("owner", .atLeast, 1),
                        .compare("owner", .equal, 1) && .isAny("due", of: [.int(3), .int(5)]),
                    ] as [RecordFilter] {
                        let query = RecordQuery("Task", where: filter, order: order, limit: 10)
                        let plans = try QueryPlan.alternatives(query, targets: [:], indexes: catalog.indexes)
                        // The records of one owner are in the order of the names.
                        guard let inOrder = plans.inOrder else { continue }
                        count += 1
                        let range = try #require(database.candidates(query, plans.plan, inOrder, catalog)).range
                        let place = RecordPlace(type: "Task", name: "7", key: SortKey(.int(3)).text)
                        for most in [100, 30_000] {
                            let statement = try #require(
                                database.tables.candidates(
                                    range, after: order.isEmpty ? nil : place, limit: 11, most: most,
                                    mostInOrder: 2 * most))
                            let text = try await database.genericPlan(of: statement)
                            #expect(!text.contains("Seq Scan on records"), "\(query): \(text)")
                            #expect(!text.contains("Bitmap"), "\(query): \(text)")
                            #expect(text.contains("Tid Scan"), "\(query): \(text)")
                            for line in text.split(separator: "\n") where line.contains("Index") {
                                guard let rows = line.firstMatch(of: /actual time=\S+ rows=(\d+)/) else { continue }
                                #expect(try #require(Int(rows.1)) <= 2 * most, "\(query): \(text)")
                            }
                        }
                    }
                }
            }
            #expect(count == 10)
        }
    }
}

extension PostgreSQLRecordDatabase {
    /// The plan of a statement that the server keeps for all values, after its execution.
    func genericPlan(of statement: Statement) async throws -> String {
        let values = statement.parameters.map(\.literal)
        let types = values.map(\.type).joined(separator: ", ")
        let arguments = values.map(\.text).joined(separator: ", ")
        let texts = [
            "PREPARE test (\(types)) AS \(statement.text)", "EXPLAIN (ANALYZE) EXECUTE test (\(arguments))",
            "DEALLOCATE test",
        ]
        let statements = [Tables.planned] + texts.map { Statement("test", $0) }
        let rows = try await pool.execute(statements, isRepeatable: false)[2]
        return (0..<rows.count).compactMap { rows.text($0, 0) }.joined(separator: "\n")
    }
}

extension Parameter {
    /// The type and the value in SQL, of a text, a list of texts or an integer.
    fileprivate var literal: (type: String, text: String) {
        func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self).asLiteral }
        switch type {
        case 25: return ("text", text(bytes))
        case 20: return ("bigint", "\(bytes.reduce(0) { $0 << 8 | Int64($1) })")
        default:
            var rest = bytes.dropFirst(20)
            var texts: [String] = []
            while !rest.isEmpty {
                let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
                texts.append(text(rest.dropFirst(4).prefix(count)))
                rest = rest.dropFirst(4 + count)
            }
            return ("text[]", "ARRAY[\(texts.joined(separator: ", "))]")
        }
    }
}
#endif
