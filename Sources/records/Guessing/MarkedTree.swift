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
    private(set) var marks: [UInt16]

    /// The positions in their lists of objects that are named by it.
    private var positions: [UInt32: UInt32] = [:]

    /// The fullest object of each identity.
    private var fullest: [Identity: UInt32] = [:]
    private var identifierKeys: [[UInt32]?] = []

    /// The record of each value that refers to one.
    private(set) var links: [UInt32: Link] = [:]

    /// The paths of references at which some value refers to a record.
    private(set) var linkedPaths: Set<String> = []

    /// A reference: a record, and the value with its name after a prefix.
    struct Link {
        let target: UInt32
        let inner: UInt32
        let prefix: String
    }

    /// Whether the names that are UUIDs are those of Swift's `UUID`, in upper case.
    private let canonicalizesUUIDs: Bool

    private var contradictions: [UInt16: Contradiction] = [:]

    /// For each other object of an identity one that is as full or fuller.
    private var copies: [UInt32: UInt32] = [:]

    private struct Identity: Hashable {
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
        marks = Array(repeating: Mark.plain.rawValue, count: tree.nodes.count)
        var references: [Reference] = []
        mark(along: paths, &references)
        if !contradictions.isEmpty { throw Contradictions(all: contradictions.values.sorted { $0.second < $1.second }) }
        resolve(references, mapping, paths)
        markDocument()
    }

    private struct Frame {
        let node: Int
        let end: Int
        var path: Int?
        var count: UInt32 = 0
        var seen: Set<String> = []
    }

    /// A value that may refer to a record, with its mark and its path.
    private typealias Reference = (node: Int, mark: UInt16, path: Int)

    private mutating func mark(along paths: MarkPaths, _ references: inout [Reference]) {
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
        guard !isPosition, let fuller = tree.fuller(of: Int(other), node, within: &steps) else {
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

// MARK: References

extension MarkedTree {
    /// Marks the values that refer to records; the others stay what they are.
    private mutating func resolve(_ references: [Reference], _ mapping: Mapping, _ paths: MarkPaths) {
        if references.isEmpty { return }
        let numbers = Dictionary(uniqueKeysWithValues: types.indices.map { (types[$0].name, $0) })
        let prefixes = mapping.prefixes.compactMapValues { numbers[$0] }
        var end = 0
        for (node, mark, path) in references where node >= end {
            let type = mark == Mark.anyReference ? nil : Int(mark - Mark.reference)
            guard let link = link(from: node, toType: type, prefixes) else { continue }
            links[UInt32(node)] = link
            marks[node] = mark
            end = Int(tree.nodes[node].end)
            if let path = paths.references[path] { linkedPaths.insert(path) }
        }
    }

    /// The record that a value names, alone or after the prefix of a type.
    private func link(from node: Int, toType type: Int?, _ prefixes: [String: Int]) -> Link? {
        guard let inner = inner(of: node, type), let text = tree.name(from: inner) else { return nil }
        func link(_ type: Int, _ name: String, _ prefix: String) -> Link? {
            let target = fullest[Identity(type: UInt16(type), name: name)]
            return target.map { Link(target: $0, inner: UInt32(inner), prefix: prefix) }
        }
        if let type, let found = link(type, text, "") { return found }
        guard let (prefix, name) = text.typedName, let found = prefixes[prefix], type ?? found == found else {
            return nil
        }
        return link(found, name, prefix)
    }

    /// The value with the name that a value refers to; nil for an object that has more than a name and its type.
    private func inner(of node: Int, _ type: Int?) -> Int? {
        switch tree.kind(of: node) {
        case .text, .number: return node
        case .null, .bool, .list: return nil
        case .object:
            guard marks[node] != Mark.text.rawValue else { return nil }
            let own = type.flatMap { identifierKeys[$0] }.flatMap { tree.member($0, of: node) }
            guard var inner = own ?? tree.onlyMember(of: node) else { return nil }
            if let name = tree.onlyMember(of: inner), tree.keyText(of: name) == "$oid" { inner = name }
            let isAlone = (node + 1..<Int(tree.nodes[node].end)).allSatisfy { part in
                part == inner || tree.kind(of: part) == .object
                    || tree.kind(of: part) == .text && Survey.discriminators.contains(tree.keyText(of: part))
            }
            return isAlone ? inner : nil
        }
    }
}

// MARK: Identities

extension MarkedTree {
    func isRecord(_ node: Int) -> Bool { (Mark.record..<Mark.reference).contains(marks[node]) }

    /// The number of the type of a record.
    func type(of node: Int) -> Int { Int(marks[node] - Mark.record) }

    /// The ID of a record.
    func id(of node: Int) throws -> Record.ID {
        try Record.ID(type: types[type(of: node)].name, name: name(of: node) ?? "")
    }

    /// The object that is stored as the record of this object: the fullest with its identity.
    func stored(_ node: Int) -> Int {
        var node = UInt32(node)
        while let fuller = copies[node] { node = fuller }
        return Int(node)
    }

    /// What Swift types read in another way than the names of the records say: a hint of each kind.
    var hints: [String] {
        get throws {
            var (uuid, integer): (Record.ID?, Record.ID?)
            for (identity, node) in fullest {
                let id = try id(of: Int(node))
                if id.isUUIDInLowerCase {
                    uuid = min(uuid ?? id, id)
                } else if let spelling = id.name.spelledAsInteger, !spelling.utf8.elementsEqual(id.name.utf8),
                    fullest[Identity(type: identity.type, name: spelling)] != nil
                {
                    integer = min(integer ?? id, id)
                }
            }
            return [uuid?.hintAboutUUID, integer?.hintAboutInteger].compactMap(\.self)
        }
    }

    private func name(of node: Int) -> String? {
        let type = type(of: node)
        let name: String? =
            switch types[type].identifier {
            case Mapping.keyName: tree.keyText(of: node)
            case Mapping.positionName: positions[UInt32(node)].map { "\($0)" }
            case Mapping.fileName: documentName
            default: identifierKeys[type].flatMap { tree.member($0, of: node) }.flatMap(tree.name)
            }
        guard let name, tree.isName(name) else { return nil }
        return canonicalizesUUIDs ? name.spelledAsUUID ?? name : name
    }
}

extension JSONTree {
    private static let longestKey = 255

    /// The record name that an identifier gives; nil for other values than strings, integers and MongoDB's identifiers.
    func name(from node: Int) -> String? {
        switch kind(of: node) {
        case .text: return text(of: node)
        case .number:
            guard case .int(let value)? = number(of: node)?.value else { return nil }
            return value.description
        case .object:
            guard let member = onlyMember(of: node), keyText(of: member) == "$oid", kind(of: member) == .text else {
                return nil
            }
            return text(of: member)
        case .null, .bool, .list: return nil
        }
    }

    /// Whether a record can have a name.
    func isName(_ name: String) -> Bool {
        guard (1...255).contains(name.utf8.count) else { return false }
        return name.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } || (try? Record.ID(type: "A", name: name)) != nil
    }

    /// Whether some key is empty, or has characters that may be written in several ways.
    fileprivate var hasOddKeys: Bool { keys.contains { $0.isEmpty || $0.utf8.contains { $0 >= 0x80 } } }

    /// Whether an object has the form that a record has for a large number.
    fileprivate func isDecimalMark(_ node: Int) -> Bool {
        onlyMember(of: node).map { keyText(of: $0) == "$decimal" } ?? false
    }

    /// The only member of an object; nil for other values.
    func onlyMember(of node: Int) -> Int? {
        let isAlone = kind(of: node) == .object && nodes[node].end > node + 1 && nodes[node + 1].end == nodes[node].end
        return isAlone ? node + 1 : nil
    }

    /// The keys on the way to an identifier, which may be inside a member; nil if the document does not have them.
    func keys(of identifier: String) -> [UInt32]? {
        if let key = key(identifier) { return [key] }
        let parts = identifier.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false)
        let keys = parts.compactMap { key(String($0)) }
        return parts.count > 1 && keys.count == parts.count ? keys : nil
    }

    /// The value at the end of some keys.
    func member(_ keys: [UInt32], of node: Int) -> Int? {
        keys.reduce(node) { node, key in node.flatMap { kind(of: $0) == .object ? member(key, of: $0) : nil } }
    }

    /// Whether the key of a value is longer than any name: a path with it would repeat it for each value below.
    func hasLongKey(_ node: Int) -> Bool {
        nodes[node].key != Self.noKey && keyText(of: node).utf8.count > Self.longestKey
    }
}
