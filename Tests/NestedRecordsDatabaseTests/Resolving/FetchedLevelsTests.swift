import TestSupport
import Testing

@testable import NestedRecords

/// How often a database is asked.
@Suite(.timeLimit(.minutes(60))) struct FetchedLevelsTests {
    struct L6: RecordCodable, Identifiable, Equatable { var id: Int }
    struct L5: RecordCodable, Identifiable, Equatable {
        var id: Int
        var next: L6?
        var others: [L6] = []
    }
    struct L4: RecordCodable, Identifiable, Equatable {
        var id: Int
        var next: L5?
        var others: [L5] = []
    }
    struct L3: RecordCodable, Identifiable, Equatable {
        var id: Int
        var next: L4?
        var others: [L4] = []
    }
    struct L2: RecordCodable, Identifiable, Equatable {
        var id: Int
        var next: L3?
        var others: [L3] = []
    }
    struct L1: RecordCodable, Identifiable, Equatable {
        var id: Int
        var next: L2?
        var others: [L2] = []
    }

    private func makeChain(depth: Int) -> L1 {
        let l6 = L6(id: 6)
        let l5 = L5(id: 5, next: depth > 5 ? l6 : nil, others: depth > 5 ? [l6, L6(id: 60)] : [])
        let l4 = L4(id: 4, next: depth > 4 ? l5 : nil, others: depth > 4 ? [l5, L5(id: 50)] : [])
        let l3 = L3(id: 3, next: depth > 3 ? l4 : nil, others: depth > 3 ? [l4, L4(id: 40)] : [])
        let l2 = L2(id: 2, next: depth > 2 ? l3 : nil, others: depth > 2 ? [l3, L3(id: 30)] : [])
        return L1(id: 1, next: depth > 1 ? l2 : nil, others: depth > 1 ? [l2, L2(id: 20)] : [])
    }

    @Test(arguments: 1...6) func levelsCostOneCallEachFromTheFirstTimeOn(depth: Int) async throws {
        let chain = makeChain(depth: depth)
        let graph = try RecordEncoder().encode(chain)
        let database = try await CountingDatabase(holding: graph)
        for time in 1...2 {
            let resolution = try await RecordDecoder().resolve(L1.self, from: Record.ID("L1/1"), in: database)
            #expect(resolution.value == chain && resolution.callCount == depth && resolution.levelCount == depth)
            #expect(resolution.recordCount == graph.count)
            #expect(database.calls.count == depth)
            #expect(Set(database.asked).count == database.asked.count)
            #expect(Set(database.asked) == Set(graph.map(\.id.description)))
            if time == 2 { #expect(resolution.passCount == 1) }
            database.forgetCalls()
        }
    }

    struct Link: RecordCodable, Identifiable, Equatable {
        var id: Int
        var others: [Link]
    }

    @Test func chainOfOneTypeTakesTwoPassesAndThenOne() async throws {
        let chain = (1..<40).reduce(Link(id: 0, others: [])) { Link(id: $1, others: [$0]) }
        let database = try await CountingDatabase(holding: try RecordEncoder().encode(chain))
        let first = try await RecordDecoder().resolve(Link.self, from: Record.ID("Link/39"), in: database)
        #expect(first.value == chain && first.callCount == 40 && first.passCount <= 2)
        let second = try await RecordDecoder().resolve(Link.self, from: Record.ID("Link/39"), in: database)
        #expect(second.callCount == 40 && second.passCount == 1)
    }

    @Test func recordsOfAllRootsAreFetchedTogether() async throws {
        struct Leaf: RecordCodable, Identifiable, Equatable { var id: Int }
        struct Root: RecordCodable, Identifiable, Equatable {
            var id: Int
            var leaf: Leaf
            var shared: Leaf
        }
        let roots = (0..<1_000).map { Root(id: $0, leaf: Leaf(id: $0 + 1), shared: Leaf(id: 0)) }
        let database = try await CountingDatabase(holding: try RecordEncoder().encode(roots))
        let ids = try roots.map { try Record.ID("Root/\($0.id)") }
        let all = try await RecordDecoder().resolve(Root.self, from: ids + ids, in: database)
        #expect(all.value == roots + roots && all.callCount == 2)
        #expect(database.calls.map(\.count) == [1_000, 1_001])
        database.forgetCalls()
        let one = try await RecordDecoder().resolve(Root.self, from: [ids[7]], in: database)
        #expect(one.callCount == 2)
        #expect(database.sortedCalls == [["Root/7"], ["Leaf/0", "Leaf/8"]])
    }

    @Test func noRootsNeedNoCall() async throws {
        let database = try await CountingDatabase(holding: [])
        let resolution = try await RecordDecoder().resolve(L6.self, from: [Record.ID](), in: database)
        #expect(resolution.value.isEmpty && resolution.callCount == 0)
        #expect(database.calls.isEmpty)
    }

    @Test(arguments: [(3, 3), (7, 1), (1, 7), (100, 1), (0, 7), (-5, 7)])
    func batchLimitSplitsALevel(limit: Int, calls: Int) async throws {
        struct Leaf: RecordCodable, Identifiable, Equatable { var id: Int }
        struct Root: RecordCodable, Identifiable, Equatable {
            var id: Int
            var leaves: [Leaf]
        }
        let root = Root(id: 1, leaves: (0..<7).map { Leaf(id: $0) })
        let database = try await CountingDatabase(holding: try RecordEncoder().encode(root), batchLimit: limit)
        let resolution = try await RecordDecoder().resolve(Root.self, from: Record.ID("Root/1"), in: database)
        #expect(resolution.value == root && resolution.callCount == 1 + calls && resolution.levelCount == 2)
        #expect(database.calls.allSatisfy { $0.count <= max(1, limit) })
        #expect(database.asked == ["Root/1"] + (0..<7).map { "Leaf/\($0)" })
    }
}
