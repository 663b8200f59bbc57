import TestSupport
import Testing

@_spi(Engines) @testable import NestedRecords

@Suite struct QueryPlanTests {
    private let byAge = FieldIndex("Book", by: "age")
    private let byTitle = FieldIndex("Book", by: "title")

    private func plan(
        _ filter: RecordFilter?, order: [RecordOrder] = [], limit: Int? = nil, _ indexes: FieldIndex...
    ) throws -> QueryPlan {
        try QueryPlan(RecordQuery("Book", where: filter, order: order, limit: limit), indexes: indexes)
    }

    @Test func anEqualityIsLookedForByItsKey() throws {
        let plan = try plan(.compare("title", .equal, "M") && .compare("age", .greater, 3), byAge, byTitle)
        #expect(plan.index == byTitle && plan.ranges.map(\.point) == [SortKey("M")])
        #expect(!plan.isCovered && plan.isOrdered, "the names are in order where the keys are the same")
    }

    @Test func anIndexOfSeveralPathsServesEqualitiesARangeAndAnOrder() throws {
        let index = FieldIndex("Book", by: "owner", "due", "title")
        let ann = RecordFilter.compare("owner", .equal, "ann")
        func joined(_ keys: Record.Value...) -> SortKey { SortKey(joining: keys.map { SortKey($0) }) }

        let equality = try plan(ann, index)
        #expect(equality.ranges.count == 1 && equality.isCovered && !equality.isOrdered)
        #expect(
            equality.ranges[0].contains(joined("ann", 1, "a")) && !equality.ranges[0].contains(joined("anna", 1, "a")))
        #expect(!equality.ranges[0].contains(joined("an", 1, "a")))

