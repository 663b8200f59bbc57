import NestedRecords

/// A condition on a path with a step against references: it holds if any of the values fulfils the filter.
///
/// A filter of the library does not lead against references, so that the records are found before.
struct ReferringCondition: Sendable, Hashable {
    /// The path of a value in the filter.
    static let value = FieldPath(["value"])

    /// The type of the records.
    let type: String

    let path: FieldPath

    /// The filter for a record with only the value.
    let filter: RecordFilter

    /// The names of the records that fulfil the condition.
    ///
    /// - Throws: `UsageError`, and errors of reading.
    func names(in database: any RecordDatabase) async throws -> [Record.Value] {
        let (paths, sample) = (PathValues(database: database), try Record.ID(type: type, name: "x"))
        var names: [Record.Value] = []
        try await PathValues.forEachPage(of: PathValues.pageSize(for: [path]), in: database.records(ofType: type)) {
            page in
            for (record, values) in zip(page, try await paths.values(at: path, in: page)) {
                let holds = try values.contains { try filter.matches(Record(id: sample, fields: ["value": $0])) }
                if holds { names.append(.string(record.id.name)) }
            }
        }
        return names
    }
}
