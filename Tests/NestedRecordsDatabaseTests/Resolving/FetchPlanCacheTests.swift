import Testing

@testable import NestedRecords

@Suite struct FetchPlanCacheTests {
    private struct Root: RecordDecodable, Identifiable { var id: Int }

    private struct Parent: RecordCodable, Identifiable {
        var id: Int
        var children: [Child]
        var links: [Record.Reference]
        struct Child: RecordCodable, Identifiable { var id: Int }
    }

    @Test func secondLoadLearnsNothing() async throws {
        let parent = Parent(
            id: 1, children: [.init(id: 1)], links: [Record.Reference(to: try Record.ID("Child/1"), isLink: true)])
        let database = InMemoryRecordDatabase()
        try await database.save(try RecordEncoder().encode(parent))
        var knowledge: FetchPlan?
        for round in 1...2 {
            let planner = FetchPlanner(
                knowledge: knowledge, of: Parent.self, FieldNaming(.unchanged, .map), userInfo: [:])
            var resolver = ReferenceResolver(options: RecordCoding(), database: database, planner)
            let root = try Record.ID("Parent/1")
            _ = try await resolver.resolve(roots: [root], known: nil) {
                try $0.decode(Parent.self, root: root)
            }
            #expect(planner.hasLearned == (round == 1))
            knowledge = planner.knowledge
        }
    }

    @Test func namesThatAreDataAreNotRememberedForEver() {
        let cache = FetchPlanCache()
        for round in 0..<100 {
            let planner = FetchPlanner(
                knowledge: cache[Root.self], of: Root.self, FieldNaming(.unchanged, .map), userInfo: [:])
            planner.note(met: ["Root"])
            planner.learn("fixed", of: "Root", includingLinks: false)
            for number in 0..<50 {
                planner.learn(targets: ["Part"], in: RecordField(type: "Root", name: "data \(round) \(number)"))
                planner.learn("data \(round) \(number)", of: "Root", includingLinks: false)
            }
            cache.remember(planner.knowledge, of: Root.self)
        }
        let known = cache[Root.self]?.types["Root"]
        #expect(known?.follows("fixed") == true)
        #expect((known?.targets.count ?? 0) + (known?.named.count ?? 0) < 2_000)
    }
}