        let range = try plan(ann && .compare("due", .greater, 3) && .compare("due", .atMost, 5), index)
        #expect(range.ranges.count == 1 && range.isCovered)
        for (due, isInside) in [(3, false), (4, true), (5, true), (6, false)] as [(Record.Value, Bool)] {
            #expect(range.ranges[0].contains(joined("ann", due, "z")) == isInside)
            #expect(!range.ranges[0].contains(joined("bo", due, "z")))
        }
        let order = [RecordOrder("due", isDescending: true), RecordOrder("title", isDescending: true)]
        let ordered = try plan(ann, order: order, limit: 3, index, FieldIndex("Book", by: "owner"))
        #expect(ordered.index == index && ordered.isPushedDown && ordered.isDescending)
        #expect(try !plan(ann, order: [RecordOrder("due")], index).isOrdered, "the title would come before the name")
        #expect(try !plan(ann, order: [order[0], RecordOrder("title")], index).isOrdered)
        #expect(try plan(.compare("due", .equal, 3), index).ranges == [.all])
        let all = ann && .compare("due", .equal, "x") && .compare("title", .equal, "t")
        #expect(try plan(all, limit: 3, index).ranges == [.point(joined("ann", "x", "t"))])
        #expect(try plan(all, limit: 3, index).isPushedDown)
    }

    @Test func severalValuesAreSeveralRanges() throws {
        let plan = try plan(.isAny("title", of: ["b", "a", "b"]), byTitle)
        #expect(plan.ranges.map(\.point) == [SortKey("a"), SortKey("b")] && plan.isCovered && !plan.isOrdered)
    }

    @Test func comparisonsTogetherAreOneRange() throws {
        let plan = try plan(
            .compare("title", .atLeast, "a") && .compare("title", .less, "c"), order: [RecordOrder("title")], byTitle)
        let range = try #require(plan.ranges.first)
        #expect(plan.ranges.count == 1 && plan.isPushedDown)
        #expect(range.contains(SortKey("a")) && range.contains(SortKey("bz")) && !range.contains(SortKey("c")))
        #expect(!range.contains(SortKey(7)) && !range.contains(SortKey(nil)))
    }

    @Test func aValueThatIsMissingOrNullIsLookedFor() throws {
        let plan = try plan(.isNull("title") || !.exists("title"), byTitle)
        #expect(plan.ranges.map(\.point) == [SortKey(nil), SortKey(.null)] && plan.isCovered)
    }

    @Test func theOppositeOfEqualityIsEverythingElse() throws {
        let plan = try plan(.compare("title", .notEqual, "b"), order: [RecordOrder("title")], byTitle)
        #expect(plan.isPushedDown && plan.ranges.count == 2)
        for key in [nil, "a", "ba"] as [Record.Value?] {
            #expect(plan.ranges.contains { $0.contains(SortKey(key)) })
        }
        #expect(!plan.ranges.contains { $0.contains(SortKey("b")) })
    }

    @Test func numbersAreTriedThemselves() throws {
        let plan = try plan(.compare("age", .equal, 1), byAge)
        #expect(plan.ranges.map(\.point) == [SortKey(1)] && !plan.isCovered, "a decimal number has the same key")
    }

    @Test func anOrderIsThatOfItsIndex() throws {
        let order = [RecordOrder("title", isDescending: true), RecordOrder(.recordName), RecordOrder("age")]
        let plan = try plan(nil, order: order, limit: 3, byAge, byTitle)
        #expect(plan.index == byTitle && plan.isDescending && plan.isPushedDown && plan.ranges == [.all])
    }

    @Test func anOrderByTwoValuesIsThatOfNoIndex() throws {
        #expect(try !plan(nil, order: [RecordOrder("title"), RecordOrder("age")], byAge, byTitle).isOrdered)
        let ordered = try plan(
            .compare("title", .equal, "a"), order: [RecordOrder("title"), RecordOrder(.recordName)], byTitle)
        #expect(ordered.isPushedDown && ordered.index == byTitle)
    }

    @Test func namesAreInOrderWithoutAnIndex() throws {
        let plan = try plan(.compare("age", .equal, 1), order: [RecordOrder(.recordName)], limit: 1)
        #expect(plan.index == nil && plan.isOrdered && !plan.isCovered && plan.ranges == [.all])
        #expect(try !self.plan(nil, order: [RecordOrder(.recordName, isDescending: true)]).isOrdered)
    }

    @Test func whatHoldsForNoRecordIsNotLookedFor() throws {
        #expect(try plan(.any([]), byTitle).ranges.isEmpty)
        let nothing = RecordFilter.compare("title", .equal, "a") && .compare("title", .equal, "b")
        #expect(try plan(nothing, byTitle).ranges.isEmpty)
        #expect(try plan(.all([]), byTitle).isPushedDown)
    }

    @Test func anIndexThatLeavesOutLittleIsNotWorthAnOrder() throws {
        #expect(try plan(.exists("title"), limit: 1, byTitle).index == nil)
        #expect(try plan(.exists("title"), order: [RecordOrder("age")], byTitle).index == byTitle)
        let both = RecordFilter.exists("title") && .compare("age", .greater, 3)
        #expect(try plan(both, order: [RecordOrder("title")], byAge, byTitle).index == byAge)
    }

    @Test func anotherPathSaysNothing() throws {
        let plan = try plan(.compare("title", .equal, "a") || .compare("age", .equal, 1), byAge, byTitle)
        #expect(plan.index == nil && plan.ranges == [.all] && !plan.isCovered)
    }

    @Test func indexesOfOtherTypesAreLeftAlone() throws {
        #expect(try plan(.compare("age", .equal, 1), FieldIndex("Shelf", by: "age")).index == nil)
    }

    @Test func theCursorIsAPlaceInTheIndex() throws {
        var query = RecordQuery("Book", order: [RecordOrder("title")])
        query.after = QueryCursor(of: query, after: try Flat.record("Book/b", ["title": "M"]))
        let start = try QueryPlan(query, indexes: [byTitle]).start
        #expect(start == QueryPlan.Start(key: SortKey("M"), name: "b"))
        #expect(try QueryPlan(query, indexes: []).start == nil)
        query.filter = .exists("title")
        let failure = #expect(throws: RecordError.self) { try QueryPlan(query, indexes: []) }
        #expect(failure?.code == .foreignCursor)
    }

    @Test func manyValuesAreBetweenTheLeastAndTheGreatest() throws {
        let values = (0..<5_000).map { Record.Value.string("v\($0)") }
        let plan = try plan(.isAny("title", of: values), byTitle)
        #expect(plan.ranges.count == 1 && !plan.isCovered && plan.index == byTitle)
        #expect(plan.ranges[0].contains(SortKey("v4999")) && !plan.ranges[0].contains(SortKey("w")))
    }

    @Test func theLongestFilterIsPlannedInAMoment() throws {
        let values = (0..<RecordFilter.mostTerms - 1).map { "\($0)" }
        let filter = RecordFilter.all(values.map { .compare("title", .notEqual, .string($0)) })
        let plan = try plan(filter, order: [RecordOrder("title")], byTitle)
        // One range before, between and after the values.
        #expect(plan.index == byTitle && plan.ranges.count == values.count + 1)
    }

    @Test func storedNamesAreDifferent() {
        let paths: [FieldPath] = [
            "a.b", FieldPath(["a.b"]), FieldPath(["a\\", "b"]), FieldPath(["a\\.b"]), .recordName, FieldPath(["@name"]),
            FieldPath([]), FieldPath([""]), FieldPath(["", ""]), FieldPath(["\u{301}"]), FieldPath(["\u{200D}x"]),
            FieldPath(["\u{301}", "\u{301}."]),
        ]
        let names = paths.map { FieldIndex("Book", by: $0).storedName }
        // No field has no name, so that both of these find nothing.
        #expect(Set(names).count == names.count - 1, "\(names)")
        for path in paths where path != FieldPath([]) {
            #expect(FieldIndex(storedName: FieldIndex("Book", by: path).storedName) == FieldIndex("Book", by: path))
        }
    }
}

