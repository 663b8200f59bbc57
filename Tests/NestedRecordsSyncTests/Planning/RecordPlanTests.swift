import Foundation
import NestedRecords
import Testing

@testable import NestedRecordsSync

private let type = "R"

/// All records of two fields, each missing or one of three values, and the missing record.
private let states: [Record.Fields?] = {
    let values: [Record.Value?] = [nil, 1, 2, 3]
    let records = values.flatMap { x in
        values.map { y in
            var fields = Record.Fields()
            fields["x"] = x
            fields["y"] = y
            return fields
        }
    }
    return [nil] + records
}()

private func plan(
    _ base: Record.Fields?, _ local: Record.Fields?, _ remote: Record.Fields?, _ rules: SyncRules = SyncRules()
) -> (plan: RecordPlan, local: Record.Fields?, base: RemoteState?) {
    let former = base.map { RemoteState(fields: $0, tag: "1") }
    // The same contents may have another tag: somebody has saved them again.
    let current = remote.map { RemoteState(fields: $0, tag: "2") }
    let plan = RecordPlan(ofType: type, base: former, local: local, remote: current, rules)
    let result: Record.Fields? =
        switch plan.local {
        case .keep: local
        case .save(let fields): fields
        case .delete: nil
        }
    let next: RemoteState? =
        switch plan.base {
        case .keep: former
        case .set(let state): state
        case .forget: nil
        }
    return (plan, result, next)
}

private func forAllCases(_ body: (_ base: Record.Fields?, _ local: Record.Fields?, _ remote: Record.Fields?) -> Bool)
    -> [String]
{
    var failures: [String] = []
    for base in states {
        for local in states {
            for remote in states where !body(base, local, remote) {
                failures.append("\(base.orUnknown), \(local.orUnknown), \(remote.orUnknown)")
            }
        }
    }
    return Array(failures.prefix(5))
}

private func rules(_ contest: SyncRules.Contest, _ deletions: SyncRules.DeletionRule) -> SyncRules {
    var rules = SyncRules()
    (rules.contested, rules.deletions) = (contest, deletions)
    return rules
}

private let allRules = [
    rules(.remote, .updateWins), rules(.remote, .deletionWins), rules(.local, .updateWins),
    rules(.local, .deletionWins),
]

@Suite struct RecordPlanTests {
    @Test(arguments: allRules.indices)
    func theBaseBecomesTheRemoteState(_ rules: Int) {
        let failures = forAllCases { base, local, remote in
            let result = plan(base, local, remote, allRules[rules])
            return (result.base?.fields).isSame(as: remote) && result.base?.tag == remote.map { _ in "2" }
        }
        #expect(failures == [])
    }

    @Test(arguments: allRules.indices)
    func aChangeOfOneSideIsTaken(_ rules: Int) {
        let failures = forAllCases { base, local, remote in
            let result = plan(base, local, remote, allRules[rules])
            if local.isSame(as: base) { return result.local.isSame(as: remote) && result.plan.loss == nil }
            if remote.isSame(as: base) || local.isSame(as: remote) {
                return result.plan.local == .keep && result.plan.loss == nil
            }
            return true
        }
        #expect(failures == [])
    }

    @Test(arguments: allRules.indices)
    func nothingIsLostWithoutALogEntryAndNothingIsInvented(_ rules: Int) {
        let failures = forAllCases { base, local, remote in
            let result = plan(base, local, remote, allRules[rules])
            return ["x", "y"].allSatisfy { name in
                let values = [local, remote].map { $0?[name] }
                let (merged, former) = (result.local?[name], base?[name])
                if !values.contains(where: { $0.isSame(as: merged) }) { return false }
                // Each side's change is in the result, or in the log.
                return values.allSatisfy { value in
                    value.isSame(as: former) || value.isSame(as: merged)
                        || result.plan.loss?.fields.contains(name) == true
                        // A deletion that won removes what the other side had not changed.
                        || value == nil && (local == nil || remote == nil) && result.plan.loss != nil
                }
            }
        }
        #expect(failures == [])
    }

    @Test(arguments: allRules.indices)
    func aSecondRoundChangesNothing(_ rules: Int) {
        let failures = forAllCases { base, local, remote in
            let first = plan(base, local, remote, allRules[rules])
            let second = plan(first.base?.fields, first.local, remote, allRules[rules])
            return second.plan.local == .keep && second.plan.loss == nil
        }
        #expect(failures == [])
    }

