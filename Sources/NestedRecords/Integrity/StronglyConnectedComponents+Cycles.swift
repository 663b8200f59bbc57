extension StronglyConnectedComponents {
    /// The edges of one cycle per group with cycles: a shortest path from the group's first node back to it.
    func cycles(of edges: EdgeList) -> [[Int]] {
        let leaving = EdgesByNode(edges.sources, nodeCount: groups.count)
        var isDone = ContiguousArray(repeating: false, count: groups.count)
        // The edge on which each node was reached; every node belongs to one group, so that one table is enough.
        var arrivals = ContiguousArray(repeating: -1, count: groups.count)
        return groups.indices.compactMap { start in
            guard !isDone[groups[start]] else { return nil }
            isDone[groups[start]] = true
            var reached = [start]
            var position = 0
            while position < reached.count {
                for edge in leaving[reached[position]] {
                    let target = edges.targets[edge]
                    if target == start { return way(to: edge, from: start, edges, arrivals) }
                    guard groups[target] == groups[start], arrivals[target] < 0 else { continue }
                    arrivals[target] = edge
                    reached.append(target)
                }
                position += 1
            }
            return nil
        }
    }

    private func way(
        to last: Int, from start: Int, _ edges: EdgeList, _ arrivals: ContiguousArray<Int>
    ) -> [Int] {
        var way = [last]
        var node = edges.sources[last]
        while node != start {
            way.append(arrivals[node])
            node = edges.sources[arrivals[node]]
        }
        return way.reversed()
    }
}
