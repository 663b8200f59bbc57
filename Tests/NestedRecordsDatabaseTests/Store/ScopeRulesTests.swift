import TestSupport
import Testing

@testable import NestedRecords

/// The rules of scopes by themselves; the database of a scope is tested in `ScopedRecordDatabaseTests`.
@Suite struct ScopeRulesTests {
    private func rules(_ generator: inout SplitMix64) throws -> ScopeRules {
        let filters: [RecordFilter] = [
            .exists("a"), .compare("a", .equal, 1), .not(.isNull("b")), .exists("c") || .exists("b"),
            .any([.contains("a", 1), .hasPrefix("b", "a")]),
        ]
        var rules = ScopeRules()
        for type in ["Book", "Shelf", "Room", "None"] {
            for _ in 0..<generator.pick([1, 2]) {
                let (reading, writing) = (generator.pick(filters), generator.pick(filters))
                rules.add(
                    try generator.pick([
                        ScopeRules.Rule(reading: reading, writing: writing), .shared,
                        ScopeRules.Rule(reading: reading, writing: reading),
                    ]), to: type)
            }
        }
        if generator.chance(oneIn: 3) { try rules.addToAllTypes(generator.pick(filters)) }
        return rules
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func restrictedQueriesFindWhatTheQueryFindsAmongShownRecords(_ seed: UInt64) async throws {
        var (generator, random) = (SplitMix64(seed: seed), RandomQuery(seed: seed))
        var foundCount = 0
        for _ in 0..<60 {
            let (rules, records) = (try rules(&generator), try random.records())
            let (all, shown) = (InMemoryRecordDatabase(), InMemoryRecordDatabase())
            try await all.commit(RecordBatch(saving: records))
            try await shown.commit(RecordBatch(saving: records.filter { try rules.shows($0) }))
            for _ in 0..<5 {
                let query = try random.query()
                // Both databases make dates and change tags of their own.
                if query.names([.creationDate, .modificationDate, .changeTag]) { continue }
                let found = try await all.page(rules.restrict(query)).records.map(\.id)
                #expect(try await found == shown.page(query).records.map(\.id), "\(query), \(rules)")
                foundCount += found.count
            }
        }
        #expect(foundCount > 100)
    }

    @Test func whatMayBeWrittenIsShown() throws {
        var (generator, random) = (SplitMix64(seed: 7), RandomQuery(seed: 7))
        var count = 0
        for _ in 0..<100 {
            let rules = try rules(&generator)
            for record in try random.records() where try rules.mayWrite(record) {
                #expect(try rules.shows(record), "\(record), \(rules)")
                count += 1
            }
        }
        #expect(count > 100)
    }

    @Test func typesWithoutARuleAreNeitherShownNorWrittenNorQueried() throws {
        var rules = ScopeRules()
        rules.add(.shared, to: "Book")
        let record = try Flat.record("Shelf/1", ["a": 1])
        #expect(try !rules.shows(record))
        let query = RecordQuery("Book", where: .refers("shelf", to: "Shelf"))
        let errors = [
            #expect(throws: RecordError.self) { try rules.mayWrite(record) },
            #expect(throws: RecordError.self) { try rules.restrict(RecordQuery("Shelf")) },
            #expect(throws: RecordError.self) { try rules.restrict(query) },
        ]
        #expect(errors.allSatisfy { $0?.code == .outsideScope })
    }
}