    @Test(arguments: [SyncRules.DeletionRule.updateWins, .deletionWins])
    func bothSidesWouldMergeAlike(_ deletions: SyncRules.DeletionRule) {
        let failures = forAllCases { base, local, remote in
            let here = plan(base, local, remote, rules(.remote, deletions))
            let there = plan(base, remote, local, rules(.local, deletions))
            // What is kept where the side has it is pushed to the other.
            return here.local.isSame(as: there.local) && (here.plan.loss == nil) == (there.plan.loss == nil)
        }
        #expect(failures == [])
    }

    @Test func countersCountTheAdditionsOfBothSides() {
        var rules = SyncRules()
        rules.set(.counter, for: "x", ofType: type)
        let failures = forAllCases { base, local, remote in
            guard let base, let local, let remote, case .int(let left)? = local["x"],
                case .int(let right)? = remote["x"]
            else { return true }
            let former: Int64 = if case .int(let number)? = base["x"] { number } else { 0 }
            let result = plan(base, local, remote, rules)
            if (remote as Record.Fields?).isSame(as: base) { return result.plan.local == .keep }
            return result.local?["x"] == .int(left + right - former)
        }
        #expect(failures == [])
    }

    @Test func aCounterThatOverflowsIsContested() {
        var rules = SyncRules()
        rules.set(.counter, for: "x", ofType: type)
        let result = plan(["x": 0], ["x": .int(.max)], ["x": 1], rules)
        #expect(result.local == ["x": 1])
        #expect(result.plan.loss == RecordPlan.Loss(kind: .fields, fields: ["x"]))
        #expect(plan(["x": 0], ["x": 1], ["x": 1.5], rules).plan.loss?.fields == ["x"])
        #expect(plan(["x": 1.0], ["x": 2.5], ["x": 3.0], rules).local == ["x": 4.5])
    }

    @Test func theNewestValueWins() throws {
        var rules = SyncRules()
        rules.set(.contested(.newest(by: "at")), for: "x", ofType: type)
        rules.contested = .newest(by: "at")
        func fields(_ x: Int64, _ seconds: Double?) -> Record.Fields {
            var fields: Record.Fields = ["x": .int(x)]
            fields["at"] = seconds.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
            return fields
        }
        #expect(plan(fields(0, 0), fields(1, 2), fields(2, 1), rules).local == fields(1, 2))
        #expect(plan(fields(0, 0), fields(1, 1), fields(2, 2), rules).local == fields(2, 2))
        #expect(plan(fields(0, 0), fields(1, 1), fields(2, 1), rules).local == fields(2, 1))
        #expect(plan(fields(0, 0), fields(1, nil), fields(2, 1), rules).local == fields(2, 1))
        #expect(plan(nil, fields(1, 2), fields(2, 1), rules).local == fields(1, 2))
    }

    @Test func aClosureDecidesAboutAField() {
        var rules = SyncRules()
        rules.set(
            .contested(.custom { base, local, remote in .list([base, local, remote].compactMap(\.self)) }), for: "x",
            ofType: type)
        let result = plan(["x": 1], ["x": 2], ["x": 3], rules)
        #expect(result.local == ["x": [1, 2, 3]])
        #expect(result.plan.loss?.fields == ["x"])
    }

    @Test func fieldsThatAreKeptTogetherAreOfOneSide() {
        var rules = SyncRules()
        rules.keepTogether(["x", "y"], ofType: type)
        let failures = forAllCases { base, local, remote in
            guard let base, let local, let remote else { return true }
            let result = plan(base, local, remote, rules).local
            return result.isSame(as: local) || result.isSame(as: remote) || (local as Record.Fields?).isSame(as: base)
        }
        #expect(failures == [])
        #expect(plan(["x": 1, "y": 1], ["x": 2, "y": 1], ["x": 1, "y": 2], rules).local == ["x": 1, "y": 2])
        #expect(plan(["x": 1, "y": 1], ["x": 2, "y": 1], ["x": 1, "y": 2]).local == ["x": 2, "y": 2])
    }

    @Test func recordsMadeUnderOneNameAreNeverMixed() {
        for local in states.compactMap(\.self) {
            for remote in states.compactMap(\.self) {
                let result = plan(nil, local, remote)
                #expect(result.local.isSame(as: remote))
                #expect((result.plan.loss == nil) == (local as Record.Fields?).isSame(as: remote))
            }
        }
        #expect(plan(nil, ["x": 1], ["x": 2]).plan.loss?.kind == .record)
    }

