import TestSupport
import Testing

@testable import NestedRecords

/// Random graphs, compared with a plain search.
@Suite(.timeLimit(.minutes(60))) struct RandomDeletionTests {
    struct Edge {
        let source: Int
        let target: Int
        let isOwning: Bool
    }

    let count = 12

    private func makeEdges(_ generator: inout SplitMix64) -> [Edge] {
        (0..<Int.random(in: 4...40, using: &generator)).map { _ in
            Edge(
                source: .random(in: 0..<count, using: &generator), target: .random(in: 0..<count, using: &generator),
                isOwning: Int.random(in: 0..<3, using: &generator) == 0)
        }
    }

    private func makeRecords(_ edges: [Edge]) throws -> [Record] {
        try (0..<count).map { number in
            var record = try Flat.record("N/\(number)")
            for (position, edge) in edges.enumerated() where edge.source == number {
                let target = "N/\(edge.target)"
                record["\(position)"] = edge.isOwning ? try Flat.owner(target) : try Flat.reference(target)
            }
            return record
        }
    }

    /// What goes with a record.
    private func closure(_ start: Int, _ edges: [Edge]) -> Set<Int> {
        var found: Set = [start]
        var didGrow = true
        while didGrow {
            let grown = found.union(edges.filter { $0.isOwning && found.contains($0.target) }.map(\.source))
            didGrow = grown.count > found.count
            found = grown
        }
        return found
    }

    @Test(arguments: 0..<40) func planIsWhatAPlainSearchFindsAndOwnersComeLast(seed: UInt64) async throws {
        var generator = SplitMix64(seed: seed)
        let edges = makeEdges(&generator)
        let database = try await InMemoryRecordDatabase.holding(makeRecords(edges))
        for start in 0..<count {
            let plan = try await database.deletionPlan(for: [Record.ID("N/\(start)")], .cascading)
            let order = plan.ids.compactMap { Int($0.name) }
            let expected = closure(start, edges)
            #expect(order.count == expected.count)
            #expect(Set(order) == expected)
            #expect(
                plan.dangling.count == edges.count { !expected.contains($0.source) && expected.contains($0.target) })
            for edge in edges where edge.isOwning {
                guard let source = order.firstIndex(of: edge.source), let target = order.firstIndex(of: edge.target)
                else { continue }
                let isRing = closure(edge.source, edges).contains(edge.target)
                #expect(source < target || isRing, "\(edge.target) goes before \(edge.source), which it owns")
            }
        }
    }

    @Test(arguments: 0..<10) func interruptedDeletionGoesOnWhenItIsRepeated(seed: UInt64) async throws {
        var generator = SplitMix64(seed: seed)
        let records = try makeRecords(makeEdges(&generator))
        let root = try Record.ID("N/0")
        let ids = try await InMemoryRecordDatabase.holding(records).deletionPlan(for: [root], .cascading).ids
        for done in ids.indices {
            let database = try await InMemoryRecordDatabase.holding(records)
            try await database.delete(Array(ids[..<done]), .dangling)
            let rest = try await database.delete([root], [.cascading, .dangling])
            #expect(Set(rest) == Set(ids[done...]))
        }
    }

    @Test(arguments: 0..<40) func everyGroupOfRecordsThatOwnEachOtherHasARing(seed: UInt64) async throws {
        var generator = SplitMix64(seed: seed)
        let edges = makeEdges(&generator)
        let graph = try RecordGraph(makeRecords(edges))
        // Records of one group go with each other.
        let closures = (0..<count).map { closure($0, edges) }
        let loops = Set(edges.filter { $0.isOwning && $0.source == $0.target }.map(\.source))
        let groups = Set(
            (0..<count).map { node in Set(closures[node].filter { closures[$0].contains(node) }) }
                .filter { $0.count > 1 || !loops.isDisjoint(with: $0) })
        let cycles = try await InMemoryRecordDatabase.holding(graph).owningCycles()
        let found = cycles.flatMap { $0.dropLast().map(\.record) }
        #expect(Set(found).count == found.count)
        #expect(groups.allSatisfy { group in found.contains { Int($0.name).map(group.contains) ?? false } })
        for cycle in cycles {
            let ring = cycle.map(\.record)
            #expect(ring.first == ring.last)
            #expect(Set(ring.dropFirst()).count == ring.count - 1)
            #expect(groups.contains { $0.isSuperset(of: ring.compactMap { Int($0.name) }) })
            for (step, next) in zip(cycle, ring.dropFirst()) {
                guard case .reference(let reference) = graph[step.record]?[step.path] else {
                    Issue.record("\(step) is no reference")
                    continue
                }
                #expect(reference.id == next && reference.action == .deleteSelf)
            }
        }
    }
}
