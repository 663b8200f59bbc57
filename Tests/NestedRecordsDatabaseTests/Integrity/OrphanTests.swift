import NestedRecords
import TestSupport
import Testing

@Suite struct OrphanTests {
    private func makeRecords() throws -> [Record] {
        [
            try Flat.record("A/1", ["to": .list([.map(["é": Flat.reference("A/2")])])]),
            try Flat.record("A/2", ["to": Flat.reference("A/3", isLink: true), "gone": Flat.reference("A/9")]),
            try Flat.record("A/3", ["back": Flat.owner("A/1")]),
            try Flat.record("B/1", ["to": Flat.reference("A/1")]),
            try Flat.record("B/2", ["to": Flat.reference("B/2")]),
            try Flat.record("B/e\u{301}"),
        ]
    }

    static let roots: [([String], [String])] = [
        (["A/1"], ["B/1", "B/2", "B/e\u{301}"]), (["A/3", "B/2", "A/3"], ["B/1", "B/e\u{301}"]),
        (["B/1", "B/e\u{301}"], ["B/2"]), (["B/2"], ["A/1", "A/2", "A/3", "B/1", "B/e\u{301}"]),
        ([], ["A/1", "A/2", "A/3", "B/1", "B/2", "B/e\u{301}"]),
    ]

    @Test(arguments: roots, [1, 2, 7, .max])
    func recordsThatNothingLeadsToAreFound(_ example: ([String], [String]), limit: Int) async throws {
        let (roots, orphans) = example
        let database = try await InMemoryRecordDatabase.holding(makeRecords(), batchLimit: limit)
        #expect(try await database.orphans(reachableFrom: Flat.ids(roots)) == Flat.ids(orphans))
    }

    @Test func nothingIsFetched() async throws {
        let database = try await CountingDatabase(holding: makeRecords(), batchLimit: 2)
        _ = try await database.orphans(reachableFrom: Flat.ids(["B/1"]))
        #expect(database.calls.isEmpty)
    }

    @Test(arguments: [1, 2, .max]) func missingRootIsReported(limit: Int) async throws {
        let roots = try Flat.ids(["A/1", "B/\u{E9}", "A/9"])
        let database = try await InMemoryRecordDatabase.holding(makeRecords(), batchLimit: limit)
        let error = await #expect(throws: RecordError.self) { try await database.orphans(reachableFrom: roots) }
        #expect(error?.code == .recordNotFound && error?.recordID == roots[1])
    }
}
