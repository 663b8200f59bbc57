import TestSupport
import Testing

@testable import NestedRecords

@Suite struct OwningCycleTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let rings: [String]
        let records: @Sendable () throws -> [Record]
    }

    static let examples = [
        Example(testDescription: "no records", rings: []) { [] },
        Example(testDescription: "a chain", rings: []) {
            [try Flat.owned("A/1", ["next": "A/2"]), try Flat.owned("A/2", ["next": "A/3"]), try Flat.record("A/3")]
        },
        Example(testDescription: "a record that owns itself", rings: ["A/1 .self → A/1"]) {
            [try Flat.owned("A/1", ["self": "A/1"])]
        },
        Example(testDescription: "a ring", rings: ["A/1 .next → B/1 .owner → A/1"]) {
            [try Flat.owned("A/1", ["next": "B/1"]), try Flat.owned("B/1", ["owner": "A/1"])]
        },
        Example(testDescription: "two rings", rings: ["A/1 .b → A/1", "B/é .ü → B/e\u{301} .ü → B/é"]) {
            [
                try Flat.owned("A/1", ["b": "A/1", "c": "B/é"]), try Flat.owned("B/é", ["ü": "B/e\u{301}"]),
                try Flat.owned("B/e\u{301}", ["ü": "B/é"]),
            ]
        },
        Example(testDescription: "rings with a common record", rings: ["A/1 .b → A/2 .a → A/1"]) {
            [
                try Flat.owned("A/1", ["b": "A/2", "c": "A/3"]), try Flat.owned("A/2", ["a": "A/1"]),
                try Flat.owned("A/3", ["a": "A/1"]),
            ]
        },
        Example(testDescription: "a ring of plain references", rings: []) {
            [
                try Flat.owned("A/1", ["next": "A/2"]), try Flat.record("A/2", ["next": Flat.reference("A/1")]),
            ]
        },
        Example(testDescription: "a missing owner", rings: []) {
            [try Flat.owned("A/1", ["next": "A/2"])]
        },
        Example(testDescription: "a ring in lists and maps", rings: ["A/1 .to[1].in → A/2 .to[0][0] → A/1"]) {
            [
                try Flat.record("A/1", ["to": .list([.null, .map(["in": Flat.owner("A/2")])])]),
                try Flat.record("A/2", ["to": .list([.list([Flat.owner("A/1")])])]),
            ]
        },
    ]

    @Test(arguments: examples) func oneRingOfEachGroupIsFound(_ example: Example) async throws {
        let database = try await InMemoryRecordDatabase.holding(example.records())
        let cycles = try await database.owningCycles()
        #expect(cycles.map(\.chainText).sorted() == example.rings)
        for cycle in cycles {
            #expect(cycle.first?.record == cycle.last?.record && cycle.last?.path == "")
        }
    }

    @Test(.timeLimit(.minutes(60))) func longRingIsReportedByItsBeginningAndEnd() async throws {
        let count = 20_000
        let names = (0..<count).map { "A/\(10 * count + $0)" }
        let records = try (0..<count).map { try Flat.owned(names[$0], ["n": names[($0 + 1) % count]]) }
        let cycle = try #require(try await InMemoryRecordDatabase.holding(records).owningCycles().first)
        #expect(cycle.count == count + 1)
        #expect(
            cycle.chainText == """
                A/200000 .n → A/200001 .n → A/200002 .n → A/200003 .n → … 19992 more … → \
                A/219996 .n → A/219997 .n → A/219998 .n → A/219999 .n → A/200000
                """)
    }
}
