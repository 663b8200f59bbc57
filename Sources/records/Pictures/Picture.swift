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
        enum Kind: Sendable, CaseIterable {
            /// An owning reference: the target was nested in the value.
            case owning
            /// A link; drawn dashed.
            case link
            /// A reference whose record is deleted together with its target; drawn thick.
            case deleteSelf
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

    /// The types in the order of their colours.
    let types: [String]

    /// Makes a picture.
    ///
    /// - Parameters:
    ///   - nodes: The boxes. The first of several with one ID is used.
    ///   - edges: The arrows. A box that an arrow lacks is added, and marked as missing.
    init(nodes: [Node], edges: [Edge]) {
        var kept: [Node] = []
        var places: [String: Int] = [:]
        func place(_ node: Node) -> Int {
            if let place = places[node.id] { return place }
            places[node.id] = kept.count
            kept.append(node)
            return kept.count - 1
        }
        for node in nodes { _ = place(node) }
        func end(_ id: String) -> Int {
            place(Node(id: id, title: id, type: "", isMissing: true))
        }
        ends = edges.map { (end($0.from), end($0.to)) }
        types = Set(kept.filter { !$0.isMissing }.map(\.type)).sorted()
        self.nodes = kept
        self.edges = edges
    }

    /// The number of a node's colour; nil if the node is missing.
    func colour(of node: Node) -> Int? {
        guard !node.isMissing else { return nil }
        return types.firstIndex(of: node.type).map { $0 % PictureColours.palette.count }
    }
}

/// The colours of a type: a ground and a border for dark text, and a ground and a border for light text.
struct PictureColours: Sendable {
    let light: (ground: String, border: String)
    let dark: (ground: String, border: String)

    /// A colour for each type; further types repeat the colours.
    static let palette = [
        PictureColours(light: ("#dbeafe", "#2563eb"), dark: ("#172f57", "#6ea8fe")),
        PictureColours(light: ("#dcfce7", "#15803d"), dark: ("#12351f", "#5bd38a")),
        PictureColours(light: ("#fef3c7", "#b45309"), dark: ("#3d2b0b", "#f0b449")),
        PictureColours(light: ("#fce7f3", "#be185d"), dark: ("#43142d", "#f38cc0")),
        PictureColours(light: ("#ede9fe", "#6d28d9"), dark: ("#2c1f57", "#b79cff")),
        PictureColours(light: ("#cffafe", "#0e7490"), dark: ("#0b333c", "#4fd0e6")),
        PictureColours(light: ("#fee2e2", "#b91c1c"), dark: ("#421818", "#ff8f8f")),
        PictureColours(light: ("#e5e7eb", "#4b5563"), dark: ("#2b3139", "#a5b0bd")),
    ]
}
