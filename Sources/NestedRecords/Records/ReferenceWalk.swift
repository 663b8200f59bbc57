/// Iterates over the references in the fields of a record, or in a list or map, and knows the path to each.
///
/// An asset refers to the record of its content, so that the indexes of references know who uses a content.
/// Without recursion: values may be nested more deeply than a stack holds.
package struct ReferenceWalk: IteratorProtocol {
    // The innermost collection is not in the array: most records have only this one, and need no array.
    private var current: OpenCollection
    private var outer: [OpenCollection] = []

    /// The asset that the last reference is of; nil for one to another record.
    private(set) var asset: RecordAsset?

    package init(_ fields: Record.Fields) { current = OpenCollection(fields) }

    /// Walks through a list or a map; other values have no references.
    init(_ value: Record.Value) { current = OpenCollection(value) ?? OpenCollection([:]) }

    package mutating func next() -> Record.Reference? {
        while true {
            guard let value = current.takeNext() else {
                guard let last = outer.popLast() else { return nil }
                current = last
                continue
            }
            if case .reference(let reference) = value {
                asset = nil
                return reference
            }
            if case .asset(let found) = value {
                asset = found
                return found.reference
            }
            if let inner = OpenCollection(value) {
                outer.append(current)
                current = inner
            }
        }
    }

    /// The path from the fields, list or map to the current reference; empty before the first.
    var path: [any CodingKey] {
        guard current.position > 0 else { return [] }
        return (outer + [current]).map { collection in
            let position = collection.position - 1
            return collection.shape.map { PathKey(stringValue: $0.names[position]) } ?? PathKey(index: position)
        }
    }

    /// The path in Swift notation: `students[2].name`.
    package var pathText: String {
        // Most references are fields of a record, and their paths are the names.
        guard outer.isEmpty, current.position > 0, let shape = current.shape else { return path.pathText }
        return shape.names[current.position - 1]
    }

    /// The name of the field with a list of references, and the place in it; nil for a reference at another place.
    package var listPlace: (name: String, position: Int)? {
        guard outer.count == 1, let shape = outer[0].shape, !current.isMap, current.position > 0 else { return nil }
        return (shape.names[outer[0].position - 1], current.position - 1)
    }
}

extension RecordContext {
    init(_ record: Record.ID, _ walk: ReferenceWalk) {
        let path = walk.path
        self.init(
            record: record, field: path.first?.stringValue, codingPath: path,
            chain: [Step(record: record, path: path.pathText)])
    }
}

extension RecordGraph {
    /// The records from a root to a record, each with the path to the next; empty if the record cannot be reached.
    func chain(to id: Record.ID) -> [RecordContext.Step] {
        var ways: [Record.ID: RecordContext.Step?] = [:]
        for root in roots { ways[root] = .some(nil) }
        var open = roots[...]
        while let next = open.popFirst(), ways[id] == nil {
            guard let record = self[next] else { continue }
            var walk = ReferenceWalk(record.fields)
            while let reference = walk.next() {
                if ways[reference.id] != nil { continue }
                ways[reference.id] = RecordContext.Step(record: next, path: walk.pathText)
                open.append(reference.id)
            }
        }
        guard ways[id] != nil else { return [] }
        var steps = [RecordContext.Step(record: id, path: "")]
        while let step = ways[steps[0].record] ?? nil { steps.insert(step, at: 0) }
        return steps
    }
}

extension Record {
    /// All references in the fields of this record, including those in lists and maps, in the order of the fields.
    public var references: [Reference] {
        Array(IteratorSequence(ReferenceWalk(fields)).lazy.filter { !$0.id.isOfAssets })
    }
}

extension Record.Value {
    var mayHoldReferences: Bool {
        switch self {
        case .reference, .asset: true
        default: isCollection
        }
    }

    func visitReferences(_ body: (Record.Reference) throws -> Void) rethrows {
        if case .reference(let reference) = self { return try body(reference) }
        if case .asset(let asset) = self { return try body(asset.reference) }
        if case .list(let values) = self, values.allSatisfy({ !$0.isCollection }) {
            return try withExtendedLifetime(values) {
                let values = ElementsInPlace(values)
                for position in 0..<values.count {
                    if case .reference(let reference) = values[position].value {
                        try body(reference)
                    } else if case .asset(let asset) = values[position].value {
                        try body(asset.reference)
                    }
                }
            }
        }
        var walk = ReferenceWalk(self)
        while let reference = walk.next() { try body(reference) }
    }
}
