/// The fields of unique properties, by record type, and the claims that records need for them.
package struct UniqueFields: Sendable {
    package let fieldsByType: [String: [String]]

    /// The separator in the names of the fields of a flattened value; nil where values are not flattened.
    let separator: String?

    package init(fieldsByType: [String: [String]], separator: String? = nil) {
        (self.fieldsByType, self.separator) = (fieldsByType, separator)
    }

    /// The claims of a record.
    ///
    /// - Parameters:
    ///   - record: The record to save.
    ///   - known: The version that the record replaces: its values are claimed already. Nil if that is unknown.
    /// - Throws: ``RecordError`` with the code `invalidSchema` for a property that is not stored as a single value.
    func claims(of record: Record, replacing known: Record?) throws -> [UniqueClaim] {
        for field in fieldsByType[record.id.type] ?? [] { try checkForm(of: field, in: record) }
        return claims(of: record).filter { !$0.isInForce(with: known) }
    }

    /// The claims of a record that is in a database already, perhaps with values that cannot be unique, which are left out.
    package func claims(of record: Record) -> [UniqueClaim] {
        (fieldsByType[record.id.type] ?? []).compactMap { field in
            record[field].flatMap { value in
                value.kind.mayBeUnique ? UniqueClaim(record.id, field: field, value: value) : nil
            }
        }
    }

    private func checkForm(of field: String, in record: Record) throws {
        let form: String
        if let value = record[field] {
            if value.kind.mayBeUnique || value == .null { return }
            form = value.isCollection ? value.kind.name : value.description
        } else {
            guard let part = separator.map({ field + $0 }),
                record.fields.names.contains(where: { $0.utf8.starts(with: part.utf8) })
            else { return }
            form = "several fields"
        }
        throw RecordError(
            .invalidSchema, reason: "the unique property '\(field)' is stored as \(form), but must be a single value",
            recordID: record.id)
    }
}
