extension Record {
    /// All references in the fields of this record, with those in lists and maps, in the order of the fields.
    public var references: [Reference] {
        var found: [Reference] = []
        for value in fields.values { value.visitReferences { found.append($0) } }
        return found
    }
}

extension Record.Value {
    /// Calls the closure with each reference in this value.
    func visitReferences(_ body: (Record.Reference) throws -> Void) rethrows {
        switch self {
        case .reference(let reference): try body(reference)
        case .list(let values):
            for value in values { try value.visitReferences(body) }
        case .map(let fields):
            for value in fields.values { try value.visitReferences(body) }
        case .null, .bool, .int, .double, .string, .date, .bytes, .location: break
        }
    }
}
