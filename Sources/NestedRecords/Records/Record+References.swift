extension Record {
    /// All references in the fields of this record, including those in lists and maps, in the order of the fields.
    public var references: [Reference] {
        var found: [Reference] = []
        var walk = ReferenceWalk(fields)
        while let reference = walk.next() { found.append(reference) }
        return found
    }
}

extension Record.Value {
    /// Whether this is a reference, or a list or map that may contain references.
    var mayHoldReferences: Bool {
        switch self {
        case .reference, .list, .map: true
        case .null, .bool, .int, .double, .string, .date, .bytes, .location, .serverTimestamp: false
        }
    }

    /// Calls the closure with each reference in this value.
    func visitReferences(_ body: (Record.Reference) throws -> Void) rethrows {
        if case .reference(let reference) = self { return try body(reference) }
        if case .list(let values) = self, values.allSatisfy({ !$0.isCollection }) {
            return try withExtendedLifetime(values) {
                let values = ElementsInPlace(values)
                for position in 0..<values.count {
                    if case .reference(let reference) = values[position].value { try body(reference) }
                }
            }
        }
        var walk = ReferenceWalk(self)
        while let reference = walk.next() { try body(reference) }
    }
}
