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
            #expect(memory.known(for: query, indexVersion: "1", at: time)?.choice == .inOrder(readCount: 30))
        }
        #expect(memory.known(for: query, indexVersion: "1", at: time) == nil)
    }

    @Test func aChoiceHoldsForTenSeconds() throws {
        var memory = PlanMemory()
        _ = memory.known(for: query, indexVersion: "1", at: time)
        memory.note(try known(.filter(selectedCount: 5)), for: query, at: time)
        #expect(memory.known(for: query, indexVersion: "1", at: time + .seconds(9)) != nil)
        #expect(memory.known(for: query, indexVersion: "1", at: time + .seconds(10)) == nil)
    }

    @Test func aChangeOfTheIndexesEndsAllChoices() throws {
        var memory = PlanMemory()
        _ = memory.known(for: query, indexVersion: "1", at: time)
        memory.note(try known(.filter(selectedCount: 5)), for: query, at: time)
        #expect(memory.known(for: query, indexVersion: "1", at: time)?.choice == .filter(selectedCount: 5))
        #expect(memory.known(for: query, indexVersion: "2", at: time) == nil)
        #expect(memory.known(for: query, indexVersion: "1", at: time) == nil)
    }

    @Test func queriesWithALinkAreNotKept() throws {
        var memory = PlanMemory()
        _ = memory.known(for: query, indexVersion: "1", at: time)
        var linked = query
        linked.filter = .refers("project", to: "Project", where: .compare("title", .equal, "x"))
        memory.note(try known(.filter(selectedCount: 5)), for: linked, at: time)
        #expect(memory.known(for: linked, indexVersion: "1", at: time) == nil)
    }

    /// U+212A is canonically equivalent to K.
    @Test(arguments: [("\u{E9}", "e\u{301}"), ("K", "\u{212A}"), ("\u{212A}", "K")])
    func equalQueriesWithOtherBytesHavePlansOfTheirOwn(first: String, second: String) throws {
        func queries(_ text: String) -> [RecordQuery] {
            [RecordQuery("A", where: .hasPrefix("kind", text), limit: 1), RecordQuery(text, limit: 1)]
        }
        let known = try known(.filter(selectedCount: 5))
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
        let known = try known(.filter(selectedCount: 5))
        let queries = (0..<1_000).map { RecordQuery("A", where: .compare("kind", .equal, .int($0)), limit: 1) }
        for query in queries { memory.note(known, for: query, at: time) }
        #expect(queries.count { memory.known(for: $0, indexVersion: "1", at: time) != nil } <= 256)
        #expect(memory.known(for: queries[999], indexVersion: "1", at: time) != nil)
    }

    private func query(_ kind: Int64, limit: Int = 10) -> RecordQuery {
        RecordQuery("A", where: .compare("kind", .equal, .int(kind)), order: [RecordOrder("n")], limit: limit)
    }

    @Test func aQueryWithOtherValuesGetsTheUsualChoiceSixtyFourTimes() throws {
        var memory = PlanMemory()
        #expect(memory.usualChoice(for: query(2), at: time) == nil)
        memory.note(try known(.inOrder(readCount: 30)), for: query(1), at: time)
        #expect(memory.known(for: query(2), indexVersion: "", at: time) == nil)
        #expect(memory.usualChoice(for: query(2, limit: 11), at: time) == nil)
        let other = RecordQuery("A", where: .compare("kind", .atLeast, 1), order: [RecordOrder("n")], limit: 10)
        #expect(memory.usualChoice(for: other, at: time) == nil)
        for kind in 2..<66 {
            #expect(memory.usualChoice(for: query(Int64(kind)), at: time) == .inOrder(readCount: 30))
        }
        #expect(memory.usualChoice(for: query(2), at: time) == nil)
    }

    @Test func aUsualChoiceHoldsForTenSecondsAndTheSameIndexes() throws {
        var memory = PlanMemory()
        memory.note(try known(.filter(selectedCount: 5)), for: query(1), at: time)
        #expect(memory.usualChoice(for: query(2), at: time + .seconds(9)) == .filter(selectedCount: 5))
        #expect(memory.usualChoice(for: query(2), at: time + .seconds(10)) == nil)
        memory.note(try known(.filter(selectedCount: 5)), for: query(1), at: time)
        _ = memory.known(for: query(1), indexVersion: "2", at: time)
        #expect(memory.usualChoice(for: query(2), at: time) == nil)
    }

    @Test func choicesThatDependOnTheValuesAreNotUsual() throws {
        var memory = PlanMemory()
        memory.note(try known(.filter(selectedCount: 5)), for: query(1), at: time)
        memory.note(try known(.inOrder(readCount: 30)), for: query(2), at: time)
        #expect(memory.usualChoice(for: query(3), at: time) == nil)
        memory.note(try known(.filter(selectedCount: 5)), for: query(4), at: time)
        for _ in 1..<16 { #expect(memory.usualChoice(for: query(3), at: time) == nil) }
        #expect(memory.known(for: query(2), indexVersion: "", at: time)?.choice == .inOrder(readCount: 30))
        memory.note(try known(.filter(selectedCount: 5)), for: query(4), at: time)
        #expect(memory.usualChoice(for: query(3), at: time) == .filter(selectedCount: 5))
    }

    @Test func oneOfFourUsualChoicesIsKeptForEqualQueries() throws {
        var memory = PlanMemory()
        let choice = PlanMemory.Choice.filter(selectedCount: 5)
        memory.note(try known(choice), for: query(0), at: time)
        for kind in 1...8 as ClosedRange<Int64> {
            memory.note(try known(choice), for: query(kind), usual: choice, at: time)
        }
        let kept = (0...8).filter { memory.known(for: query($0), indexVersion: "", at: time) != nil }
        #expect(kept == [0, 4, 8])
        memory.note(try known(.inOrder(readCount: 9)), for: query(9), usual: choice, at: time)
        #expect(memory.known(for: query(9), indexVersion: "", at: time)?.choice == .inOrder(readCount: 9))
        #expect(memory.usualChoice(for: query(1), at: time) == nil)
    }

    @Test func choiceThatReadsMoreRecordsIsTheUsualOneThen() throws {
        var memory = PlanMemory()
        for (count, usual) in [(20, 20), (30, 30), (10, 30)] {
            memory.note(try known(.filter(selectedCount: count)), for: query(1), at: time)
            #expect(memory.usualChoice(for: query(2), at: time) == .filter(selectedCount: usual))
        }
    }

    @Test func choiceThatReadsManyRecordsIsNotUsual() throws {
        var memory = PlanMemory()
        memory.note(try known(.filter(selectedCount: 128)), for: query(1), at: time)
        #expect(memory.usualChoice(for: query(2), at: time) == .filter(selectedCount: 128))
        memory.note(try known(.filter(selectedCount: 129)), for: query(1), at: time)
        #expect(memory.usualChoice(for: query(2), at: time) == nil)
        memory.note(try known(.filter(selectedCount: 400)), for: query(1, limit: 100), at: time)
        #expect(memory.usualChoice(for: query(2, limit: 100), at: time) == .filter(selectedCount: 400))
    }

    @Test func valuesOfEveryTermMayDiffer() throws {
        func filters(_ number: Double) throws -> [RecordFilter] {
            let place = try Location(latitude: number, longitude: 1)
            return [
                .isAny("a", of: [.double(number)]), .hasPrefix("a", "\(number)"),
                .containsText("a", "\(number)", ignoresCase: true), .contains("a", .double(number)),
                .within("a", southWest: try Location(latitude: 0, longitude: 0), northEast: place),
                .near("a", place, metres: number), !.compare("a", .less, .double(number)),
                .refers("a", to: "B", where: .compare("a", .less, .double(number))),
            ]
        }
        for (first, second) in zip(try filters(1), try filters(2)) {
            var memory = PlanMemory()
            memory.note(try known(.filter(selectedCount: 5)), for: RecordQuery("A", where: first, limit: 1), at: time)
            let other = RecordQuery("A", where: second, limit: 1)
            #expect(memory.usualChoice(for: other, at: time) == .filter(selectedCount: 5), "\(second)")
        }
    }
}
