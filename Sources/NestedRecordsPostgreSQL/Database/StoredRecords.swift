#if PostgreSQL
    import NestedRecords

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// The records in an answer whose first columns are ``columns``.
    struct StoredRecords: Sendable {
        /// The columns of a record, of the table with the alias `r`.
        static let columns = "r.type, r.name, r.tag, r.created, r.modified, r.body"

        /// How many columns these are.
        static let columnCount = 6

        private let rows: Answer

        /// The first of the columns.
        private let first: Int
        private var reader = RecordReader()

        init(_ rows: Answer, at column: Int = 0) {
            self.rows = rows
            first = column
        }

        var count: Int { rows.count }

        /// How many bytes the records have.
        var byteCount: Int { (0..<count).reduce(0) { $0 + rows.byteCount($1, first + 5) } }

        /// All records.
        ///
        /// - Throws: ``PostgreSQLRecordDatabaseError`` with the code `damaged`.
        func records() throws -> [Record] {
            var stored = self
            return try (0..<count).map { try stored.record($0) }
        }

        /// Whether there is a record in a row, and not the mark of a deleted one.
        func hasRecord(_ row: Int) -> Bool { !rows.isNull(row, first + 5) }

        /// The ID in a row.
        ///
        /// - Throws: ``PostgreSQLRecordDatabaseError`` with the code `damaged`.
        func id(_ row: Int) throws -> Record.ID {
            let (type, name) = (rows.text(row, first) ?? "", rows.text(row, first + 1) ?? "")
            do {
                return try Record.ID(type: type, name: name)
            } catch {
                throw PostgreSQLRecordDatabaseError(.damaged, reason: "the ID of a row is none", underlyingError: error)
            }
        }

        /// The record in a row.
        ///
        /// - Throws: ``PostgreSQLRecordDatabaseError`` with the code `damaged`.
        mutating func record(_ row: Int) throws -> Record {
            let id = try id(row)
            let record: Record?
            do {
                record = try rows.withBytes(row, first + 5) { try reader.record(id, from: BytesInPlace($0)) } ?? nil
            } catch {
                throw PostgreSQLRecordDatabaseError(.damaged, reason: "\(id)", underlyingError: error)
            }
            guard var record else {
                throw PostgreSQLRecordDatabaseError(.damaged, reason: "the row of \(id) is that of another record")
            }
            record.metadata = Record.Metadata(
                changeTag: rows.text(row, first + 2) ?? "",
                creationDate: Date(timeIntervalSinceReferenceDate: rows.double(row, first + 3) ?? 0),
                modificationDate: Date(timeIntervalSinceReferenceDate: rows.double(row, first + 4) ?? 0))
            return record
        }
    }
#endif
