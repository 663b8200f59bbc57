import NestedRecords

/// What a value of a document becomes.
enum Mark: UInt16 {
    case plain = 0
    case date
    case location

    /// It is kept as its JSON text, and its field is null.
    case text

    /// It is kept as its JSON text, since no field can have its key.
    case member
    case ignored

    /// A value in MongoDB's extended JSON.
    case extended

    /// A mark of at least this number is a record of the type with the rest as its position.
    static let record: UInt16 = 16

    /// A mark of at least this number is a value that refers to the type with the rest as its position.
    static let reference: UInt16 = 1 << 15

    /// A value that refers to a record of a type that it says itself.
    static let anyReference = UInt16.max
}

/// A mapping for the keys of one document.
struct MarkPaths {
    private var keys: [[UInt32: Int]] = [[:]]
    private var elements: [Int?] = [nil]
    private var entries: [Int?] = [nil]
    private var filters: [Int: [Filter]] = [:]
    private(set) var marks: [UInt16] = [Mark.plain.rawValue]

    /// The paths of references, by their positions.
    private(set) var references: [Int: String] = [:]

    /// The positions of the objects with some value, or with no other member.
    private struct Filter {
        let keys: [UInt32]
        let value: String?
        let position: Int
    }

    /// The names and identifiers of the types, in the order of their marks.
    let types: [(name: String, identifier: String)]

    /// The keys that are not names in a map.
    private let signs: Set<UInt32>

    init(_ mapping: Mapping, in tree: JSONTree) {
        signs = Set(tree.keys.indices.lazy.filter { tree.keys[$0].isMark }.map { UInt32($0) })
        let names = Set(mapping.types.keys).union(mapping.references.values).subtracting([Mapping.anyType]).sorted()
        types = names.map { ($0, mapping.types[$0]?.identifier ?? "") }
        let numbers = Dictionary(zip(names, 0..<UInt16(clamping: names.count))) { first, _ in first }
        for path in mapping.dates { add(Mark.date.rawValue, at: path, in: tree) }
        for path in mapping.locations { add(Mark.location.rawValue, at: path, in: tree) }
        for (path, type) in mapping.references.sorted(by: { $0.key < $1.key }) {
            let mark = type == Mapping.anyType ? Mark.anyReference : Mark.reference + (numbers[type] ?? 0)
            if let position = add(mark, at: path, in: tree) { references[position] = path }
        }
        for (name, type) in mapping.types.sorted(by: { $0.key < $1.key }) {
            for path in type.paths { add(Mark.record + (numbers[name] ?? 0), at: path, in: tree) }
        }
        for path in mapping.ignored { add(Mark.ignored.rawValue, at: path, in: tree) }
    }

    @discardableResult
    private mutating func add(_ mark: UInt16, at path: String, in tree: JSONTree) -> Int? {
        var position = 0
        for step in PathStep.steps(of: path) {
            let next: Int?
            switch step {
            case .element: next = elements[position]
            case .entry: next = entries[position]
            case .key(let text):
                guard let key = tree.key(text) else { return nil }
                next = keys[position][key]
                if next == nil { keys[position][key] = marks.count }
            case .only(let text, let value):
                guard let keys = tree.keys(of: text) else { return nil }
                next = filters[position]?.first { $0.keys == keys && $0.value == value }?.position
                if next == nil {
                    filters[position, default: []].append(Filter(keys: keys, value: value, position: marks.count))
                }
            }
            if next == nil {
                if step == .element { elements[position] = marks.count }
                if step == .entry { entries[position] = marks.count }
                keys.append([:])
                elements.append(nil)
                entries.append(nil)
                marks.append(Mark.plain.rawValue)
            }
            position = next ?? marks.count - 1
        }
        marks[position] = mark
        return position
    }

    /// The position of a value in the value at a position; nil if nothing is marked there.
    func next(_ position: Int, to node: Int, in tree: JSONTree) -> Int? {
        let key = tree.nodes[node].key
        let next =
            key == JSONTree.noKey
            ? elements[position] : keys[position][key] ?? (signs.contains(key) ? nil : entries[position])
        guard let next, let filters = filters[next], tree.kind(of: node) == .object else { return next }
        let filter = filters.first { filter in
            guard let member = tree.member(filter.keys, of: node) else { return false }
            guard let value = filter.value else { return tree.onlyMember(of: node) == member }
            return tree.kind(of: member) == .text && tree.text(of: member).utf8.elementsEqual(value.utf8)
        }
        return filter?.position ?? next
    }
}
