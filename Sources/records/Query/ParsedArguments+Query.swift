import NestedRecords

extension ParsedArguments {
    /// The cursor to continue after.
    ///
    /// - Throws: `UsageError` if the value is not a cursor.
    func cursor() throws -> QueryCursor? {
        guard let text = try textIfPresent("after") else { return nil }
        guard let cursor = QueryCursor(text) else {
            throw UsageError("option '--after' must be the unchanged cursor of an earlier page")
        }
        return cursor
    }

    /// The paths that are the values of an option or an argument.
    func paths(_ name: String) throws -> [FieldPath] {
        try texts(name).map { value in
            var text = FilterText(value, owner: title(name))
            guard case .path(let path) = try FilterSubject(&text) else {
                throw UsageError("\(title(name)) must be a field, and not '\(value)'")
            }
            guard text.current == nil else { throw text.unexpected("the end") }
            return path
        }
    }

    /// Prints the hints about the conditions of a selection.
    ///
    /// - Parameters:
    ///   - foundRecords: Whether a record was found.
    ///   - records: The records of a type, or all; read from the first again with each call.
    func printHints(
        for selection: FilterOptions, foundRecords: Bool, in records: @escaping (String?) -> RecordSequence
    ) async throws {
        let hints = ConditionHints(conditions: selection.conditions, records: records)
        try printHints(try await hints.lines(foundRecords: foundRecords))
    }
}
