#if SQLite
import Foundation
@_spi(Engines) @testable import NestedRecords
import TestSupport
import Testing

@testable import NestedRecordsSQLite

@Suite struct SQLiteQueryTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ indexes: [FieldIndex], _ name: String = "test.sqlite") throws -> SQLiteRecordDatabase {
        var options = SQLiteRecordDatabase.Options()
        options.indexes = indexes
        options.durability = .relaxed
        return try SQLiteRecordDatabase(path: folder.path(name), options: options)
    }

    private static let paths: [FieldPath] = [
        "a", "b", "c", "a.a", "b.x.b", "c.latitude", "é", .recordName, .modificationDate, .changeTag, FieldPath([]),
    ]

    /// Saves the same records in both databases, with the same metadata.
    private func save(_ records: [Record], in database: SQLiteRecordDatabase) async throws -> ScannedDatabase {
        try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
        return ScannedDatabase(database)
    }

    @Test(.timeLimit(.minutes(60)), arguments: Sweep.seeds(24, whole: 1_000))
    func randomQueriesGiveWhatAScanGives(_ seed: UInt64) async throws {
        var random = RandomQuery(seed: seed)
        let indexes =
            Self.paths.shuffled().prefix(Int(seed % 6)).flatMap { path in
                ["Book", "Shelf", "Room"].map { FieldIndex($0, by: path) }
            } + RandomQuery.joinedIndexes.filter { _ in seed.isMultiple(of: 2) }
        let database = try open(indexes)
        let scanned = try await save(random.records(), in: database)
        for _ in 0..<40 {
            var query = try random.anyPageQuery()
            #expect(try await database.count(query) == scanned.count(query), "\(query)")
            for _ in 0..<8 {
                let page = try await database.page(query)
                let expected = try await scanned.page(query)
                #expect(page.records == expected.records, "\(query) with \(indexes)")
                #expect(page.next == expected.next, "\(query) with \(indexes)")
                guard let next = expected.next else { break }
                query.after = next
            }
            let ids = try random.ids()
            #expect(try await database.referrers(of: ids) == scanned.referrers(of: ids))
        }
        // And after every record was changed, deleted or left.
        let changed = try random.records()
        try await database.commit(
            RecordBatch(saving: changed.filter { $0.fields.count > 1 }, savePolicy: .overwrite))
        try await database.commit(RecordBatch(deletingAnyVersionOf: changed.filter { $0.fields.isEmpty }.map(\.id)))
        for _ in 0..<20 {
            let query = try random.query()
            #expect(try await database.page(query).records == scanned.page(query).records, "\(query)")
        }
        #expect(try await database.verify().isEmpty)
    }

    /// An index counts up to 10,000 groups; for more the records are examined.
    @Test(arguments: [10_000, 10_001]) func groupsAreCountedHoweverManyThereAre(_ count: Int) async throws {
        let database = try open([FieldIndex("Sample", by: "n")])
        let records = try (0..<count).map { number in
            try Record(id: Record.ID(type: "Sample", name: "\(number)"), fields: ["n": .int(Int64(number))])
        }
        try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
        let groups = try await database.summaries(of: RecordQuery("Sample"), field: nil, groupedBy: "n")
        #expect(groups.map(\.group) == (0..<count).map { .int(Int64($0)) })
        #expect(groups.allSatisfy { $0.count == 1 })
    }

    // MARK: What SQLite reads

    private static let byTitle = RecordOrder("title")
    private static let byTitleDescending = RecordOrder("title", isDescending: true)

    private static let indexedQueries: [(query: RecordQuery, examinedCount: Int, isPushedDown: Bool)] = [
        (RecordQuery("Book", where: .compare("title", .equal, "t07")), 1, true),
        (RecordQuery("Book", where: .isAny("title", of: ["t07", "t03", "none"])), 2, true),
        (RecordQuery("Book", where: .compare("title", .atLeast, "t90"), order: [byTitle]), 10, true),
        (RecordQuery("Book", where: .compare("title", .less, "t90"), order: [byTitle], limit: 3), 4, true),
        (RecordQuery("Book", where: .hasPrefix("title", "t1"), order: [byTitleDescending], limit: 3), 4, true),
        (RecordQuery("Book", order: [byTitle], limit: 5), 6, true),
        (RecordQuery("Book", order: [byTitleDescending], limit: 5), 6, true),
        (RecordQuery("Book", where: .compare("pages", .equal, 3)), 10, false),
        (RecordQuery("Book", where: .compare("pages", .greater, 8), order: [byTitle]), 10, true),
        (
            RecordQuery(
                "Book", where: .hasPrefix("title", "t1") && .compare("pages", .notEqual, 2), order: [byTitle]),
            10, false
        ),
        (RecordQuery("Book", where: !.exists("title")), 0, true),
    ]

    private func library() async throws -> SQLiteRecordDatabase {
        let database = try open([FieldIndex("Book", by: "title"), FieldIndex("Book", by: "pages")])
        let records = try (0..<100).map {
            try Flat.record("Book/\($0)", ["title": .string("t\($0 / 10)\($0 % 10)"), "pages": .int($0 % 10)])
        }
        try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
        return database
    }

    @Test(arguments: indexedQueries.indices) func indexedQueriesUseTheIndex(_ number: Int) async throws {
        let (query, examinedCount, isPushedDown) = Self.indexedQueries[number]
        let database = try await library()
        let lines = try await database.readers.run(isShort: false) { connection in
            try connection.read { try connection.explanation(of: query) }
        }
        #expect(!lines.isEmpty)
        let reads = lines.filter { $0.hasPrefix("SEARCH") || $0.hasPrefix("SCAN") }
        for (position, line) in reads.enumerated() {
            if position.isMultiple(of: 2) {
                #expect(line.hasPrefix("SEARCH entries USING PRIMARY KEY (field_index=? AND "), "\(lines)")
            } else {
                #expect(line == "SEARCH records USING INTEGER PRIMARY KEY (rowid=?)", "\(lines)")
            }
        }
        // SQLite puts nothing in order.
        #expect(reads == lines)

        let page = try await database.page(query)
        let expected = try await ScannedDatabase(database).page(query)
        #expect(page.records == expected.records && page.next == expected.next)
        #expect(page.examinedCount == examinedCount && page.isPushedDown == isPushedDown)
    }

    @Test func fetchesListsChangesAndReferencesUseTheirIndexes() async throws {
        let database = try await library()
        let statements = [
            QueryStatement.byNames: "SEARCH records USING INDEX records_by_name (type=? AND name=?)",
            QueryStatement.countOfType: "SEARCH types USING INDEX sqlite_autoindex_types_1 (name=?)",
            QueryStatement.numbersByNames: "SEARCH records USING INDEX records_by_name (type=? AND name=?)",
            IndexOrder.byName.statements.records: "SEARCH records USING INDEX records_by_name (type=? AND name>?)",
            IndexOrder.byName.statements.numbers:
                "SEARCH records USING COVERING INDEX records_by_name (type=? AND name>?)",
            IndexOrder.fromKey.statements.numbers:
                "SEARCH entries USING PRIMARY KEY (field_index=? AND key>? AND key<?)",
            IndexOrder.descending.statements.numbers:
                "SEARCH entries USING PRIMARY KEY (field_index=? AND key>? AND key<?)",
            "SELECT path FROM record_references WHERE target = 1":
                "SEARCH record_references USING PRIMARY KEY (target=?)",
            "SELECT batch, type, name, body FROM records WHERE batch > 1 ORDER BY batch":
                "SEARCH records USING INDEX records_by_batch (batch>?)",
            "SELECT batch FROM records WHERE body IS NULL AND batch IS NOT NULL ORDER BY batch LIMIT 1 OFFSET 3":
                "SEARCH records USING INDEX deletions (batch>?)",
            QueryStatement.count: "SEARCH entries USING PRIMARY KEY (field_index=? AND key>? AND key<?)",
            StoredAudiences.contents:
                "SEARCH audience_entries USING COVERING INDEX audience_entries_by_record (value=? AND record>?)",
        ]
        for (sql, expected) in statements {
            let lines = try await database.readers.run(isShort: false) { connection in
                var lines: [String] = []
                try connection.forEachRow("EXPLAIN QUERY PLAN " + sql) {
                    lines.append($0.text(3))
                    return true
                }
                return lines
            }
            #expect(lines.contains(expected) && !lines.contains("SCAN records"), "\(sql): \(lines)")
            #expect(!lines.contains { $0.contains("TEMP B-TREE") }, "\(sql): \(lines)")
        }
    }

    @Test func countsOfAnIndexLookAtNoRecord() async throws {
        let database = try await library()
        #expect(try await database.count(RecordQuery("Book", where: .compare("title", .greater, "t49"))) == 50)
        #expect(
            try await database.count(RecordQuery("Book", where: .isAny("title", of: ["t01", "t02", "x"]))) == 2)
        #expect(try await database.count(RecordQuery("Book", where: .any([]))) == 0)
        try await database.commit(RecordBatch(deletingAnyVersionOf: [Record.ID("Book/1")]))
        #expect(try await database.count(RecordQuery("Book")) == 99)
        #expect(try await database.count(RecordQuery("Shelf")) == 0)
    }

    @Test func indexOfAnEmptyPathIsLeftOut() async throws {
        for name in ["a", "b"] {
            let database = try open([FieldIndex("T", by: FieldPath([])), FieldIndex("T", by: "n")])
            try await database.commit(
                RecordBatch(saving: [try Flat.record("T/\(name)", ["n": "x"])], savePolicy: .overwrite))
            let page = try await database.page(RecordQuery("T", where: .compare("n", .equal, "x")))
            #expect(page.isPushedDown && page.records.count == (name == "a" ? 1 : 2))
        }
    }

    @Test(arguments: [[""], ["\u{301}"], ["\u{200D}x"], ["\u{301}", ""]])
    func indexOfEveryNameIsKnownAgain(_ names: [String]) async throws {
        for name in ["a", "b"] {
            let database = try open([FieldIndex("T", by: FieldPath(names))])
            let fields: Record.Fields = names.count == 1 && names[0] != "" ? [names[0]: 1] : ["n": 1]
            try await database.commit(
                RecordBatch(saving: [try Flat.record("T/\(name)", fields)], savePolicy: .overwrite))
            let page = try await database.page(RecordQuery("T", order: [RecordOrder(FieldPath(names))]))
            #expect(page.isPushedDown && page.records.count == (name == "a" ? 1 : 2))
            try await database.close()
        }
    }

    @Test func theGreatestKeyComesFirstAlsoWhereTheFilterIsTriedOnEachRecord() async throws {
        let database = try open([FieldIndex("T", by: "n")])
        try await database.commit(
            RecordBatch(
                saving: try (0..<60).map {
                    try Flat.record("T/\(100 + $0)", ["n": .int($0 / 20), "m": .int($0 % 3)])
                }, savePolicy: .overwrite))
        let scanned = ScannedDatabase(database)
        for limit in [1, 3, 7, 14, 40] {
            var query = RecordQuery(
                "T", where: .compare("m", .equal, 1), order: [RecordOrder("n", isDescending: true)], limit: limit)
            while true {
                let page = try await database.page(query)
                let expected = try await scanned.page(query)
                #expect(page.records == expected.records && page.next == expected.next)
                guard let next = expected.next else { break }
                query.after = next
            }
        }
    }

    @Test func onlyShortPagesAreReadInTheThreadOfTheTask() async throws {
        let database = try open([FieldIndex("T", by: "n")])
        try await database.commit(
            RecordBatch(
                saving: try (0..<400).map { try Flat.record("T/\(1_000 + $0)", ["n": .int($0)]) },
                savePolicy: .overwrite))
        let order = [RecordOrder("n", isDescending: true)]
        let few = RecordQuery("T", where: .compare("n", .less, 200))
        let many = RecordQuery("T", where: .compare("n", .atMost, 200) || .compare("n", .equal, 300))
        let most = RecordQuery("T", where: .compare("n", .less, 202))
        let connections = database.readers.elements
        _ = try await connections[0].run { $0.isReadOnly }
        func readHere(_ query: RecordQuery, until deadline: Duration = .seconds(600)) throws -> RecordPage? {
            try connections[0].runWithoutWaiting { connection in
                connection.deadline = .now + deadline
                return try connection.read { try connection.page(query) }
            }
        }
        func count(_ query: RecordQuery) throws -> Int? { try readHere(query)?.records.count }
        #expect(try count(few) == 200)
        #expect(try count(RecordQuery("T", order: order, limit: 200)) == 200)
        #expect(try count(RecordQuery("T", where: .any([]))) == 0)
        #expect(try count(most) == nil)
        #expect(try count(many) == nil)
        #expect(try count(few) == 200)
        #expect(try count(RecordQuery("T", order: order, limit: 201)) == nil)
        #expect(try count(RecordQuery("T", where: .compare("none", .equal, 1))) == nil)
        #expect(try readHere(few, until: .zero) == nil)
        for query in [few, many, most] {
            #expect(try await database.page(query).records == ScannedDatabase(database).page(query).records)
        }
    }

    @Test func aCancelledTaskStopsReading() async throws {
        let database = try await library()
        let task = Task {
            while true { _ = try await database.page(RecordQuery("Book", where: .compare("none", .equal, 1))) }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}

extension Connection {
    /// The lines of SQLite's explanation of a query.
    fileprivate func explanation(of query: RecordQuery) throws -> [String] {
        let list = try indexList()
        let plan = try QueryPlan(query, targets: try targets(of: query.filter, in: list).ids, indexes: list.indexes)
        var lines: [String] = []
        for segment in try segments(of: plan, type: query.recordType, in: list) {
            try forEachRow("EXPLAIN QUERY PLAN " + segment.order.statements.records, segment.values) {
                lines.append($0.text(3))
                return true
            }
        }
        return lines
    }
}
#endif
