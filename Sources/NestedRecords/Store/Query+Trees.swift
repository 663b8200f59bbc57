extension Query {
    /// The records of the values that refer to a value, those that refer to these, and so on.
    ///
    /// ```swift
    /// let below = try await store.query(Folder.self).descendants(of: "photos", by: \.parent)
    /// let folders = try await store.fetch(Folder.self, named: below.map(\.id.name))
    /// ```
    ///
    /// A value that the filter of the query excludes hides those below it. The order and the limit have no effect.
    ///
    /// - Parameters:
    ///   - name: The name of the value to begin with, which is not found itself.
    ///   - field: The property with the reference or the link to a value of the type.
    ///   - maximum: The number of records that may be found.
    ///   - isolation: The caller's isolation; the closure is called there.
    /// - Returns: The records by depth, then by ID; each once.
    /// - Throws: ``RecordError`` with the code `unknownField` for a property that does not lead to a value of the type; the
    ///   errors of ``RecordDatabase/descendants(of:by:in:atMost:)`` and ``recordQuery()``.
    /// - Complexity: That of ``RecordDatabase/descendants(of:by:in:atMost:)``.
    public func descendants<Link>(
        of name: some RecordNameConvertible, by field: (QueryField<Value, Value>) -> QueryField<Value, Link>,
        atMost maximum: Int = 10_000, isolation: isolated (any Actor)? = #isolation
    ) async throws -> [RecordDepth] {
        let (id, field, query) = try tree(name, Link.self, field(QueryField([])).steps)
        try await checkIsPresent(field, in: query)
        return try await store.calls.descendants(of: [id], by: field.path, in: query, atMost: maximum)
    }

    /// The record of the value that a value refers to, the one that this refers to, and so on.
    ///
    /// The search ends at a value without the reference, at one that is missing or that the filter of the query excludes,
    /// and in a cycle. The order and the limit have no effect.
    ///
    /// - Parameters:
    ///   - name: The name of the value to begin with, which is not found itself.
    ///   - field: The property with the reference or the link to a value of the type.
    ///   - maximum: The number of records that may be found.
    ///   - isolation: The caller's isolation; the closure is called there.
    /// - Returns: The records, the nearest first.
    /// - Throws: As ``descendants(of:by:atMost:isolation:)``.
    /// - Complexity: One call for each level.
    public func ancestors<Link>(
        of name: some RecordNameConvertible, by field: (QueryField<Value, Value>) -> QueryField<Value, Link>,
        atMost maximum: Int = 1_000, isolation: isolated (any Actor)? = #isolation
    ) async throws -> [RecordDepth] {
        let (id, field, query) = try tree(name, Link.self, field(QueryField([])).steps)
        try await checkIsPresent(field, in: query)
        return try await store.calls.ancestors(of: id, by: field.path, in: query, atMost: maximum)
    }

    private func tree(
        _ name: some RecordNameConvertible, _ link: Any.Type, _ steps: [PropertyStep]
    ) throws -> (id: Record.ID, field: PropertyField, query: RecordQuery) {
        let (field, query) = (try ownField(steps), try recordQuery())
        let link = (link as? any OptionalType.Type)?.wrappedType ?? link
        let target = (link as? any LinkType.Type)?.targetType ?? link as? any RecordRepresentable.Type
        guard target?.recordType == query.recordType else {
            throw RecordError(.unknownField, reason: "'\(field.path)' does not lead to a record of \(query.recordType)")
        }
        return (try Record.ID(of: type, named: name), field, query)
    }
}
