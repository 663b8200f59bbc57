extension Record {
    /// This record without the references for which the closure returns true.
    ///
    /// Fields, members of maps and elements of lists with such references are left out.
    func removingReferences(where isRemoved: (Record.ID) -> Bool) -> Record {
        mappingReferences { isRemoved($0.id) ? nil : $0 }
    }

    package func replacingReferences(_ newID: (Record.ID) -> Record.ID?) -> Record {
        mappingReferences { reference in
            var reference = reference
            reference.id = newID(reference.id) ?? reference.id
            return reference
        }
    }

    private func mappingReferences(_ transform: (Record.Reference) -> Record.Reference?) -> Record {
        guard fields.values.contains(where: \.mayHoldReferences) else { return self }
        let mapped = Record.Value.map(fields).mapLeaves { leaf in
            if case .reference(let reference) = leaf { transform(reference).map { .reference($0) } } else { leaf }
        }
        guard case .map(let fields) = mapped else { return self }
        var record = self
        record.fields = fields
        return record
    }
}
