extension SaveConflict {
    /// The fields that both sides changed to different values; without an ancestor, all that differ.
    public var contestedFields: [Field] {
        var contested: [Field] = []
        _ = merged { field in
            contested.append(field)
            return nil
        }
        return contested
    }

    /// Takes each field from the side that changed it; a client field that is ``Record/Value/serverTimestamp`` always
    /// wins.
    ///
    /// - Returns: The record to save, with the version that the database holds.
    /// - Throws: `RecordError.Code.contestedField` for the first field that both sides changed to different
    ///   values; without an ancestor, for the first that differs.
    /// - Complexity: O(*n*) for *n* fields and list elements.
    public func merged() throws -> Record {
        try merged { field in
            func text(_ value: Record.Value?) -> String { value?.description ?? "absent" }
            let summary =
                "the field \(field.name.asLabel) of record \(client.id) is \(text(field.client)) in the record to save "
                + "and \(text(field.server)) in the database's, and was \(text(field.ancestor))"
            throw RecordError(.contestedField, summary: summary, recordID: client.id, field: field.name)
        }
    }

    /// Takes each field from the side that changed it, and calls the closure if both sides did.
    ///
    /// ```swift
    /// conflict.merged { field in field.client }
    /// ```
    ///
    /// A field is merged as a whole, even if it holds a list or map.
    ///
    /// - Parameter resolve: Returns the value for a field that both sides changed to different values; nil leaves the
    ///   field out. Without an ancestor it is called for every field that differs.
    /// - Returns: The record to save, with the version that the database holds: the client's fields in their order,
    ///   then those that only the database's record has.
    /// - Throws: Errors of the closure.
    /// - Complexity: O(*n*) for *n* fields and list elements.
    public func merged(resolving resolve: (Field) throws -> Record.Value?) rethrows -> Record {
        let others = server.fields.names.filter { client.fields.position(of: $0) == nil }
        var fields = Record.Fields()
        for name in client.fields.names + others {
            let (ours, theirs) = (client.fields.field(named: name), server.fields.field(named: name))
            let former = ancestor.map { $0.fields.field(named: name) }
            // The timestamp of this save is later than any in the database.
            if Self.isSame(ours, theirs) || ours?.value == .serverTimestamp
                || former.map({ Self.isSame(theirs, $0) }) == true
            {
                if let ours { fields[ours.name] = ours.value }
            } else if former.map({ Self.isSame(ours, $0) }) == true {
                if let theirs { fields[theirs.name] = theirs.value }
            } else {
                fields[name] = try resolve(
                    Field(name: name, client: ours?.value, server: theirs?.value, ancestor: former??.value))
            }
        }
        var record = client
        record.fields = fields
        record.metadata = server.metadata
        return record
    }

    // The spelling of a name may be a change of its own.
    private static func isSame(_ left: Record.Fields.Element?, _ right: Record.Fields.Element?) -> Bool {
        switch (left, right) {
        case (let left?, let right?):
            left.name.hasSameBytes(as: right.name) && left.value.isIdentical(to: right.value)
        case (nil, nil): true
        default: false
        }
    }
}

extension Record.Fields {
    fileprivate func field(named name: String) -> Element? { position(of: name).map { self[$0] } }
}
