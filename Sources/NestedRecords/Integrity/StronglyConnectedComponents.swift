/// Groups of nodes that can all reach each other: strongly connected components, found by Tarjan's algorithm.
///
/// The groups are numbered so that every edge stays in its group or leads to one with a smaller number. The algorithm
/// takes linear time in the nodes and edges, and does not recurse.
struct StronglyConnectedComponents {
    /// The number of each node's group.
    private(set) var groups: ContiguousArray<Int>

    private let targets: ContiguousArray<Int>
    private let leaving: EdgesByNode

    /// When each node was visited, from 1 on, and the earliest node that it is known to reach.
    private var times: ContiguousArray<Int>
    private var earliest: ContiguousArray<Int>
    private var time = 0

    /// The visited nodes that do not belong to a group yet.
    private var waiting: [Int] = []
    private var groupCount = 0

    /// The nodes on the path to the current one, each with the remaining edges.
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
