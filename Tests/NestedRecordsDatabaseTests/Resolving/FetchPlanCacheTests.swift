import Testing

@testable import NestedRecords

@Suite struct FetchPlanCacheTests {
    private struct Root {}

    @Test func namesThatAreDataAreNotRememberedForEver() {
        let cache = FetchPlanCache()
        for round in 0..<100 {
            let planner = FetchPlanner(knowledge: cache.knowledge(of: Root.self))
            planner.note(met: ["Root"])
            planner.learn("fixed", of: "Root", includingLinks: false)
            for number in 0..<50 {
                planner.learn(targets: ["Part"], in: RecordField(type: "Root", name: "data \(round) \(number)"))
                planner.learn("data \(round) \(number)", of: "Root", includingLinks: false)
            }
            cache.remember(planner.knowledge, of: Root.self)
        }
        let known = cache.knowledge(of: Root.self).types["Root"]
        #expect(known?.follows("fixed") == true)
        #expect((known?.targets.count ?? 0) + (known?.named.count ?? 0) < 2_000)
    }
}
