#if SQLite
@_spi(Engines) import NestedRecords

extension Connection {
    /// Whether the file has fields for SQL, which each save keeps.
    func hasFields() throws -> Bool {
        try first("SELECT 1 FROM pragma_index_info('records_without_fields')", body: { _ in true }) ?? false
    }

    /// Makes the file have fields, and writes the JSON of records that lack it; of damaged records it stays missing.
    func addMissingFields() throws {
        if try !hasFields() {
            try write {
                try run(Schema.recordsWithoutFields)
                // Other connections then write the fields too.
                try run("UPDATE state SET index_change = index_change + 1")
            }
        }
        var last: Int64? = Int64.min
        while let place = last {
            let isMissing = try read {
                try first(Self.missingFields, .int(place), .int(1)) { _ in true } ?? false
            }
            last = try isMissing ? write { try addFields(after: place) } : nil
        }
    }

    private static let missingFields = """
        SELECT \(recordColumns) FROM records INDEXED BY records_without_fields
        WHERE fields IS NULL AND body IS NOT NULL AND number > ?1 ORDER BY number LIMIT ?2
        """

    /// - Returns: The number of the last row; nil if there are no more.
    private func addFields(after place: Int64) throws -> Int64? {
        var last: Int64?
        var found: [(row: Int64, json: [UInt8])] = []
        try forEachRow(Self.missingFields, [.int(place), .int(2_000)]) { row in
            try checkCancellation()
            let number = row.int(0)
            last = number
            guard let record = try? record(in: row, at: 0) else { return true }
            found.append((number, record.fields.readableJSON))
            return true
        }
        for (row, json) in found {
            try run("UPDATE records SET fields = ?2 WHERE number = ?1", .int(row), .utf8(json))
        }
        return last
    }
}
#endif
