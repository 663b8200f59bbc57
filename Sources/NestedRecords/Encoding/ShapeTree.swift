/// Predicts the names of fields.
///
/// Values of one type mostly write the same keys in the same order. The tree has a node for each sequence of keys met
/// so far; a value walks from its type's root along the edges of its keys, and the names are a property of the node
/// where it ends. So a field costs one comparison with the key that came last time, no text is touched, and all
/// records of one shape share one array of names.
struct ShapeTree {
    /// A key that is one byte, together with its type.
    typealias KeyID = UInt64

    struct Node {
        /// The key that came after this node last time, and where it leads.
        var lastKey: KeyID = .max
        var lastTarget = 0

        var edges: [(key: KeyID, target: Int)] = []

        /// The field that this node adds to its parent's.
        let name: String
        let isAdjusted: Bool
        let parent: Int
        let count: Int

        var names: [String]?
        var positions: [String: Int]?
    }

    /// The target of keys that are ignored.
    static let ignored = -1

    /// Types with more alternatives than this after one key have names that are data; they stay out of the tree.
    static let mostEdges = 64

    /// More nodes than this come from keys in ever new combinations, which are not worth the memory.
    static let mostNodes = 100_000

    private(set) var nodes: ContiguousArray<Node> = []

    /// Adds the root of another type.
    mutating func addRoot() -> Int {
        nodes.append(Node(name: "", isAdjusted: false, parent: -1, count: 0))
        return nodes.count - 1
    }

    @inline(__always)
    static func keyID<Key: CodingKey>(of key: Key) -> KeyID {
        KeyID(UInt(bitPattern: ObjectIdentifier(Key.self))) << 8 | KeyID(ByteKey.byte(of: key))
    }

    /// Where a key leads from a node, if it came there before.
    mutating func target(from node: Int, by key: KeyID) -> Int? {
        guard let target = nodes[node].edges.first(where: { $0.key == key })?.target else { return nil }
        predict(target, from: node, by: key)
        return target
    }

    /// Adds a field behind a node; nil where the node has too many edges already.
    mutating func add(_ name: String, isAdjusted: Bool, from node: Int, by key: KeyID) -> Int? {
        guard nodes[node].edges.count < Self.mostEdges, nodes.count < Self.mostNodes else { return nil }
        let target = nodes.count
        nodes.append(Node(name: name, isAdjusted: isAdjusted, parent: node, count: nodes[node].count + 1))
        nodes[node].edges.append((key, target))
        predict(target, from: node, by: key)
        return target
    }

    mutating func addIgnored(from node: Int, by key: KeyID) {
        nodes[node].edges.append((key, Self.ignored))
    }

    /// Ignored keys and values that are adjusted are never predicted: the fast way knows nothing of them.
    private mutating func predict(_ target: Int, from node: Int, by key: KeyID) {
        guard target != Self.ignored, !nodes[target].isAdjusted else { return }
        nodes[node].lastKey = key
        nodes[node].lastTarget = target
    }

    /// The position of a field on the way to a node.
    func position(of name: String, at node: Int) -> Int? {
        var node = node
        while nodes[node].parent >= 0 {
            if nodes[node].name == name { return nodes[node].count - 1 }
            node = nodes[node].parent
        }
        return nil
    }

    /// The names of all fields on the way to a node.
    mutating func names(at node: Int) -> (names: [String], positions: [String: Int]?) {
        if let names = nodes[node].names { return (names, nodes[node].positions) }
        var names: [String] = []
        names.reserveCapacity(nodes[node].count)
        var ancestor = node
        while nodes[ancestor].parent >= 0 {
            names.append(nodes[ancestor].name)
            ancestor = nodes[ancestor].parent
        }
        names.reverse()
        let positions = Record.Fields.positions(of: names)
        nodes[node].names = names
        nodes[node].positions = positions
        return (names, positions)
    }
}
