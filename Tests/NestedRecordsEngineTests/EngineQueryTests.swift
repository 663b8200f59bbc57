import Foundation
import TestSupport
import Testing

@_spi(Engines) @testable import NestedRecords

/// Queries and checks of all databases, against a scan of all records, which the contract's own tests check.
@Suite(.serialized) struct EngineQueryTests {
    private static let paths: [FieldPath] = [
        "a", "b", "c", "a.a", "b.x.b", "c.latitude", "é", .recordName, .modificationDate, .creationDate, .changeTag,
        FieldPath([]),
    ]

    @Test(.timeLimit(.minutes(60)), arguments: Sweep.seeds(24, whole: 1_000))
    func randomQueriesGiveWhatAScanGives(_ seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let indexes =
            Self.paths.shuffled(using: &random).prefix(Int(seed % 6)).flatMap { path in
                ["Book", "Shelf", "Room"].map { FieldIndex($0, by: path) }
            } + RandomQuery.joinedIndexes.filter { _ in seed.isMultiple(of: 2) }
        try await Engine.forEach(indexes: indexes) { engine in
            var random = RandomQuery(seed: seed)
            let (database, scanned) = (engine.database, ScannedDatabase(engine.database))
            let assets = RecordStore(database).assets
            random.assets = [try await assets.add(Data("1".utf8)), try await assets.add(Data("2".utf8))]
            // An older version of each record, and others that are gone.
            let gone = try (0..<5).map { try Flat.record("Book/gone\($0)", ["a": 1]) }
            let records = try random.records()
            for batch in [records + gone, records] {
                try await database.commit(RecordBatch(saving: batch, savePolicy: .overwrite))
            }
            try await database.commit(RecordBatch(deletingAnyVersionOf: gone.map(\.id)))
            for _ in 0..<25 {
                var query = try random.anyPageQuery()
                #expect(try await database.count(query) == scanned.count(query), "\(engine.name): \(query)")
                for _ in 0..<8 {
                    let (page, expected) = (try await database.page(query), try await scanned.page(query))
                    #expect(page.records == expected.records, "\(engine.name): \(query) with \(indexes)")
                    #expect(page.next == expected.next, "\(engine.name): \(query) with \(indexes)")
                    guard let next = expected.next else { break }
                    query.after = next
                }
                let ids = try random.ids()
                #expect(try await database.referrers(of: ids) == scanned.referrers(of: ids), "\(engine.name)")
            }
            // And after every record was changed, deleted or left.
            let changed = try random.records()
            try await database.commit(
                RecordBatch(saving: changed.filter { $0.fields.count > 1 }, savePolicy: .overwrite))
            try await database.commit(
                RecordBatch(deletingAnyVersionOf: changed.filter { $0.fields.isEmpty }.map(\.id)))
            for _ in 0..<10 {
                let query = try random.query()
                let (page, expected) = (try await database.page(query), try await scanned.page(query))
                #expect(page.records == expected.records, "\(engine.name): \(query) with \(indexes)")
            }
        }
    }

