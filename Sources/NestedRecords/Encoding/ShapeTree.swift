/// Predicts the names of fields.
///
/// Values of one type mostly write the same keys in the same order. The tree has a node for each sequence of keys met
/// so far; a value walks from its type's root along the edges of its keys, and the names are a property of the node
/// where it ends. So a field costs one comparison with the key that came last time, no string is touched, and all
/// records of one shape share one object with their names.
///
/// The tree outlives a call. What was known of a key before is looked at again once in each call: a key may have another
/// string by then.
struct ShapeTree {
    /// A key that is one byte, together with its type.
    typealias KeyID = UInt64

    /// Types with more alternatives than this after one key have names that are data; they stay out of the tree.
    static let mostEdges = 64

    /// More nodes than this come from keys in ever new combinations, which are not worth the memory.
    static let mostNodes = 100_000

    /// All nodes: they live as long as the tree.
    private var nodes: ContiguousArray<ShapeNode> = []

    /// The nodes that predict something.
    private var predicting: ContiguousArray<Unmanaged<ShapeNode>> = []

    var count: Int { nodes.count }

    /// Adds the root of another type.
    mutating func addRoot() -> ShapeNode {
        let root = ShapeNode(name: "", isAdjusted: false, parent: nil)
        nodes.append(root)
        return root
    }

    @inline(__always)
    static func keyID<Key: CodingKey>(of key: Key) -> KeyID {
        KeyID(UInt(bitPattern: ObjectIdentifier(Key.self))) << 8 | KeyID(ByteKey.byte(of: key))
    }

    /// Adds a field behind a node; nil where the node has too many edges already.
    mutating func add(
        _ name: String, isAdjusted: Bool, from node: ShapeNode, by key: KeyID, call: Int
    ) -> ShapeNode? {
        guard node.edges.count < Self.mostEdges, nodes.count < Self.mostNodes else { return nil }
        let target = ShapeNode(name: name, isAdjusted: isAdjusted, parent: node)
        nodes.append(target)
        node.edges.append(ShapeNode.Edge(key: key, target: Unmanaged.passUnretained(target), call: call))
        predict(target, from: node, by: key)
        return target
    }

    func addIgnored(from node: ShapeNode, by key: KeyID, call: Int) {
        node.edges.append(ShapeNode.Edge(key: key, target: nil, call: call))
    }

    /// Ignored keys and values that are adjusted are never predicted: the fast way knows nothing of them.
    mutating func predict(_ target: ShapeNode, from node: ShapeNode, by key: KeyID) {
        guard !target.isAdjusted else { return }
        if node.lastTarget == nil { predicting.append(Unmanaged.passUnretained(node)) }
        node.lastKey = key
        node.lastTarget = Unmanaged.passUnretained(target)
    }

    /// Ends all predictions: in another call keys may have other strings.
    mutating func forgetPredictions() {
        for node in predicting {
            node._withUnsafeGuaranteedRef {
                $0.lastKey = .max
                $0.lastTarget = nil
            }
        }
        predicting.removeAll(keepingCapacity: true)
    }
}

/// A sequence of keys that values of a type have written.
///
/// Nodes point to each other without holding each other: the tree holds them all, and the session that has the tree
/// is held by whatever points to a node from outside.
final class ShapeNode {
    /// Where a key leads.
    struct Edge {
        let key: ShapeTree.KeyID

        /// The node behind the key, nil for an ignored key.
        let target: Unmanaged<ShapeNode>?

        /// The call in which the key was looked at last.
        var call: Int
    }

    /// The key that came after this node last time, and where it leads.
    @exclusivity(unchecked) fileprivate var lastKey: ShapeTree.KeyID = .max
    @exclusivity(unchecked) fileprivate var lastTarget: Unmanaged<ShapeNode>?

    @exclusivity(unchecked) var edges: [Edge] = []

    /// The field that this node adds to its parent's.
    let name: String
    let isAdjusted: Bool
    private let parent: Unmanaged<ShapeNode>?
    private let count: Int

    /// The names of all fields on the way to this node, nil until they are asked for.
    @exclusivity(unchecked) private var knownNames: FieldNames?

    fileprivate init(name: String, isAdjusted: Bool, parent: ShapeNode?) {
        self.name = name
        self.isAdjusted = isAdjusted
        self.parent = parent.map(Unmanaged.passUnretained)
        count = parent.map { $0.count + 1 } ?? 0
    }

    /// Where a key leads, if it is the one that came last time.
    @inline(__always)
    func target(of key: ShapeTree.KeyID) -> Unmanaged<ShapeNode>? { lastKey == key ? lastTarget : nil }

    /// The nodes from this one to its type's root, which adds no field.
    private var way: some Sequence<ShapeNode> {
        sequence(first: self) { $0.parent?.takeUnretainedValue() }.prefix { $0.parent != nil }
    }

    /// The position of a field on the way to this node.
    func position(of name: String) -> Int? {
        way.first { $0.name == name }.map { $0.count - 1 }
    }

    /// The names of all fields on the way to this node.
    @inline(__always)
    var names: FieldNames? { knownNames ?? makeNames() }

    @inline(never)
    private func makeNames() -> FieldNames? {
        knownNames = FieldNames(way.map(\.name).reversed())
        return knownNames
    }
}
