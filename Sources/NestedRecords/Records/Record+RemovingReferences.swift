extension Record {
    /// This record without the references for which the closure says so.
    ///
    /// Fields and members of maps are left out, as are elements of lists.
    func removingReferences(where isRemoved: (Record.ID) -> Bool) -> Record {
        var record = self
        guard case .map(let fields) = Record.Value.map(fields).removingReferences(where: isRemoved) else { return self }
        record.fields = fields
        return record
    }
}

extension Record.Value {
    /// A list or a map without the references for which the closure says so.
    ///
    /// Without recursion: values may be nested more deeply than a stack holds.
    fileprivate func removingReferences(where isRemoved: (Record.ID) -> Bool) -> Record.Value {
        var open = [Unfinished(self)]
        while let last = open.indices.last {
            switch open[last].takeNext() {
            case .reference(let reference)? where isRemoved(reference.id): break
            case .list(let values)? where !values.isEmpty: open.append(Unfinished(.list(values)))
            case .map(let fields)? where !fields.isEmpty: open.append(Unfinished(.map(fields)))
            case let other?: open[last].keep(other)
            case nil:
                let value = open.removeLast().value
                guard let outer = open.indices.last else { return value }
                open[outer].keep(value)
            }
        }
        return self
    }

    /// A list or a map from which some values are taken over.
    private struct Unfinished {
        /// The names of the values in a map; nil in a list.
        private let names: [String]?
        private let values: [Record.Value]
        private var position = 0
        private var kept: [(name: String, value: Record.Value)] = []

        init(_ collection: Record.Value) {
            switch collection {
            case .map(let fields): (names, values) = (fields.names, fields.values)
            case .list(let list): (names, values) = (nil, list)
            default: (names, values) = (nil, [])
            }
        }

        mutating func takeNext() -> Record.Value? {
            guard position < values.count else { return nil }
            position += 1
            return values[position - 1]
        }

        /// Takes over the value that was taken last, or what became of it.
        mutating func keep(_ value: Record.Value) { kept.append((names?[position - 1] ?? "", value)) }

        var value: Record.Value {
            guard names != nil else { return .list(kept.map(\.value)) }
            return .map(Record.Fields(names: kept.map(\.name), values: kept.map(\.value)))
        }
    }
}
