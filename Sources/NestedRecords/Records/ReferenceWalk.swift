/// Iterates over the references in the fields of a record, or in a list or map, and knows the path to each.
///
/// Without recursion: values may be nested more deeply than a stack holds.
struct ReferenceWalk: IteratorProtocol {
    private struct Level {
        /// The names in a map, nil in a list.
        let names: [String]?
        let values: [Record.Value]
        var next = 0

        var key: PathKey {
            let position = next - 1
            return names.map { PathKey(stringValue: $0[position]) } ?? PathKey(index: position)
        }
    }

    // The innermost level is not in the array: most records have only this level, and need no array.
    private var current: Level
    private var outer: [Level] = []

    init(_ fields: Record.Fields) {
        current = Level(names: fields.names, values: fields.values)
    }

    /// Walks through a list or a map; other values have no references.
    init(_ value: Record.Value) {
        switch value {
        case .list(let values): current = Level(names: nil, values: values)
        case .map(let fields): current = Level(names: fields.names, values: fields.values)
        default: current = Level(names: nil, values: [])
        }
    }

    mutating func next() -> Record.Reference? {
        while true {
            guard current.next < current.values.count else {
                guard let last = outer.popLast() else { return nil }
                current = last
                continue
            }
            current.next += 1
            switch current.values[current.next - 1] {
            case .reference(let reference): return reference
            case .list(let values): enter(Level(names: nil, values: values))
            case .map(let fields): enter(Level(names: fields.names, values: fields.values))
            default: break
            }
        }
    }

    private mutating func enter(_ level: Level) {
        outer.append(current)
        current = level
    }

    /// The path from the fields, list or map to the current reference; empty before the first.
    var path: [any CodingKey] { current.next > 0 ? (outer + [current]).map(\.key) : [] }
}

extension RecordContext {
    /// Makes the step of a walk through the fields of a record.
    init(_ record: Record.ID, _ walk: ReferenceWalk) {
        let path = walk.path
        self.init(
            record: record, field: path.first?.stringValue, codingPath: path,
            chain: [Step(record: record, path: path.pathText)])
    }
}
