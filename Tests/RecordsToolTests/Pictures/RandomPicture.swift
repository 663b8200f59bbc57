@testable import records

extension Picture {
    /// A graph that a number decides, with rings, loops, lists and boxes on their own.
    ///
    /// - Parameter labels: The labels of arrows.
    static func random(_ seed: Int, labels: [String]) -> Picture {
        var state = UInt64(seed)
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        let count = 1 + random(60)
        let nodes = (0..<count).map { number in
            Picture.Node(
                id: "\(number)", title: "Node \(number) " + labels[random(labels.count)],
                lines: (0..<random(3)).map { _ in labels[random(labels.count)] }, type: "T\(number % 3)")
        }
        let edges = (0..<random(2 * count)).map { _ in
            Picture.Edge(
                from: "\(random(count))", to: "\(random(count))", label: labels[random(labels.count)],
                kind: Picture.Edge.Kind.allCases[random(3)])
        }
        return Picture(nodes: nodes, edges: edges)
    }
}
