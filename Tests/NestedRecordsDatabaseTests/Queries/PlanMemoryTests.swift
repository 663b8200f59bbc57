import TestSupport
import Testing

@testable import NestedRecords

@Suite struct PlanMemoryTests {
    private let query = RecordQuery("A", where: .compare("kind", .equal, 1), order: [RecordOrder("n")], limit: 10)

    private let time = ContinuousClock.now

    private func known(_ choice: PlanMemory.Choice) throws -> PlanMemory.Known {
        let indexes = [FieldIndex("A", by: "kind"), FieldIndex("A", by: "n")]
        let (plan, inOrder) = try QueryPlan.alternatives(query, targets: [:], indexes: indexes)
        return PlanMemory.Known(choice, plan, inOrder: try #require(inOrder))
    }

    @Test func anEqualQueryGetsTheChoiceSixtyFourTimes() throws {
        var memory = PlanMemory()
        #expect(memory.known(for: query, indexVersion: "1", at: time) == nil)
        memory.note(try known(.inOrder(readCount: 30)), for: query, at: time)
        var other = query
        other.limit = 11
        #expect(memory.known(for: other, indexVersion: "1", at: time) == nil)
        for _ in 0..<64 {
            #expect(memory.known(for: query, indexVersion: "1", at: time)?.firstStep == .readInOrder(until: 60))
        }
        #expect(memory.known(for: query, indexVersion: "1", at: time) == nil)
    }

    @Test func aChoiceHoldsForTenSeconds() throws {
        var memory = PlanMemory()
        _ = memory.known(for: query, indexVersion: "1", at: time)
        memory.note(try known(.filter), for: query, at: time)
        #expect(memory.known(for: query, indexVersion: "1", at: time + .seconds(9)) != nil)
        #expect(memory.known(for: query, indexVersion: "1", at: time + .seconds(10)) == nil)
    }

    @Test func aChangeOfTheIndexesEndsAllChoices() throws {
        var memory = PlanMemory()
        _ = memory.known(for: query, indexVersion: "1", at: time)
        memory.note(try known(.filter), for: query, at: time)
        #expect(memory.known(for: query, indexVersion: "1", at: time)?.choice == .filter)
        #expect(memory.known(for: query, indexVersion: "2", at: time) == nil)
        #expect(memory.known(for: query, indexVersion: "1", at: time) == nil)
    }

    @Test func queriesWithALinkAreNotKept() throws {
        var memory = PlanMemory()
        _ = memory.known(for: query, indexVersion: "1", at: time)
        var linked = query
        linked.filter = .refers("project", to: "Project", where: .compare("title", .equal, "x"))
        memory.note(try known(.filter), for: linked, at: time)
        #expect(memory.known(for: linked, indexVersion: "1", at: time) == nil)
    }

    /// U+212A is canonically equivalent to K.
    @Test(arguments: [("\u{E9}", "e\u{301}"), ("K", "\u{212A}"), ("\u{212A}", "K")])
    func equalQueriesWithOtherBytesHavePlansOfTheirOwn(first: String, second: String) throws {
        func queries(_ text: String) -> [RecordQuery] {
            [RecordQuery("A", where: .hasPrefix("kind", text), limit: 1), RecordQuery(text, limit: 1)]
        }
        let known = try known(.filter)
        for (first, second) in zip(queries(first), queries(second)) {
            #expect(first == second)
            var memory = PlanMemory()
            _ = memory.known(for: first, indexVersion: "1", at: time)
            memory.note(known, for: first, at: time)
            #expect(memory.known(for: second, indexVersion: "1", at: time) == nil)
        }
    }

    @Test func theNumberOfKeptChoicesIsBounded() throws {
        var memory = PlanMemory()
        _ = memory.known(for: query, indexVersion: "1", at: time)
        let known = try known(.filter)
        let queries = (0..<1_000).map { RecordQuery("A", where: .compare("kind", .equal, .int($0)), limit: 1) }
        for query in queries { memory.note(known, for: query, at: time) }
        #expect(queries.count { memory.known(for: $0, indexVersion: "1", at: time) != nil } <= 256)
        #expect(memory.known(for: queries[999], indexVersion: "1", at: time) != nil)
    }
}