    @Test func versionsOfATypeAreNeverMixed() {
        let result = plan(
            ["$version": 1, "x": 1, "y": 1], ["$version": 2, "x": 2, "y": 1], ["$version": 1, "x": 1, "y": 2])
        #expect(result.local == ["$version": 1, "x": 1, "y": 2])
        #expect(result.plan.loss?.kind == .record)
        // One side alone may migrate.
        #expect(plan(["$version": 1], ["$version": 2], ["$version": 1]).plan.local == .keep)
    }

    @Test func deletionsAndUpdatesAreLogged() {
        let updated = plan(["x": 1], ["x": 2], nil)
        #expect(updated.local == ["x": 2])
        #expect(updated.base == nil)
        #expect(updated.plan.loss?.kind == .remoteDeletion)
        let deleted = plan(["x": 1], nil, ["x": 2])
        #expect(deleted.local == ["x": 2])
        #expect(deleted.plan.loss?.kind == .localDeletion)
        #expect(plan(["x": 1], nil, ["x": 2], rules(.remote, .deletionWins)).local == nil)
        #expect(plan(["x": 1], ["x": 2], nil, rules(.remote, .deletionWins)).local == nil)
    }

    @Test func zeroAndNegativeZeroAreTwoValues() {
        #expect(plan(["x": 0.0], ["x": 0.0], ["x": -0.0]).plan.local == .save(["x": -0.0]))
        if case .save(let fields) = plan(["x": 0.0], ["x": 0.0], ["x": -0.0]).plan.local,
            case .double(let zero)? = fields["x"]
        {
            #expect(zero.sign == .minus)
        }
    }
}

@Suite struct ListMergeTests {
    /// All lists of up to three of four elements.
    private static let lists: [[Record.Value]] = {
        let elements: [Record.Value] = [1, 2, 3, 4]
        var lists: [[Record.Value]] = [[]]
        var longest = lists
        for _ in 0..<3 {
            longest = longest.flatMap { list in elements.filter { !list.contains($0) }.map { list + [$0] } }
            lists += longest
        }
        return lists
    }()

    @Test func membersAreExactAndTheRemoteOrderStays() {
        var failures: [String] = []
        let sorted = Self.lists.filter { $0 == $0.sorted { $0.precedes($1) } }
        for base in sorted {
            for local in Self.lists {
                for remote in Self.lists {
                    let versions = Versions<Record.Value?>(
                        base: .list(base), local: .list(local), remote: .list(remote))
                    guard case .list(let merged)? = versions.members(isOrdered: true) else { continue }
                    let expected = [1, 2, 3, 4].filter { (element: Record.Value) in
                        base.contains(element)
                            ? local.contains(element) && remote.contains(element)
                            : local.contains(element) || remote.contains(element)
                    }
                    let isExact = merged.sorted { $0.precedes($1) } == expected
                    let order = merged.filter(remote.contains)
                    if !isExact || order != remote.filter(merged.contains) {
                        failures.append("\(base) \(local) \(remote): \(merged)")
                    }
                }
            }
        }
        #expect(failures.prefix(3) == [])
    }

    @Test func anAdditionStaysAfterItsLeftNeighbour() {
        let versions = Versions<Record.Value?>(base: [1, 2], local: [9, 1, 8, 7, 2], remote: [2, 1, 6])
        #expect(versions.members(isOrdered: true) == [9, 2, 1, 8, 7, 6])
        #expect(versions.members(isOrdered: false) == [1, 2, 6, 7, 8, 9])
    }

    @Test func listsWithEqualElementsAreContested() {
        #expect(Versions<Record.Value?>(base: [], local: [1, 1], remote: [2]).members(isOrdered: true) == nil)
        var rules = SyncRules()
        rules.set(.list, for: "x", ofType: type)
        let result = plan(["x": []], ["x": [1, 1]], ["x": [2]], rules)
        #expect(result.local == ["x": [2]])
        #expect(result.plan.loss?.fields == ["x"])
    }

    @Test func listsOfReferencesMergeWithoutARule() throws {
        let references = try ["a", "b", "c"].map {
            Record.Value.reference(Record.Reference(to: try Record.ID(type: "T", name: $0)))
        }
        let result = plan(
            ["x": .list([references[0]])], ["x": .list([references[0], references[1]])],
            ["x": .list([references[2], references[0]])])
        #expect(result.local == ["x": .list([references[2], references[0], references[1]])])
        #expect(result.plan.loss == nil)
        #expect(plan(["x": [1]], ["x": [1, 2]], ["x": [3, 1]]).plan.loss?.fields == ["x"])
    }
}