// MARK: Random filters

extension QueryPlanTests {
    private static let paths: [FieldPath] = [
        "a", "b", "c", "a.a", "b.x.b", "c.latitude", "é", .recordName, .modificationDate, .changeTag, FieldPath([]),
    ]

    /// Prefixes, boxes and strings at the edges of what a key holds.
    private static let hostileFilters: [RecordFilter] =
        ["", "\0", "\u{1}", "\u{10FFFF}", "\u{D7FF}", "a\u{10FFFF}", String(repeating: "x", count: 700)].flatMap {
            [.hasPrefix("a", $0), .compare("a", .less, .string($0)), .compare("a", .greater, .string($0))]
        }
        + [476, 477, 479, 480, 481].flatMap { count -> [RecordFilter] in
            let text = String(repeating: "x", count: count)
            return ["", "\u{1}", "\0", "é"].map { .hasPrefix("a", text + $0) }
        }

    private static let hostileValues: [Record.Value] =
        ["", "\0", "\u{1}", "\u{1}\u{1}", "\u{2}", "\u{10FFFF}\u{10FFFF}", "a\u{10FFFF}", "b", "\u{E000}"].map {
            .string($0)
        }
        + (474...484).flatMap { count in
            ["", "é", "\u{1}", "\0é", "\u{10FFFF}tail"].map { .string(String(repeating: "x", count: count) + $0) }
        }

    private func check(
        _ part: RecordFilterPart, _ records: [Record], by path: FieldPath, _ label: String
    ) throws {
        let found = FilterRanges(of: part, by: path)
        var matcher = try RecordMatcher(part)
        for record in records {
            let key = SortKey(path.value(in: record))
            let isInside = found.keys.ranges.contains { $0.contains(key) }
            if matcher.holds(for: record) {
                #expect(isInside, "\(label): \(record.id) by \(path) is left out")
            } else if found.isExact {
                #expect(!isInside, "\(label): \(record.id) by \(path) does not fit")
            }
        }
        for (left, right) in zip(found.keys.ranges, found.keys.ranges.dropFirst()) {
            #expect(try #require(left.upper) < right.lower, "\(label): the ranges by \(path) overlap")
        }
    }

