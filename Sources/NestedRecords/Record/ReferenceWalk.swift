/// Goes from reference to reference through the fields of a record, or through a list or map, and knows where each
/// stands.
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

    private var open: [Level] = []

    init(_ fields: Record.Fields) {
        open.append(Level(names: fields.names, values: fields.values))
    }

    /// Goes through a list or a map; in any other value there is nothing to go through.
    init(_ value: Record.Value) {
        enter(value)
    }

    private mutating func enter(_ value: Record.Value) {
        switch value {
        case .list(let values): open.append(Level(names: nil, values: values))
        case .map(let fields): open.append(Level(names: fields.names, values: fields.values))
        default: break
        }
    }

    mutating func next() -> Record.Reference? {
        while let last = open.indices.last {
            let position = open[last].next
            guard position < open[last].values.count else {
                open.removeLast()
                continue
            }
            open[last].next = position + 1
            let value = open[last].values[position]
            if case .reference(let reference) = value { return reference }
            enter(value)
        }
        return nil
    }

    /// The way from the fields, or from the list or map, to the reference that came last.
    var path: [any CodingKey] { open.map(\.key) }
}

extension RecordPlace {
    /// Where a walk through the fields of a record stands.
    init(_ record: Record.ID, _ walk: ReferenceWalk) {
        let path = walk.path
        self.init(
            record: record, field: path.first?.stringValue, codingPath: path,
            chain: [Step(record: record, path: path.pathText)])
    }
}
