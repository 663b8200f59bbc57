import Foundation
import TestSupport
import Testing

@_spi(Engines) @testable import NestedRecords

/// Sums, means, least and greatest values on every database, against the plain computation in Swift.
@Suite struct EngineSummaryTests {
    private struct Sale: RecordCodable, Identifiable, Equatable {
        enum Kind: String, Codable { case cash, card }

        var id: Int
        var shop: RecordLink<Shop>
        var kind: Kind?
        var count: Int
        var price: Decimal
        var weight: Double?
        var day: Date
        static let recordType = "EngineSale"
    }

    private struct Shop: RecordCodable, Identifiable {
        var id: String
        var city: String
        static let recordType = "EngineShop"
    }

    private static let indexSets: [[FieldIndex]] = [
        [], [FieldIndex("EngineSale", by: "kind"), FieldIndex("EngineSale", by: "price")],
        [FieldIndex("EngineSale", by: "shop", "kind"), FieldIndex("EngineSale", by: "day")],
    ]

    private func sales() throws -> [Sale] {
        var random = SplitMix64(seed: 3)
        return try (0..<200).map { number in
            Sale(
                id: number, shop: try RecordLink(named: random.pick(["north", "south", "ébène"])),
                kind: random.pick([nil, .cash, .card]), count: Int.random(in: -5...1_000, using: &random),
                price: Decimal(Int.random(in: 1...10_000, using: &random)) / 100,
                weight: random.chance(oneIn: 3) ? nil : Double(Int.random(in: 0...999, using: &random)) / 8,
                day: Date(timeIntervalSinceReferenceDate: Double(Int.random(in: 0...9_999, using: &random))))
        }
    }

    private struct Bill: RecordCodable, Identifiable {
        var id: Int
        var amount: Decimal
        var count = Int64.max
        static let recordType = "EngineBill"
    }

