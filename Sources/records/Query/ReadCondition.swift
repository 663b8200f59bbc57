import NestedRecords

/// A condition that filters of the library do not have: on a path with a step against references, or with a pattern.
///
/// The records that fulfil it are found before, and the filter has their names.
struct ReadCondition: Sendable, Hashable {
    /// The test of the values at the path, of which one must pass.
    enum Test: Sendable, Hashable {
        /// A filter for a record with only the value.
        case filter(RecordFilter)
        case pattern(TextPattern)
    }

    /// The path of a value in a filter.
    static let value = FieldPath(["value"])

    /// The type of the records.
    let type: String

    let path: FieldPath
    let test: Test

    /// The names of the records that fulfil the condition.
    func names(in database: any RecordDatabase) async throws -> [Record.Value] {
        let (catalog, sample) = (FieldCatalog(in: database), try Record.ID(type: type, name: "x"))
        var names: [Record.Value] = []
        let size = FieldCatalog.pageSize(for: [path])
        try await FieldCatalog.forEachPage(of: size, in: database.records(ofType: type)) { page in
            for (record, values) in zip(page, try await catalog.values(at: path, in: page)) {
                let holds = try values.contains { value in
                    switch test {
                    case .filter(let filter): try filter.matches(Record(id: sample, fields: ["value": value]))
                    case .pattern(let pattern): try pattern.matches(value)
                    }
                }
                if holds { names.append(.string(record.id.name)) }
            }
        }
        return names
    }
}
