import NestedRecords

/// What there is of each type of record, counted while the records pass by.
struct TypeCounts: Sendable {
    /// What there is of one type.
    struct Counts: Sendable, Equatable {
        var records = 0
        var fields = 0
        var bytes = 0
        /// The references in the fields of these records.
        var referencesOut = 0
        /// The references to records of this type, there or not.
        var referencesIn = 0
    }

    /// The counts by type.
    private(set) var types: [String: Counts] = [:]

    /// Counts a record.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - bytes: How many bytes it takes, as far as that is known here.
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

    /// Says how many bytes the records of a type take.
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
    /// - Throws: What ``Table`` throws, which has a column for each of these cells.
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
