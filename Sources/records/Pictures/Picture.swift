/// Records and their references, or types and their references, as boxes and arrows.
struct Picture: Sendable {
    /// A box.
    struct Node: Sendable, Equatable {
        /// The identifier for arrows, unique in the picture.
        var id: String
        var title: String
        /// The other lines of the box.
        var lines: [String] = []
        /// The type, which decides the colour.
        var type: String
        /// Whether the box is the target of an arrow for a missing record.
        var isMissing = false
    }

    /// An arrow.
    struct Edge: Sendable, Equatable {
        /// The kind of an arrow.
        enum Kind: Int, Sendable, CaseIterable, Comparable {
            /// An owning reference: the target was nested in the value.
            case owning
            /// A link; drawn dashed.
            case link
            /// A reference whose record is deleted together with its target; drawn thick.
            case deleteSelf

            static func < (one: Kind, other: Kind) -> Bool { one.rawValue < other.rawValue }
        }

        var from: String
        var to: String
        var label: String
        var kind = Kind.owning
    }

    /// The boxes, each ID once.
    let nodes: [Node]

    /// The arrows, all between boxes of the picture.
    let edges: [Edge]

    /// The indices of the boxes that each arrow connects.
    let ends: [(from: Int, to: Int)]

    /// The numbers of the types' colours.
    private let colourNumbers: [String: Int]

    /// Makes a picture.
    ///
    /// - Parameters:
    ///   - nodes: The boxes. The first of several with one ID is used.
    ///   - edges: The arrows. A box that an arrow lacks is added, and marked as missing.
    init(nodes: [Node], edges: [Edge]) {
        var kept: [Node] = []
        // By bytes: two IDs may be equal as strings and differ in these.
        var places: [[UInt8]: Int] = [:]
        func place(_ node: Node) -> Int {
            let bytes = Array(node.id.utf8)
            if let place = places[bytes] { return place }
            places[bytes] = kept.count
            kept.append(node)
            return kept.count - 1
        }
        for node in nodes { _ = place(node) }
        func end(_ id: String) -> Int { place(Node(id: id, title: id, type: "", isMissing: true)) }
        ends = edges.map { (end($0.from), end($0.to)) }
        self.nodes = kept
        self.edges = edges
        colourNumbers = PictureColours.numbers(of: kept.lazy.filter { !$0.isMissing }.map(\.type))
    }

    /// The number of a node's colour; nil if the node is missing.
    func colour(of node: Node) -> Int? { node.isMissing ? nil : colourNumbers[node.type] }

    /// The numbers of all colours in the picture.
    var colours: [Int] { Set(colourNumbers.values).sorted() }

    /// The picture with one arrow for more than a few arrows of one kind between the same two boxes.
    ///
    /// The label of each arrow has a line for each field, without characters that are not shown.
    func mergingParallels(moreThan most: Int) -> Picture {
        struct Course: Hashable {
            var from: Int
            var to: Int
            var kind: Edge.Kind
        }
        let courses = zip(edges, ends).map { Course(from: $1.from, to: $1.to, kind: $0.kind) }
        let parallels = Dictionary(grouping: edges.indices) { courses[$0] }
        let merged = edges.indices.compactMap { index -> Edge? in
            let parallel = parallels[courses[index]] ?? []
            if parallel.count > most, parallel.first != index { return nil }
            var edge = edges[index]
            edge.label = (parallel.count > most ? parallel : [index]).map { edges[$0].label.visible }
                .joined(separator: "\n")
            return edge
        }
        return Picture(nodes: nodes, edges: merged)
    }
}
