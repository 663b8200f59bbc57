#if PostgreSQL
import NestedRecords
import Testing

@testable import NestedRecordsPostgreSQL

@Suite struct UsualChoicesTests {
    private func query(_ kind: Int64, limit: Int = 10) -> RecordQuery {
        RecordQuery("A", where: .compare("kind", .equal, .int(kind)), order: [RecordOrder("n")], limit: limit)
    }

    @Test func aQueryWithOtherValuesGetsTheChoiceSixtyFourTimes() {
        var choices = UsualChoices()
        #expect(choices.choice(for: query(1)) == nil)
        choices.note(.inOrder(readCount: 30), for: query(1))
        #expect(choices.choice(for: query(2, limit: 11)) == nil)
        let other = RecordQuery("A", where: .compare("kind", .atLeast, 1), order: [RecordOrder("n")], limit: 10)
        #expect(choices.choice(for: other) == nil)
        for kind in 2..<66 as Range<Int64> { #expect(choices.choice(for: query(kind)) == .inOrder(readCount: 30)) }
        #expect(choices.choice(for: query(1)) == nil)
    }

    @Test func thereIsNoChoiceWhileItDependsOnTheValues() {
        var choices = UsualChoices()
        choices.note(.filter(selectedCount: 5), for: query(1))
        choices.note(.inOrder(readCount: 30), for: query(2))
        for kind in 0..<16 as Range<Int64> {
            #expect(choices.choice(for: query(kind)) == nil)
            if kind < 15 { choices.note(.filter(selectedCount: 5), for: query(kind)) }
        }
        choices.note(.filter(selectedCount: 5), for: query(1))
        #expect(choices.choice(for: query(2)) == .filter(selectedCount: 5))
    }

    @Test func theGreatestNumberOfRecordsCounts() {
        var choices = UsualChoices()
        for (count, usual) in [(20, 20), (30, 30), (10, 30)] {
            choices.note(.filter(selectedCount: count), for: query(1))
            #expect(choices.choice(for: query(2)) == .filter(selectedCount: usual))
        }
    }

    @Test(arguments: [(1, 128), (10, 128), (100, 400)])
    func choiceThatReadsManyRecordsIsNoHint(limit: Int, most: Int) {
        var choices = UsualChoices()
        choices.note(.filter(selectedCount: most), for: query(1, limit: limit))
        #expect(choices.choice(for: query(2, limit: limit)) == .filter(selectedCount: most))
        choices.note(.filter(selectedCount: most + 1), for: query(1, limit: limit))
        #expect(choices.choice(for: query(2, limit: limit)) == nil)
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
            var choices = UsualChoices()
            choices.note(.filter(selectedCount: 5), for: RecordQuery("A", where: first, limit: 1))
            let other = RecordQuery("A", where: second, limit: 1)
            #expect(choices.choice(for: other) == .filter(selectedCount: 5), "\(second)")
        }
    }

    @Test func theNumberOfChoicesIsBounded() {
        var choices = UsualChoices()
        for limit in 1...1_000 { choices.note(.filter(selectedCount: 5), for: query(1, limit: limit)) }
        #expect((1...1_000).count { choices.choice(for: query(1, limit: $0)) != nil } <= 256)
        #expect(choices.choice(for: query(1, limit: 1_000)) != nil)
    }
}
#endif
