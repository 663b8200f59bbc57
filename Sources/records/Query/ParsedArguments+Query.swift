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

    /// The paths that are the values of an option.
    func paths(_ option: String) throws -> [FieldPath] {
        try texts(option).map { value in
            var text = FilterText(value, owner: "option '--\(option)'")
            guard case .path(let path) = try FilterSubject(&text) else {
                throw UsageError("option '--\(option)' must be a field, and not '\(value)'")
            }
            guard text.current == nil else { throw text.unexpected("the end") }
            return path
        }.uniqued()
    }

    /// Prints the hints about the conditions of a selection.
    ///
    /// - Parameters:
    ///   - selection: The selection.
    ///   - foundRecords: Whether a record was found.
    ///   - records: The records of a type, or all; read from the first again with each call.
    func printHints(
        for selection: FilterOptions, foundRecords: Bool, in records: @escaping (String?) -> RecordSequence
    ) async throws {
        let hints = KindHints(conditions: selection.conditions, records: records)
        try printHints(try await hints.lines(foundRecords: foundRecords))
    }

    /// Prints hints on standard error, after what was printed so far.
    func printHints(_ lines: [String]) throws {
        if !lines.isEmpty { try console.output.flush() }
        for line in lines { console.statusLine.print("\(program.name): hint: \(line)".visible) }
    }
}