    @Test(arguments: Record.Value.Kind.allCases)
    func recordsAreFoundByIndexesWhateverTheKindOfTheirValues(_ kind: Record.Value.Kind) async throws {
        let indexes = [FieldIndex("Book", by: "owner", "cover"), FieldIndex("Book", by: "cover")]
        try await Engine.forEach(indexes: indexes) { engine in
            let (database, scanned) = (engine.database, ScannedDatabase(engine.database))
            let asset = try await RecordStore(database).assets.add(Data("a".utf8))
            let value: Record.Value =
                switch kind {
                case .null: .null
                case .bool: true
                case .int: 1
                case .double: 1.5
                case .string: "\u{10FFFF}"
                case .date: .date(Date(timeIntervalSinceReferenceDate: 1))
                case .bytes: .bytes(Data([255]))
                case .location: .location(try Location(latitude: 90, longitude: 180))
                case .reference: .reference(Record.Reference(to: try Record.ID("Zz/z")))
                case .list: [.asset(asset)]
                case .map: .map(["z": .asset(asset)])
                case .serverTimestamp: .serverTimestamp
                case .asset: .asset(asset)
                }
            try await database.commit(
                RecordBatch(
                    saving: [
                        try Flat.record("Book/1", ["owner": "x", "cover": value]),
                        try Flat.record("Book/2", ["owner": "x"]),
                    ], savePolicy: .overwrite))
            let filters: [RecordFilter] = [
                .compare("owner", .equal, "x"), .exists("cover"), .compare("owner", .equal, "x") && .exists("cover"),
                .compare("cover", .equal, value), .compare("cover", .notEqual, value), !.exists("cover"),
                .compare("owner", .atLeast, "a"),
            ]
            for filter in filters {
                for isDescending in [false, true] {
                    for path: FieldPath in ["owner", "cover"] {
                        let query = RecordQuery(
                            "Book", where: filter, order: [RecordOrder(path, isDescending: isDescending)])
                        let (page, expected) = (try await database.page(query), try await scanned.page(query))
                        #expect(page.records == expected.records, "\(engine.name): \(query)")
                        #expect(try await database.count(query) == expected.records.count, "\(engine.name): \(query)")
                    }
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(60)), arguments: Sweep.seeds(6, whole: 20))
    func deletionsAndChecksAreThoseOfAllRecords(_ seed: UInt64) async throws {
        func texts(_ values: [some CustomStringConvertible]) -> [String] { values.map(\.description).sorted() }
        try await Engine.forEach { engine in
            var random = RandomQuery(seed: seed)
            let (database, scanned) = (engine.database, ScannedDatabase(engine.database))
            try await database.commit(RecordBatch(saving: try random.records(), savePolicy: .overwrite))
            #expect(try await texts(database.danglingReferences()) == texts(scanned.danglingReferences()))
            #expect(try await Set(database.owningCycles()) == Set(scanned.owningCycles()))
            let ids = try random.ids()
            let present = try await database.records(for: ids).map(\.id)
            #expect(try await database.orphans(reachableFrom: present) == scanned.orphans(reachableFrom: present))
            for options in [[.cascading, .clearing], [.cascading, .contents, .clearing]] as [DeletionOptions] {
                let plan = try await database.deletionPlan(for: ids, options)
                let other = try await scanned.deletionPlan(for: ids, options)
                #expect(plan.ids == other.ids, "\(engine.name)")
                for id in plan.ids { #expect(plan.chain(from: id) == other.chain(from: id), "\(engine.name)") }
                #expect(plan.missing == other.missing && plan.cleared == other.cleared, "\(engine.name)")
                #expect(plan.description == other.description, "\(engine.name)")
            }
        }
    }

    @Test(arguments: [false, true], [1, 7, 20, 33])
    func pagesGoOnWhereTheyEndedWhileOthersSave(_ isDescending: Bool, _ limit: Int) async throws {
        try await Engine.forEach(indexes: [FieldIndex("T", by: "n")]) { engine in
            let (database, hasIndex) = (engine.database, engine.name.contains("SQL"))
            let records = try (0..<60).map { try Flat.record("T/\(100 + $0)", ["n": .int(Int64($0 / 20))]) }
            try await database.commit(RecordBatch(saving: records.shuffled(), savePolicy: .overwrite))
            var query = RecordQuery("T", order: [RecordOrder("n", isDescending: isDescending)], limit: limit)
            var names: [String] = []
            while true {
                let page = try await database.page(query)
                if hasIndex { #expect(page.isPushedDown && page.examinedCount <= limit + 1, "\(engine.name)") }
                names += page.records.map(\.id.name)
                guard let next = page.next else { break }
                query.after = QueryCursor(next.description)
                // Before the place, and of another type.
                try await database.commit(
                    RecordBatch(
                        saving: [
                            try Flat.record("T/new\(names.count)", ["n": isDescending ? 9 : -1]),
                            try Flat.record("U/new\(names.count)", ["n": 1]),
                        ], savePolicy: .overwrite))
            }
            let groups = isDescending ? [40..<60, 20..<40, 0..<20] : [0..<20, 20..<40, 40..<60]
            #expect(names == groups.flatMap { $0.map { "\(100 + $0)" } }, "\(engine.name)")
        }
    }

    @Test(.timeLimit(.minutes(60))) func hostileFiltersAreAnsweredOrRefused() async throws {
        let indexes = [FieldIndex("Book", by: "a"), FieldIndex("Book", by: "m.a")]
        try await Engine.forEach(indexes: indexes) { engine in
            let database = engine.database
            let records = try (0..<40).map {
                try Flat.record("Book/\($0)", ["a": .int(99_960 + $0), "m": .map(["a": 1])])
            }
            try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
            var deep = RecordFilter.compare("a", .less, 99_990)
            for level in 0..<400 { deep = level.isMultiple(of: 2) ? .not(.any([deep])) : .all([deep, .exists("a")]) }
            let values = (0..<100_000).map { Record.Value.int($0) }
            let path = FieldPath(Array(repeating: "m", count: 1_000))
            let paths = (1..<1_000).map { RecordFilter.exists(FieldPath(["\($0)"])) }
            for (filter, count) in [
                (deep, 30), (.isAny("a", of: values), 40), (.exists(path) || .exists("m.a"), 40), (.any(paths), 0),
            ] {
                #expect(try await database.count(RecordQuery("Book", where: filter)) == count, "\(engine.name)")
            }
            for _ in 0..<10_000 { deep = .not(deep) }
            let many = RecordFilter.all(Array(repeating: .exists("a"), count: 100_001))
            let references = RecordFilter.all((0..<17).map { _ in .refers("a", to: "Book") })
            for filter in [deep, many, references] {
                let error = await #expect(throws: RecordError.self, "\(engine.name)") {
                    try await database.page(RecordQuery("Book", where: filter))
                }
                #expect(error?.code == .filterTooLarge, "\(engine.name)")
            }
        }
    }
}
