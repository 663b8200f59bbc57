import NestedRecords

/// A document with the decision what each of its values becomes.
struct MarkedTree {
    /// Deeper values are kept as their JSON text: a decoder recurses into records.
    static let deepest = 200

    let tree: JSONTree

    /// The name of the file, for the record of a whole document.
    let documentName: String

    /// The types by the numbers in their marks.
    private(set) var types: [(name: String, identifier: String)]
    var marks: [UInt16]

    /// The positions in their lists of objects that are named by it.
    var positions: [UInt32: UInt32] = [:]

    /// The fullest object of each identity.
    var fullest: [Identity: UInt32] = [:]
    var identifierKeys: [[UInt32]?] = []

    /// The record of each value that refers to one.
    var links: [UInt32: Link] = [:]

    /// The paths of references at which some value refers to a record.
    var linkedPaths: Set<String> = []

    /// A reference: a record, and the value with its name after a prefix.
    struct Link {
        let target: UInt32
        let inner: UInt32
        let prefix: String
    }

    /// Whether the names that are UUIDs are those of Swift's `UUID`, in upper case.
    let canonicalizesUUIDs: Bool

    /// The keys of identifiers by which an object inside of others is a copy.
    private let comparedKeys: Set<UInt32>

    private var contradictions: [UInt16: Contradiction] = [:]

    /// For each other object of an identity one that is as full or fuller.
    var copies: [UInt32: UInt32] = [:]

    struct Identity: Hashable {
        let type: UInt16
        let name: String

        /// All spellings of a UUID are one identity.
        init(type: UInt16, name: String) { (self.type, self.name) = (type, name.spelledAsUUID ?? name) }

        // Equality of Swift's strings takes some different names as one.
        static func == (left: Self, right: Self) -> Bool {
            left.type == right.type && left.name.utf8.elementsEqual(right.name.utf8)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(type)
            hasher.combine(name)
        }
    }

    /// The first contradiction of each type.
    struct Contradictions: Error {
        let all: [Contradiction]
    }

    /// Two objects with one identity and different content.
    struct Contradiction: Sendable {
        let type: String
        let name: String
        let first: Int
        let second: Int
    }

    /// Marks the values of a document.
    init(_ tree: JSONTree, _ mapping: Mapping, documentName: String, canonicalizesUUIDs: Bool = false) throws {
        (self.tree, self.documentName, self.canonicalizesUUIDs) = (tree, documentName, canonicalizesUUIDs)
        let paths = MarkPaths(mapping, in: tree)
        types = paths.types
        identifierKeys = types.map { tree.keys(of: $0.identifier) }
        comparedKeys = Identifiers.keys(in: tree).union(identifierKeys.compactMap { $0?.first })
        marks = Array(repeating: Mark.plain.rawValue, count: tree.nodes.count)
        var references: [Reference] = []
        mark(along: paths, &references)
        if !contradictions.isEmpty { throw Contradictions(all: contradictions.values.sorted { $0.second < $1.second }) }
        markDocument()
        resolve(references, mapping, paths)
    }

    private struct Frame {
        let node: Int
        let end: Int
        var path: Int?
        var count: UInt32 = 0
        var seen: Set<String> = []
    }

    /// A value that may refer to a record, with its mark and its path.
    typealias Reference = (node: Int, mark: UInt16, path: Int)

    mutating func mark(along paths: MarkPaths, _ references: inout [Reference]) {
        let hasOddKeys = tree.hasOddKeys
        var open: [Frame] = []
        var node = tree.root
        while node < tree.nodes.count {
            while let last = open.last, last.end <= node { open.removeLast() }
            var path: Int? = 0
            if let top = open.indices.last {
                open[top].count += 1
                path = open[top].path.flatMap { paths.next($0, to: node, in: tree) }
                if hasOddKeys, tree.kind(of: open[top].node) == .object, !mayHaveField(node, in: &open[top]) {
                    marks[node] = Mark.member.rawValue
                    node = Int(tree.nodes[node].end)
                    continue
                }
            }
            let end = Int(tree.nodes[node].end)
            let kind = tree.kind(of: node)
            let mark = path.map { paths.marks[$0] } ?? Mark.plain.rawValue
            let isDeep = open.count > Self.deepest && end > node + 1
            if isDeep || kind == .object && tree.isDecimalMark(node) || tree.hasLongKey(node) {
                marks[node] = Mark.text.rawValue
                node = end
                continue
            }
            let isExtended = kind == .object && tree.extendedValue(of: node) != nil
            if isExtended { marks[node] = Mark.extended.rawValue }
            if mark >= Mark.reference {
                if let path { references.append((node, mark, path)) }
            } else if mark == Mark.date.rawValue || mark == Mark.location.rawValue {
                if kind == .text { marks[node] = mark }
            } else if mark >= Mark.record, kind == .object, !isExtended {
                if types[Int(mark - Mark.record)].identifier == Mapping.positionName {
                    positions[UInt32(node)] = open.last?.count ?? 1
                }
                addRecord(node, mark)
            }
            if kind == .object || kind == .list, end > node + 1, !isExtended {
                open.append(Frame(node: node, end: end, path: path))
            }
            node = isExtended ? end : node + 1
        }
    }

    /// Whether a field of the enclosing object can have the key of a member.
    private func mayHaveField(_ member: Int, in frame: inout Frame) -> Bool {
        let key = tree.keyText(of: member)
        if key.isEmpty, isRecord(frame.node) || frame.node == tree.root { return false }
        // Fields with equal names are one field, also if their bytes differ; so are those of ASCII and of other scripts.
        return frame.seen.insert(key).inserted
    }

    private mutating func addRecord(_ node: Int, _ mark: UInt16) {
        let type = mark - Mark.record
        marks[node] = mark
        guard let name = name(of: node) else {
            marks[node] = Mark.plain.rawValue
            return
        }
        let identity = Identity(type: type, name: name)
        guard let other = fullest[identity] else {
            fullest[identity] = UInt32(node)
            return
        }
        var steps = Int.max
        // Positions name the objects of one list: those of another list are not copies.
        let isPosition = types[Int(type)].identifier == Mapping.positionName
        guard !isPosition, let fuller = tree.fuller(of: Int(other), node, within: &steps, identifiers: comparedKeys)
        else {
            if contradictions[type] == nil {
                contradictions[type] = Contradiction(
                    type: types[Int(type)].name, name: name, first: Int(other), second: node)
            }
            return
        }
        fullest[identity] = UInt32(fuller)
        copies[fuller == node ? other : UInt32(node)] = UInt32(fuller)
    }

    /// Makes the root a record if it has more than records.
    private mutating func markDocument() {
        let root = tree.root
        guard !isRecord(root), hasMoreThanRecords else { return }
        func isFree(_ name: String) -> Bool { !types.contains { $0.name == name } }
        let names = (["Document"] + (2...(types.count + 2)).map { "Document\($0)" })
        types.append((names.first(where: isFree) ?? "Document", Mapping.fileName))
        identifierKeys.append(nil)
        let mark = Mark.record + UInt16(types.count - 1)
        marks[root] = mark
        fullest[Identity(type: mark - Mark.record, name: documentName)] = UInt32(root)
    }

    private var hasMoreThanRecords: Bool {
        var node = tree.root
        var records = 0
        while node < tree.nodes.count {
            if isRecord(node) {
                records += 1
                node = Int(tree.nodes[node].end)
                continue
            }
            guard marks[node] == Mark.plain.rawValue else { return true }
            let kind = tree.kind(of: node)
            guard kind == .object || kind == .list else { return true }
            node += 1
        }
        return records == 0
    }
}
