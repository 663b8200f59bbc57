extension SaveConflict {
    /// The fields that both sides changed to different values; without an ancestor, all that differ.
    public var contestedFields: [Field] { fields.compactMap(\.contested) }

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
        var fields = Record.Fields()
        for field in self.fields {
            switch field.winner {
            case .client: fields[field.client?.name ?? field.name] = field.client?.value
            case .server: fields[field.server?.name ?? field.name] = field.server?.value
            case .undecided(let contested): fields[contested.name] = try resolve(contested)
            }
        }
        var record = client
        record.fields = fields
        record.metadata = server.metadata
        return record
    }
}

extension SaveConflict {
    private var fields: [Versions] {
        let clientFields = client.fields.map { Versions(name: $0.name, client: $0, conflict: self) }
        let others = server.fields.filter { client.fields.position(of: $0.name) == nil }
        return clientFields + others.map { Versions(name: $0.name, client: nil, conflict: self) }
    }

    /// One field on both sides and in the ancestor.
    private struct Versions {
        let name: String
        let client: Record.Fields.Element?
        let server: Record.Fields.Element?
        let ancestor: Record.Fields.Element?
        let hasAncestor: Bool

        enum Winner {
            case client, server
            case undecided(Field)
        }

        init(name: String, client: Record.Fields.Element?, conflict: SaveConflict) {
            self.name = name
            self.client = client
            server = conflict.server.fields.field(named: name)
            ancestor = conflict.ancestor?.fields.field(named: name)
            hasAncestor = conflict.ancestor != nil
        }

        var winner: Winner {
            // The timestamp of this save is later than any in the database.
            if Self.isSame(client, server) || client?.value == .serverTimestamp { return .client }
            if hasAncestor, Self.isSame(server, ancestor) { return .client }
            if hasAncestor, Self.isSame(client, ancestor) { return .server }
            return .undecided(
                Field(name: name, client: client?.value, server: server?.value, ancestor: ancestor?.value))
        }

        var contested: Field? {
            if case .undecided(let field) = winner { field } else { nil }
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
}

extension Record.Fields {
    fileprivate func field(named name: String) -> Element? { position(of: name).map { self[$0] } }
}
