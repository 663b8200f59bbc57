extension Record {
    /// This record without the references for which the closure returns true.
    ///
    /// Fields, members of maps and elements of lists with such references are left out.
    func removingReferences(where isRemoved: (Record.ID) -> Bool) -> Record {
        mappingReferences { isRemoved($0.id) ? nil : $0 }
    }

    /// This record with new targets for the references for which the closure returns an ID.
    package func replacingReferences(_ newID: (Record.ID) -> Record.ID?) -> Record {
        mappingReferences { reference in
            var reference = reference
            reference.id = newID(reference.id) ?? reference.id
            return reference
        }
    }

    private func mappingReferences(_ transform: (Record.Reference) -> Record.Reference?) -> Record {
        guard fields.values.contains(where: \.mayHoldReferences),
            case .map(let fields) = Record.Value.map(fields).mappingReferences(transform)
        else { return self }
        var record = self
        record.fields = fields
        return record
    }
}

extension Record.Value {
    /// A list or a map with each reference replaced by the result of the closure; nil leaves the reference out.
    ///
    /// Without recursion: values may be nested more deeply than a stack holds.
    fileprivate func mappingReferences(_ transform: (Record.Reference) -> Record.Reference?) -> Record.Value {
        var open = [Unfinished(self)]
        while let last = open.indices.last {
            switch open[last].takeNext() {
            case .reference(let reference)?:
                if let reference = transform(reference) { open[last].keep(.reference(reference)) }
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

    /// A list or a map of which some values are processed.
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

        /// Keeps the value that was read last, or its replacement.
        mutating func keep(_ value: Record.Value) { kept.append((names?[position - 1] ?? "", value)) }

        var value: Record.Value {
            guard names != nil else { return .list(kept.map(\.value)) }
            return .map(Record.Fields(names: kept.map(\.name), values: kept.map(\.value)))
        }
    }
}