    @Test(arguments: 0..<60)
    func nothingThatAFilterFindsIsOutsideTheRanges(_ seed: UInt64) async throws {
        var random = RandomQuery(seed: seed)
        let database = InMemoryRecordDatabase()
        try await database.commit(RecordBatch(saving: try random.records(), savePolicy: .overwrite))
        for _ in 0..<30 {
            let query = try random.query()
            let targets = try await database.targets(of: query.filter).ids
            let part = RecordFilterPart(query.filter, targets: targets)
            var records: [Record] = []
            for try await record in database.records(ofType: query.recordType) { records.append(record) }
            for path in Self.paths { try check(part, records, by: path, "\(query)") }
        }
    }

    @Test(arguments: hostileFilters.indices)
    func nothingIsOutsideTheRangesOfHostileStrings(_ number: Int) throws {
        let filter = Self.hostileFilters[number]
        let records = try Self.hostileValues.enumerated().map { try Flat.record("Book/\($0)", ["a": $1]) }
        try check(RecordFilterPart(filter), records, by: "a", "\(filter)")
        try check(RecordFilterPart(!filter), records, by: "a", "not \(filter)")
    }

    /// Reads an index as a database does that follows the plan.
    private func page(_ query: RecordQuery, _ plan: QueryPlan, _ targets: [Int: Set<Record.ID>], _ records: [Record])
        throws -> (ids: [Record.ID], examinedCount: Int)
    {
        func place(_ record: Record) -> (SortKey, String) {
            (plan.index.map { $0.key(of: record) } ?? SortKey(nil), record.id.name)
        }
        func isBefore(_ left: (SortKey, String), _ right: (SortKey, String)) -> Bool {
            if left.0 != right.0 { return plan.isDescending ? right.0 < left.0 : left.0 < right.0 }
            return left.1.utf8.lexicographicallyPrecedes(right.1.utf8)
        }
        let limit = query.limit ?? .max
        var (found, examined): ([Record], Int) = ([], 0)
        var matcher = try RecordMatcher(RecordFilterPart(query.filter, targets: targets))
        for record in records.sorted(by: { isBefore(place($0), place($1)) }) {
            let place = place(record)
            guard plan.ranges.contains(where: { $0.contains(place.0) }) else { continue }
            if let start = plan.start, !isBefore((start.key ?? place.0, start.name), place) { continue }
            examined += 1
            if plan.isCovered || matcher.holds(for: record) { found.append(record) }
            if plan.isOrdered, found.count >= limit { break }
        }
        if plan.isOrdered { return (found.prefix(limit).map(\.id), examined) }
        var scan = try QueryScan(query, targets: targets)
        for record in found { scan.add(record) }
        return (scan.sortedIDs, examined)
    }

    @Test(arguments: 0..<40)
    func aPlanThatIsFollowedGivesThePage(_ seed: UInt64) async throws {
        var random = RandomQuery(seed: seed &+ 1_000)
        let database = InMemoryRecordDatabase()
        try await database.commit(RecordBatch(saving: try random.records(), savePolicy: .overwrite))
        let indexes =
            ["Book", "Shelf", "Room"].flatMap { type in
                Self.paths.prefix(Int(seed % 8)).map { FieldIndex(type, by: $0) }
            } + RandomQuery.joinedIndexes
        for _ in 0..<40 {
            var query = try random.anyQuery()
            let targets = try await database.targets(of: query.filter).ids
            var records: [Record] = []
            for try await record in database.records(ofType: query.recordType) { records.append(record) }
            for _ in 0..<3 {
                let expected = try await database.page(query)
                let plan = try QueryPlan(query, targets: targets, indexes: indexes)
                let found = try page(query, plan, targets, records)
                #expect(found.ids == expected.records.map(\.id), "\(query), \(plan)")
                guard let next = expected.next else { break }
                query.after = next
            }
        }
    }
}

extension QueryScan {
    /// The IDs of the page.
    fileprivate var sortedIDs: [Record.ID] { page().records.map(\.id) }
}
