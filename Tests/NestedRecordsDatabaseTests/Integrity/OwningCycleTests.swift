import NestedRecords
import TestSupport
import Testing

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

    @Test(arguments: examples) func oneRingOfEachGroupIsFoundInADatabase(_ example: Example) async throws {
        let database = InMemoryRecordDatabase()
        _ = try await database.modifyRecords(saving: example.records(), deleting: [], savePolicy: .overwrite)
        #expect(try await database.owningCycles().map(\.description).sorted() == example.rings)
    }

    @Test(arguments: examples) func oneRingOfEachGroupIsFoundInAGraph(_ example: Example) throws {
        let cycles = try RecordGraph(example.records()).owningCycles
        #expect(cycles.map(\.description).sorted() == example.rings)
        for cycle in cycles {
            #expect(cycle.steps.first?.record == cycle.steps.last?.record)
            #expect(cycle.steps.last?.path == "")
        }
    }

    @Test(.timeLimit(.minutes(10))) func longRingIsFoundAndToldByItsBeginningAndEnd() throws {
        let count = 20_000
        let records = try (0..<count).map { try Flat.owned("A/\($0)", ["n": "A/\(($0 + 1) % count)"]) }
        let cycle = try #require(RecordGraph(records).owningCycles.first)
        #expect(cycle.steps.count == count + 1)
        #expect(
            cycle.description == """
                A/0 .n → A/1 .n → A/2 .n → A/3 .n → … 19992 more … → \
                A/19996 .n → A/19997 .n → A/19998 .n → A/19999 .n → A/0
                """)
    }
}
