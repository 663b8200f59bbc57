import NestedRecords
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct GraphOrderTests {
    final class Node: RecordCodable, Identifiable {
        let id: Int
        var targets: [Node]
        init(id: Int, targets: [Node] = []) { (self.id, self.targets) = (id, targets) }
    }

    /// A directed graph without rings: each node points to nodes before it.
    private func makeNodes(count: Int, _ generator: inout some RandomNumberGenerator) -> [Node] {
        var nodes: [Node] = []
        for id in 0..<count {
            let targets = (0..<Int.random(in: 0...3, using: &generator)).compactMap { _ in
                nodes.randomElement(using: &generator)
            }
            nodes.append(Node(id: id, targets: targets))
        }
        return nodes
    }

    private func expectTargetsFirst(_ graph: RecordGraph) {
        let positions = Dictionary(zip(graph.map(\.id), graph.indices)) { first, _ in first }
        #expect(positions.count == graph.count)
        for (position, record) in zip(graph.indices, graph) {
            for reference in record.references { #expect(positions[reference.id] ?? .max < position) }
        }
    }

    @Test(arguments: 0..<60) func targetsStandBeforeTheRecordsThatPointToThem(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let count = Int.random(in: 1...60, using: &generator)
        let nodes = makeNodes(count: count, &generator)
        let roots = (0..<3).compactMap { _ in nodes.randomElement(using: &generator) }
        let graph = try RecordEncoder().encode(roots)
        expectTargetsFirst(graph)
        #expect(graph.roots.map(\.name) == roots.map { "\($0.id)" })

        let shuffled = try RecordGraph(graph.shuffled(using: &generator), roots: graph.roots)
        expectTargetsFirst(shuffled)
        #expect(shuffled == graph)

        let decoded = try RecordDecoder().decodeAll(Node.self, from: shuffled)
        #expect(try RecordEncoder().encode(decoded) == graph)
    }

    @Test(arguments: 0..<30) func rootIsTheLastRecord(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let root = try #require(makeNodes(count: 40, &generator).last)
        let graph = try RecordEncoder().encode(root)
        #expect(graph.last?.id.name == "39")
        let shuffled = try RecordGraph(graph.shuffled(using: &generator), roots: graph.roots)
        #expect(shuffled.last?.id.name == "39")
    }

    private func makeRing() throws -> [Record] {
        let names = ["a", "b", "c"]
        return try zip(names, ["b", "c", "a"]).map { name, next in
            try Flat.record("Node/\(name)", ["next": Flat.reference("Node/\(next)")])
        }
    }

    @Test(arguments: 0..<3) func rootInARingIsTheLastRecord(position: Int) throws {
        let records = try makeRing()
        let graph = try RecordGraph(records, roots: [records[position].id])
        #expect(graph.count == 3)
        #expect(graph.last?.id == records[position].id)
    }

    @Test func ringWithARecordAfterItKeepsThatRecordFirst() throws {
        let records = [
            try Flat.record("Node/a", ["next": Flat.reference("Node/b")]),
            try Flat.record("Node/b", ["next": Flat.references(["Node/a", "Node/z"])]),
            try Flat.record("Node/z"),
        ]
        #expect(try RecordGraph(records).map(\.id.name) == ["z", "b", "a"])
    }
}
