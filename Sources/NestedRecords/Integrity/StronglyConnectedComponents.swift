/// Groups of nodes that all lead to each other: strongly connected components, found by Tarjan's algorithm.
///
/// The groups are numbered so that every edge stays in its group or leads to one with a smaller number. Takes time in
/// proportion to the nodes and edges, and no recursion.
struct StronglyConnectedComponents {
    /// The number of each node's group.
    private(set) var groups: ContiguousArray<Int>

    private let targets: ContiguousArray<Int>
    private let leaving: EdgesByNode

    /// When each node was met, from 1 on, and the earliest one that it is known to lead back to.
    private var times: ContiguousArray<Int>
    private var earliest: ContiguousArray<Int>
    private var time = 0

    /// Nodes that were met and belong to no group yet.
    private var waiting: [Int] = []
    private var groupCount = 0

    /// The nodes on the way to the current one, each with the edges that are left to follow.
    private var open: [(node: Int, edges: ArraySlice<Int>)] = []

    init(_ edges: EdgeList, nodeCount: Int) {
        targets = edges.targets
        leaving = EdgesByNode(edges.sources, nodeCount: nodeCount)
        groups = ContiguousArray(repeating: -1, count: nodeCount)
        times = ContiguousArray(repeating: 0, count: nodeCount)
        earliest = times
        for node in 0..<nodeCount where times[node] == 0 { visit(node) }
    }

    private mutating func visit(_ start: Int) {
        enter(start)
        while let last = open.indices.last {
            let node = open[last].node
            guard let edge = open[last].edges.popFirst() else {
                open.removeLast()
                leave(node)
                continue
            }
            let target = targets[edge]
            if times[target] == 0 {
                enter(target)
            } else if groups[target] < 0 {
                earliest[node] = min(earliest[node], times[target])
            }
        }
    }

    private mutating func enter(_ node: Int) {
        time += 1
        times[node] = time
        earliest[node] = time
        waiting.append(node)
        open.append((node, leaving[node]))
    }

    private mutating func leave(_ node: Int) {
        if let previous = open.last?.node { earliest[previous] = min(earliest[previous], earliest[node]) }
        guard earliest[node] == times[node] else { return }
        while let member = waiting.popLast() {
            groups[member] = groupCount
            if member == node { break }
        }
        groupCount += 1
    }
}
