import NestedRecords

/// The fields of records to print, in their order.
struct FieldSelection: Sendable {
    /// The command option for these values.
    static let option = Command.Option.value(
        "fields", as: "A,B", kind: .fields,
        "Only these fields or paths, such as name,place.latitude, in this order; also @id, @name, @type and other "
            + "attributes.")

    /// The subjects, and their titles in the output.
    private let subjects: [(title: String, subject: FilterSubject)]

    /// The fields as the user named them.
    let uses: [FieldCatalog.Name]

    /// Reads the value of `--fields`.
    ///
    /// - Parameter showsIDs: Whether the first field is the ID, if it is not among the fields.
    init(_ value: String, types: [String], showsIDs: Bool) throws {
        let text = FilterText(value, owner: "option '--fields'")
        let chosen = try text.subjects()
        uses = chosen.flatMap { subject, offset in
            subject.fields.map { FieldCatalog.Name(types, $0, in: text, at: offset, isList: true).parts } ?? []
        }
        let all = (showsIDs && !chosen.contains { $0.subject == .id } ? [.id] : []) + chosen.map(\.subject)
        // A field with a full stop in its name has the text of another path, and one with @ that of an attribute.
        let others = Set(all.filter { $0.fields?.names.count != 1 }.map(\.text))
        subjects = all.map { subject in
            if let names = subject.fields?.names, names.count == 1, !others.contains(names[0]) {
                return (names[0], subject)
            }
            return (subject.text, subject)
        }
    }

    /// The titles of the fields.
    var names: [String] { subjects.map(\.title) }

    /// The titles of the attributes.
    var attributes: [String] { subjects.filter { $0.subject.fields == nil }.map(\.title) }

    /// The paths to fields.
    var paths: [FieldPath] { subjects.compactMap(\.subject.fields) }

    /// Records with only these fields; several values at a path are a list.
    ///
    /// - Parameter database: The database with the records that paths lead to; nil if they lead to none.
    func narrowed(_ records: [Record], in database: (any RecordDatabase)?) async throws -> [Record] {
        var narrow = [Record.Fields](repeating: Record.Fields(), count: records.count)
        for (title, subject) in subjects {
            if let database, let path = subject.fields, path.names.count > 1 {
                let values = try await FieldCatalog(in: database).values(at: path, in: records)
                for (position, values) in values.enumerated() where !values.isEmpty {
                    narrow[position][title] = values.count == 1 ? values[0] : .list(values)
                }
            } else {
                for (position, record) in records.enumerated() {
                    if let value = subject.value(in: record) { narrow[position][title] = value }
                }
            }
        }
        return try zip(records, narrow).map { try Record(id: $0.id, fields: $1, metadata: $0.metadata) }
    }
}
