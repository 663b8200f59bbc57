import TestSupport
import Testing

@testable import NestedRecords

@Suite struct PlanRaceTests {
    /// The numbers of records that are read until a page is full, or all selected ones are.
    private func cost(
        limit: Int, selected: Int, all: Int, isMatch: (Int) -> Bool
    ) -> (read: Int, counted: Int) {
        var race = PlanRace(limit: limit)
        var (read, found, counted) = (0, 0, 0)
        var step = race.firstStep
        while true {
            switch step {
            case .useFilter: return (read + selected, counted)
            case .countSelected(let most):
                counted += min(selected, most)
                race.noteSelected(min(selected, most), atMost: most)
                step = read == 0 ? race.secondStep : race.step(read: read, found: found)
            case .countAll(let most):
                counted += min(all, most)
                step = race.step(ofAll: min(all, most))
            case .readInOrder(let end):
                while read < end {
                    if read == all || found == limit { return (read, counted) }
                    if isMatch(read) { found += 1 }
                    read += 1
                }
                step = race.step(read: read, found: found)
            }
        }
    }

    /// The number of records that must be read in the order.
    private func readInOrder(limit: Int, all: Int, isMatch: (Int) -> Bool) -> Int {
        var found = 0
        for number in 0..<all {
            if isMatch(number) { found += 1 }
            if found == limit { return number + 1 }
        }
        return all
    }

    @Test(arguments: [1_000, 100_000], [1, 10, 50, 1_000])
    func aPageOfUnrelatedDataCostsLittleMoreThanTheBetterPlan(all: Int, limit: Int) {
        for share in [0.0001, 0.001, 0.01, 0.05, 0.1, 0.3, 0.6, 0.99] {
            var random = SplitMix64(seed: UInt64(all + limit))
            let matches = (0..<all).map { _ in Double.random(in: 0..<1, using: &random) < share }
            let selected = matches.count { $0 }
            let (read, counted) = cost(limit: limit, selected: selected, all: all) { matches[$0] }
            let best = min(selected, readInOrder(limit: limit, all: all) { matches[$0] })
            // Counting a record costs a tenth of reading it; a page has a fixed cost of some 40 records.
            let ratio = (Double(read) + Double(counted) / 10 + 40) / (Double(best) + 40)
            #expect(ratio < (limit == 1 ? 2 : 1.65), "\(share): \(read) read and \(counted) counted, \(best) at best")
        }
    }

    @Test(arguments: [1_000, 100_000], [1, 50])
    func aPageOfRelatedDataCostsAtMostTwoAndAHalfTimesTheBetterPlan(all: Int, limit: Int) {
        for share in [0.001, 0.01, 0.1, 0.5] {
            for isAtEnd in [false, true] {
                let selected = Int(Double(all) * share)
                let isMatch: (Int) -> Bool = { isAtEnd ? $0 >= all - selected : $0 < selected }
                let (read, counted) = cost(limit: limit, selected: selected, all: all, isMatch: isMatch)
                let best = min(selected, readInOrder(limit: limit, all: all, isMatch: isMatch))
                let ratio = (Double(read) + Double(counted) / 10 + 40) / (Double(best) + 40)
                #expect(ratio < 2.5, "\(share), \(isAtEnd): \(read) read and \(counted) counted, \(best) at best")
            }
        }
    }
}
