extension Record {
    /// All references in the fields of this record, with those in lists and maps, in the order of the fields.
    public var references: [Reference] {
        var found: [Reference] = []
        for value in fields.values { value.visitReferences { found.append($0) } }
        return found
    }
}

extension Record.Value {
    /// Whether this is a reference, or something that references can stand in.
    var mayHoldReferences: Bool {
        switch self {
        case .reference, .list, .map: true
        case .null, .bool, .int, .double, .string, .date, .bytes, .location, .serverTimestamp: false
        }
    }

    /// Calls the closure with each reference in this value.
    ///
    /// Without recursion: values may be nested more deeply than a stack holds.
    func visitReferences(_ body: (Record.Reference) throws -> Void) rethrows {
        var open: [[Record.Value].SubSequence] = []
        var next: Record.Value? = self
        while let value = next {
            switch value {
            case .reference(let reference): try body(reference)
            case .list(let values): open.append(values[...])
            case .map(let fields): open.append(fields.values[...])
            case .null, .bool, .int, .double, .string, .date, .bytes, .location, .serverTimestamp: break
            }
            while let last = open.indices.last, open[last].isEmpty { open.removeLast() }
            next = open.indices.last.flatMap { open[$0].popFirst() }
        }
    }
}
