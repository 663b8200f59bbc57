extension Record {
    /// This record as a database holds it after a save: with new metadata, and with the modification date in place of
    /// each ``Record/Value/serverTimestamp``.
    func saved(as metadata: Metadata) -> Record {
        var record = self
        record.metadata = metadata
        for (position, value) in fields.values.enumerated() {
            switch value {
            case .serverTimestamp, .list, .map:
                record.fields.values[position] = value.mapLeaves {
                    if case .serverTimestamp = $0 { .date(metadata.modificationDate) } else { $0 }
                }
            default: break
            }
        }
        return record
    }
}

extension Record.Value {
    /// This value with the closure's answer in place of each value in it that is neither a list nor a map.
    ///
    /// Without recursion: values may be nested more deeply than a stack holds.
    func mapLeaves(_ transform: (Self) throws -> Self) rethrows -> Self {
        guard isCollection else { return try transform(self) }
        var open = [Unfinished(self)]
        while let last = open.indices.last {
            if let next = open[last].next {
                if next.isCollection {
                    open.append(Unfinished(next))
                } else {
                    open[last].done.append(try transform(next))
                }
            } else {
                let value = open.removeLast().value
                if open.isEmpty { return value }
                open[last - 1].done.append(value)
            }
        }
        return self
    }

    /// A list or a map of which some values are mapped.
    private struct Unfinished {
        let fields: Record.Fields?
        let values: [Record.Value]
        var done: [Record.Value] = []

        init(_ collection: Record.Value) {
            switch collection {
            case .map(let map): (fields, values) = (map, map.values)
            case .list(let list): (fields, values) = (nil, list)
            default: (fields, values) = (nil, [])
            }
            done.reserveCapacity(values.count)
        }

        var next: Record.Value? { done.count < values.count ? values[done.count] : nil }

        var value: Record.Value {
            guard var fields else { return .list(done) }
            fields.values = done
            return .map(fields)
        }
    }
}
