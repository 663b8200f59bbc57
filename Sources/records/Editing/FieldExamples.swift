import NestedRecords

/// The values of fields in records of a type, which show the kinds of the fields.
struct FieldExamples {
    private let input: RecordInput
    private let database: any RecordDatabase

    /// The found values by type and field.
    private var values: [String: [FieldPath: Record.Value]] = [:]

    /// Looks into an open database.
    init(_ input: RecordInput) throws { (self.input, database) = (input, try input.database()) }

    /// A value of a field that is neither null nor an empty list, if a record of the type has one; nil if the type has
    /// no records.
    ///
    /// - Parameter use: The word in which the user named the field, for errors.
    /// - Throws: `UsageError` if no record of the type has the field, and errors of reading.
    mutating func value(of path: FieldPath, inType type: String, for use: String) async throws -> Record.Value? {
        if let value = values[type]?[path] { return value }
        for filter in [.exists(path) && .not(.isAny(path, of: [.null, .list([])])), RecordFilter.exists(path)] {
            let record = try await database.page(RecordQuery(type, where: filter, limit: 1)).records.first
            guard let value = record.flatMap(path.value(in:)) else { continue }
            values[type, default: [:]][path] = value
            return value
        }
        try await check(path, inType: type, for: use)
        return nil
    }

    /// Checks that a record of a type has a field, or that the type has no records.
    func check(_ path: FieldPath, inType type: String, for use: String) async throws {
        let name = NameUse(types: [type], path: path, in: FilterText("", owner: use))
        var check = NameCheck([name], input: input.name)
        try await check.look(into: database) { [] }
    }
}
