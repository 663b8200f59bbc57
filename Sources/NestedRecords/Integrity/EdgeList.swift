struct EdgeList {
    private(set) var sources: ContiguousArray<Int> = []
    private(set) var targets: ContiguousArray<Int> = []

    var count: Int { sources.count }

    mutating func append(from source: Int, to target: Int) {
        sources.append(source)
        targets.append(target)
    }
}

/// The numbers of edges, grouped by the node at one of their ends.
struct EdgesByNode {
    private var starts: ContiguousArray<Int>
    private var edges: [Int]

    /// Sorts in linear time: counts the edges of each node, then moves each edge to its place.
    init(_ ends: ContiguousArray<Int>, nodeCount: Int) {
        starts = ContiguousArray(repeating: 0, count: nodeCount + 1)
        edges = Array(repeating: 0, count: ends.count)
        for node in ends { starts[node + 1] += 1 }
        for node in 0..<nodeCount { starts[node + 1] += starts[node] }
        var next = starts
        for (edge, node) in ends.enumerated() {
            edges[next[node]] = edge
            next[node] += 1
        }
    }

    /// The edges of a node, in the order of insertion.
    subscript(node: Int) -> ArraySlice<Int> { edges[starts[node]..<starts[node + 1]] }
}
