/// Assigns the nodes of a picture to layers, so that arrows point down.
struct LayerAssignment {
    /// The layer of each node, from 0.
    private(set) var layers: [Int]

    /// Whether each edge points up, as one in each cycle does.
    private(set) var isReversed: [Bool]

    /// The nodes in topological order: each before the targets of its arrows.
    private(set) var order: [Int]

    /// Assigns layers.
    ///
    /// - Parameter ends: The nodes of each edge. Edges from a node to itself are ignored.
    init(count: Int, ends: [(from: Int, to: Int)]) {
        layers = Array(repeating: 0, count: count)
        isReversed = Array(repeating: false, count: ends.count)
        order = []
        breakRings(ends)
        var downward: [[Int]] = Array(repeating: [], count: count)
        var hasUpper = Array(repeating: false, count: count)
        for (edge, isReversed) in zip(ends, isReversed) where edge.from != edge.to {
            let (upper, lower) = isReversed ? (edge.to, edge.from) : (edge.from, edge.to)
            downward[upper].append(lower)
            hasUpper[lower] = true
        }
        for node in order {
            for lower in downward[node] { layers[lower] = max(layers[lower], layers[node] + 1) }
        }
        // A node without incoming edges lies in the layer above its nearest target.
        for node in order where !hasUpper[node] {
            if let nearest = downward[node].map({ layers[$0] }).min() { layers[node] = nearest - 1 }
        }
    }

    /// Walks the graph depth first, and reverses edges back to a node on the current path.
    private mutating func breakRings(_ ends: [(from: Int, to: Int)]) {
        enum State { case unseen, onTheWay, done }
        var outgoing: [[Int]] = Array(repeating: [], count: layers.count)
        var hasIncoming = Array(repeating: false, count: layers.count)
        for (index, edge) in ends.enumerated() where edge.from != edge.to {
            outgoing[edge.from].append(index)
            hasIncoming[edge.to] = true
        }
        var states = Array(repeating: State.unseen, count: layers.count)
        var finished: [Int] = []
        for start in layers.indices.filter({ !hasIncoming[$0] }) + layers.indices where states[start] == .unseen {
            var way = [(node: start, next: 0)]
            states[start] = .onTheWay
            while let (node, next) = way.last {
                guard next < outgoing[node].count else {
                    states[node] = .done
                    finished.append(node)
                    way.removeLast()
                    continue
                }
                way[way.count - 1].next += 1
                let edge = outgoing[node][next]
                switch states[ends[edge].to] {
                case .unseen:
                    states[ends[edge].to] = .onTheWay
                    way.append((ends[edge].to, 0))
                case .onTheWay: isReversed[edge] = true
                case .done: break
                }
            }
        }
        order = finished.reversed()
    }
}
