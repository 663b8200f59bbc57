import NestedRecords

/// Counts of records, fields, bytes and references by type.
struct TypeCounts: Sendable {
    /// The counts of one type.
    struct Counts: Sendable, Equatable {
        var records = 0
        var fields = 0
        var bytes = 0
        /// The references in the fields of these records.
        var referencesOut = 0
        /// The references to records of this type, existing or missing.
        var referencesIn = 0
    }

    /// The counts by type.
    private(set) var types: [String: Counts] = [:]

    /// Counts a record.
    ///
    /// - Parameter bytes: The size of the record in bytes, if known.
    mutating func add(_ record: Record, bytes: Int = 0) {
        var counts = types[record.id.type] ?? Counts()
        counts.records += 1
        counts.fields += record.fields.count
        counts.bytes += bytes
        let references = record.references
        counts.referencesOut += references.count
        types[record.id.type] = counts
        for reference in references { types[reference.id.type, default: Counts()].referencesIn += 1 }
    }

    /// Sets the number of bytes of the records of a type.
    mutating func set(bytes: Int, ofType type: String) {
        types[type, default: Counts()].bytes = bytes
    }

    /// The counts of all types together.
    var total: Counts {
        types.values.reduce(into: Counts()) { total, counts in
            total.records += counts.records
            total.fields += counts.fields
            total.bytes += counts.bytes
            total.referencesOut += counts.referencesOut
            total.referencesIn += counts.referencesIn
        }
    }

    /// A table with a row for each type.
    ///
    /// - Throws: Never in practice: ``Table`` has a column for each cell.
    func table(for terminal: Terminal) throws -> String {
        let header = ["type", "records", "fields", "bytes", "references out", "references in"]
        var table = Table(header: header, terminal: terminal)
        var text = ""
        for (type, counts) in types.sorted(by: { $0.key < $1.key }) {
            let numbers = [counts.records, counts.fields, counts.bytes, counts.referencesOut, counts.referencesIn]
            text += try table.add([.text(type)] + numbers.map { .number($0.grouped) })
        }
        return text + table.finish()
    }
}
