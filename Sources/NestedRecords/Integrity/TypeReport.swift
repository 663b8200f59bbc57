/// What the records in a database and the types of a program do not have in common.
public struct TypeReport: Sendable, Hashable {
    /// The record types that none of the given types reads, with the number of their records.
    public let unreadTypes: [String: Int]

    /// The former record types that are not migrated, with the number of their records.
    public let formerTypes: [String: Int]

    /// The record types of the given types that have no records, sorted.
    public let typesWithoutRecords: [String]

    /// By record type and field, the number of records with a field that no type reads; nil if fields were not compared.
    public let unreadFields: [String: [String: Int]]?

    /// The current record types, by their former ones.
    let currentTypes: [String: String]

    /// Whether one of the types may read any record.
    let readsAnyType: Bool

    /// Whether all records, and all fields if they were compared, are read; types without records do not count.
    public var isComplete: Bool { unreadTypes.isEmpty && formerTypes.isEmpty && unreadFields?.isEmpty ?? true }

    package var problems: [String] {
        var found = unreadTypes.sorted { $0.key < $1.key }.map { type, count in
            "No given type reads \(type) (\(count.counted("record")))."
        }
        found += formerTypes.sorted { $0.key < $1.key }.map { type, count in
            let current = currentTypes[type] ?? "another"
            return "\(type) is a former type of \(current) and is not migrated (\(count.counted("record")))."
        }
        for (type, fields) in (unreadFields ?? [:]).sorted(by: { $0.key < $1.key }) {
            found += fields.sorted { $0.key < $1.key }.map { field, count in
                "No given type reads the field '\(field)' of \(type) (\(count.counted("record")))."
            }
        }
        return found
    }

    package var notes: [String] {
        typesWithoutRecords.map { "\($0) has no records." }
            + (readsAnyType
                ? ["A given type states the record type of each value, so it may read any record."] : [])
    }
}

extension TypeReport: CustomStringConvertible {
    /// A sentence on each line.
    public var description: String {
        let hint =
            unreadTypes.isEmpty
            ? [] : ["If a type was renamed, state its former record type in its schema and migrate the records."]
        let all = unreadFields == nil ? "All records are read." : "All records and fields are read."
        let result = isComplete ? [all] : []
        return (result + problems + hint + notes).joined(separator: "\n")
    }
}
