#if SQLite
import TestSupport
import Testing

@testable import NestedRecordsSQLite

@Suite struct PlanRaceTests {
    /// The time of a page, in times of reading a record.
    ///
    /// A page has a fixed time of some 20 records, and each of its own records takes two more. The number of a row is read
    /// from an index in a seventh of the time.
    private struct Cost {
        let pageCount: Int
        var records = 0
        var entries = 0
        var time: Double { 20 + Double(2 * pageCount + records) + Double(entries) / 7 }
    }

    private func cost(limit: Int, matches: [Bool]) -> Cost {
        let race = PlanRace(limit: limit)
        let all = matches.count { $0 }
        var (cost, selected, read, found) = (Cost(pageCount: min(limit, all)), 0, 0, 0)
        func areAllFound(atMost most: Int) -> Bool {
            let count = max(selected, min(all, most + 1))
            cost.entries += count - selected
            selected = count
            return selected <= most
        }
        if areAllFound(atMost: race.firstSelectedCount) {
            cost.records = all
            return cost
        }
        var end = race.firstReadCount
        while read < matches.count, found <= limit {
            if read == end {
                if areAllFound(atMost: race.selectedCount(read: read, found: found)) { break }
                end = race.readCount(read: read, found: found)
            }
            cost.records += 1
            if matches[read] { found += 1 }
            read += 1
        }
        if read == matches.count || found > limit { return cost }
        cost.entries += read
        while read < matches.count, found <= limit {
            if read > selected, !race.goesOn(read: read, found: found, selected: selected) {
                cost.records += selected
                return cost
            }
            cost.entries += 1
            if matches[read] { (found, cost.records) = (found + 1, cost.records + 1) }
            read += 1
        }
        return cost
    }

    private func best(limit: Int, matches: [Bool]) -> Double {
        var found = 0
        let end = matches.firstIndex { isMatch in
            found += isMatch ? 1 : 0
            return found > limit
        }
        let all = matches.count { $0 }
        return Cost(pageCount: min(limit, all), records: min(all, end.map { $0 + 1 } ?? matches.count)).time
    }

    @Test(arguments: [1_000, 10_000], [1, 10, 50, 1_000])
    func aPageOfUnrelatedDataCostsLittleMoreThanTheBetterPlan(all: Int, limit: Int) {
        var ratios: [Double] = []
        for share in [0.0001, 0.001, 0.01, 0.05, 0.1, 0.3, 0.6, 0.99] {
            for seed in 0..<2 {
                var random = SplitMix64(seed: UInt64(all + limit + seed))
                let matches = (0..<all).map { _ in Double.random(in: 0..<1, using: &random) < share }
                let ratio = cost(limit: limit, matches: matches).time / best(limit: limit, matches: matches)
                ratios.append(ratio)
                #expect(ratio < 2, "\(share), \(seed)")
            }
        }
        ratios.sort()
        #expect(ratios[ratios.count / 2] < 1.15)
    }

    @Test(arguments: [1_000, 10_000], [1, 10, 50, 1_000])
    func aPageOfRelatedDataCostsAtMostTwiceAsMuchAsTheBetterPlan(all: Int, limit: Int) {
        for share in [0.001, 0.01, 0.1, 0.5, 0.9] {
            let selected = Int(Double(all) * share)
            for start in [0, all / 1_000, all / 100, all / 10, all / 2, all - selected] where start + selected <= all {
                let matches = (0..<all).map { $0 >= start && $0 < start + selected }
                let ratio = cost(limit: limit, matches: matches).time / best(limit: limit, matches: matches)
                #expect(ratio < 2, "\(share), from \(start)")
            }
        }
    }
}
#endif
