extension Record {
    /// Whether the record contains a ``Record/Value/serverTimestamp``.
    package var hasServerTimestamp: Bool { fields.values.contains(where: \.hasServerTimestamp) }

    /// Restores each pending ``Record/Value/serverTimestamp`` of an earlier save, if this record still has the date
    /// that was read in its place.
    ///
    /// - Parameters:
    ///   - former: The record as it was saved.
    ///   - read: The record as it was read afterwards.
    mutating func keepServerTimestamps(of former: Record, readAs read: Record) {
        for (name, value) in zip(former.fields.names, former.fields.values)
        where value.hasServerTimestamp && self[name] == read[name] {
            self[name] = value
        }
    }

    /// This record as a database holds it after a save: with new metadata, and with the modification date in place of
    /// each ``Record/Value/serverTimestamp``.
    package func saved(as metadata: Metadata) -> Record {
        var record = self
        record.metadata = metadata
        // Most records have no timestamps and keep sharing the values of the saved record.
        for (position, value) in fields.values.enumerated() where value.hasServerTimestamp {
            record.fields.values[position] = value.mapLeaves {
                if case .serverTimestamp = $0 { .date(metadata.modificationDate) } else { $0 }
            }
        }
        return record
    }
}

extension Record.Value {
    /// Whether this is a ``serverTimestamp``, or contains one.
    fileprivate var hasServerTimestamp: Bool {
        if case .serverTimestamp = self { return true }
        guard isCollection else { return false }
        var open = [self]
        while let collection = open.popLast() {
            for value in collection.elements {
                if case .serverTimestamp = value { return true }
                if value.isCollection { open.append(value) }
            }
        }
        return false
    }

    /// The values in a list or in a map.
    private var elements: [Record.Value] {
        switch self {
        case .list(let values): values
        case .map(let fields): fields.values
        default: []
        }
    }

    /// This value with each leaf, a value other than a list or a map, replaced by the result of the closure.
    ///
    /// Without recursion: values may be nested more deeply than a stack holds.
    ///
    /// - Parameters:
    ///   - isOpened: Whether the values in a collection are mapped; otherwise the closure is called with the
    ///     collection.
    ///   - transform: Gives the value for a leaf.
    func mapLeaves<Failure: Error>(
        where isOpened: (Self) -> Bool = \.isCollection, _ transform: (Self) throws(Failure) -> Self
    ) throws(Failure) -> Self {
        guard isOpened(self) else { return try transform(self) }
        var open = [Unfinished(self)]
        while let last = open.indices.last {
            if let next = open[last].next {
                if isOpened(next) {
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