    @Test func sumThatDoesNotFitTheTypeSaysSo() async throws {
        try await Engine.forEachStore { store, name in
            let large = try #require(Decimal(string: "100000000000000000000000000000.01"))
            let small = try #require(Decimal(string: "1e-30"))
            try await store.overwrite([Bill(id: 1, amount: large), Bill(id: 2, amount: small)])
            let error = await #expect(throws: RecordError.self) { try await store.query(Bill.self).sum { $0.amount } }
            #expect(error?.code == .invalidSummary, "\(name)")
            #expect(error?.reason?.hasSuffix("does not fit \(Decimal.self)") == true, "\(name)")
            let other = await #expect(throws: RecordError.self) { try await store.query(Bill.self).sum { $0.count } }
            #expect(other?.reason == "the sum 18446744073709551614 does not fit Int64", "\(name)")
            let groups = await #expect(throws: RecordError.self) {
                try await store.query(Bill.self).grouped { _ in QueryField<Bill, String?>("id") }.count()
            }
            #expect(groups?.code == .unknownField, "\(name)")
        }
    }

    @Test(arguments: 0..<3) func summariesAreThoseOfTheValues(_ indexes: Int) async throws {
        let sales = try sales()
        try await Engine.forEachStore(indexes: Self.indexSets[indexes]) { store, name in
            try await store.overwrite(sales)
            let queries: [(Query<Sale>, [Sale])] = [
                (store.query(Sale.self), sales),
                (store.query(Sale.self).filter { $0.kind == .cash }.limit(3), sales.filter { $0.kind == .cash }),
                (store.query(Sale.self).filter { $0.shop == sales[0].shop }, sales.filter { $0.shop == sales[0].shop }),
                (store.query(Sale.self).filter { $0.count > 5_000 }, []),
            ]
            for (query, expected) in queries {
                #expect(try await query.sum { $0.count } == expected.reduce(0) { $0 + $1.count }, "\(name)")
                #expect(try await query.sum { $0.price } == expected.reduce(0) { $0 + $1.price }, "\(name)")
                let weights = expected.compactMap(\.weight)
                #expect(try await query.sum { $0.weight } == weights.reduce(0, +), "\(name)")
                let average = weights.isEmpty ? nil : weights.reduce(0, +) / Double(weights.count)
                #expect(try await query.average { $0.weight } == average, "\(name)")
                #expect(try await query.min { $0.price } == expected.map(\.price).min(), "\(name)")
                #expect(try await query.max { $0.day } == expected.map(\.day).max(), "\(name)")
                #expect(try await query.min { $0.weight } == weights.min(), "\(name)")
                #expect(try await query.max { $0.count } == expected.map(\.count).max(), "\(name)")

                let groups = Dictionary(grouping: expected, by: \.kind)
                let counts = try await query.grouped { $0.kind }.count()
                #expect(counts.map(\.key) == [nil, .card, .cash].filter { groups[$0] != nil }, "\(name)")
                for (kind, count) in counts { #expect(count == groups[kind]?.count, "\(name)") }
                for (kind, sum) in try await query.grouped(by: { $0.kind }).sum(of: { $0.price }) {
                    #expect(sum == groups[kind]?.reduce(0) { $0 + $1.price }, "\(name)")
                }
                for (kind, least) in try await query.grouped(by: { $0.kind }).min(of: { $0.day }) {
                    #expect(least == groups[kind]?.map(\.day).min(), "\(name)")
                }
                let shops = Dictionary(grouping: expected, by: \.shop)
                for (shop, greatest) in try await query.grouped(by: { $0.shop }).max(of: { $0.weight }) {
                    #expect(greatest == shops[shop]?.compactMap(\.weight).max(), "\(name)")
                }
                for (shop, count) in try await query.grouped(by: { $0.shop }).count() {
                    #expect(count == shops[shop]?.count, "\(name)")
                }
            }
        }
    }

    /// Random records and queries, against a scan, which the contract's own tests compare with values written by hand.
    @Test(arguments: 0..<4) func randomSummariesAreThoseOfAScan(_ seed: UInt64) async throws {
        let paths: [FieldPath] = ["a", "b", "c", "c.latitude", "é", .recordName]
        let indexes =
            seed.isMultiple(of: 2)
            ? [] : paths.flatMap { path in ["Book", "Shelf", "Room"].map { FieldIndex($0, by: path) } }
        let folder = try TemporaryFolder()
        for engine in try await Engine.all(in: folder, indexes: indexes + RandomQuery.joinedIndexes, now: { Date() }) {
            var random = RandomQuery(seed: seed)
            try await engine.database.commit(RecordBatch(saving: random.records(), savePolicy: .overwrite))
            var answerCount = 0
            for _ in 0..<40 {
                let query = try random.anyQuery()
                if query.names([.creationDate, .modificationDate, .changeTag]) { continue }
                for (group, field) in [
                    ("a", nil), (nil, "b"), ("b", "a"), ("c.latitude", nil),
                    (RecordGrouping(.recordName), "c.latitude"),
                    (nil, "c.latitude"),
                ] as [(RecordGrouping?, FieldPath?)] {
                    let answer = try? await engine.database.summaries(of: query, field: field, groupedBy: group)
                    let scanned = try? await ScannedDatabase(engine.database).summaries(
                        of: query, field: field, groupedBy: group)
                    #expect(answer == scanned, "\(engine.name), seed \(seed), \(query)")
                    if let answer, !answer.isEmpty { answerCount += 1 }
                }
            }
            // The others have lists or maps.
            #expect(answerCount > 40, "\(engine.name), seed \(seed)")
            try await engine.end()
        }
    }

    @Test func whatCannotBeSummarizedIsAnError() async throws {
        try await Engine.forEachStore(indexes: [FieldIndex("Sample", by: "long")]) { store, name in
            try await store.database.commit(
                RecordBatch(
                    saving: [
                        Record(
                            id: Record.ID("Sample/1"),
                            fields: [
                                "list": [1], "map": ["x": 1], "long": .string(String(repeating: "x", count: 481)),
                                "digits": .number(digits: "12345678901234567890123"),
                            ])
                    ], savePolicy: .overwrite))
            for (group, field) in [
                ("list", nil), ("map", nil), ("long", nil), (nil, "list"), (nil, "map"),
                (RecordGrouping("digits", .month, in: .gmt), nil),
            ] as [(RecordGrouping?, FieldPath?)] {
                let error = await #expect(throws: RecordError.self, "\(name)") {
                    try await store.database.summaries(
                        of: RecordQuery("Sample"), field: field, groupedBy: group)
                }
                #expect(error?.code == .invalidSummary)
            }
            let summary = try await store.database.summaries(of: RecordQuery("Sample"), field: "digits", groupedBy: nil)
            #expect(summary.first?.sum == .number(digits: "12345678901234567890123"), "\(name)")
        }
    }

    @Test(arguments: [true, false]) func numbersWithOneKeyAreOneGroup(_ hasIndex: Bool) async throws {
        let values: [Record.Value] = [
            1, .double(1), .double(0.1), .number(digits: "0.1000000000000000000001"), .double(0x1p63),
            .number(digits: "9223372036854775808"), .number(digits: "18446744073709551615"), .double(.nan),
            .map(["$decimal": "x"]), .map(["$decimal": 5]), .number(digits: "5.0000000000000000000001"), 5,
        ]
        for order in [values, values.reversed()] {
            try await Engine.forEachStore(indexes: hasIndex ? [FieldIndex("Sample", by: "n")] : []) { store, name in
                let records = try order.enumerated().map { number, value in
                    try Record(id: Record.ID(type: "Sample", name: "\(number)"), fields: ["n": value])
                }
                try await store.database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
                let groups = try await store.database.summaries(of: RecordQuery("Sample"), field: nil, groupedBy: "n")
                #expect(groups.map(\.count) == [3, 2, 2, 2, 2, 1], "\(name)")
                let expected: [Record.Value] = [
                    .double(.nan), .double(0.1), 1, 5, .double(0x1p63), .number(digits: "18446744073709551615"),
                ]
                #expect(groups.map { SortKey($0.group) } == expected.map { SortKey($0) }, "\(name)")
                #expect(groups.dropFirst().map(\.group) == expected.dropFirst().map { $0 }, "\(name)")
            }
        }
    }

    @Test func largeIntegersAreSummedAndComparedExactly() async throws {
        struct Count: RecordCodable, Identifiable {
            var id: Int
            var value: UInt64
            var price: Decimal
        }
        var coding = RecordCoding()
        coding.keyStrategy = .custom { $0.uppercased() }
        let store = RecordStore(InMemoryRecordDatabase(), coding: coding)
        let close = try #require(Decimal(string: "0.10000000000000000000001"))
        try await store.overwrite([
            Count(id: 1, value: 9_223_372_036_854_775_000, price: 0.1), Count(id: 2, value: 1_000, price: close),
        ])
        let counts = store.query(Count.self)
        #expect(try await counts.sum { $0.value } == 9_223_372_036_854_776_000)
        #expect(try await counts.max { $0.price } == close)
        #expect(try await counts.min { $0.price } == 0.1)
        #expect(try await counts.grouped { $0.value }.count().map(\.key) == [1_000, 9_223_372_036_854_775_000])
        try await store.overwrite([
            Count(id: 1, value: 9_223_372_036_854_775_805, price: 1),
            Count(id: 2, value: 9_223_372_036_854_775_805, price: 1),
        ])
        #expect(try await counts.sum { $0.value } == 18_446_744_073_709_551_610)
    }

    @Test func sumThatDoesNotFitItsTypeIsAnError() async throws {
        struct Level: RecordCodable, Identifiable {
            var id: Int
            var value: UInt8
        }
        let store = RecordStore(InMemoryRecordDatabase())
        try await store.overwrite([Level(id: 1, value: 200), Level(id: 2, value: 100)])
        await #expect(throws: (any Error).self) { try await store.query(Level.self).sum { $0.value } }
        #expect(try await store.query(Level.self).average { $0.value } == 150)
    }

    @Test func planIsExplainedInWords() async throws {
        let sales = try sales()
        let indexes = [FieldIndex("EngineSale", by: "kind"), FieldIndex("EngineSale", by: "day")]
        try await Engine.forEachStore(indexes: indexes) { store, name in
            try await store.overwrite(sales)
            let all = store.query(Sale.self)
            let queries = [
                all, all.sorted { $0.day }.limit(5), all.filter { $0.kind == .cash }.sorted { $0.day },
                all.filter { $0.kind == .cash }.sorted { $0.day }.limit(5), all.filter { $0.shop.city == "a" },
            ]
            let words = try await queries.asyncMap { try await $0.explanation() }
            guard name.contains("SQL") else {
                #expect(words[0] == "Examines every record of EngineSale.", "\(name)")
                #expect(
                    words[1] == "Examines every record of EngineSale. Sorts the matching records, and keeps 5.",
                    "\(name)")
                return
            }
            #expect(words[0] == "Reads the records of EngineSale in the order of the record names.", "\(name)")
            #expect(
                words[1]
                    == "Reads all keys of the index of EngineSale by day in the order of the query, until the page "
                    + "is full.", "\(name)")
            #expect(
                words[2] == "Reads 1 range of the index of EngineSale by kind. Sorts the matching records.", "\(name)")
            #expect(
                words[3] == "Tries two plans, and goes on with the better one. One: "
                    + "Reads all keys of the index of EngineSale by day in the order of the query, until the page "
                    + "is full. Tests the filter on each record. "
                    + "The other: Reads 1 range of the index of EngineSale by kind. Sorts the matching records, and keeps 5.",
                "\(name)")
            #expect(words[4].hasPrefix("First finds the records of EngineShop that the filter leads to. "), "\(name)")
        }
    }
}

extension Array {
    fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
