@_spi(Engines) import NestedRecords

/// The numbers of saved records that a database did not have, had with other content, and had with the same content.
struct SaveCounts {
    private var (new, changed, unchanged) = (0, 0, 0)
    private var writer = RecordWriter()

    /// A hint about the names of new records, if there is a reason for one.
    private(set) var hints: [String] = []

    /// The number of records.
    var total: Int { new + changed + unchanged }

    /// Compares records with those of the database, before they are saved.
    ///
    /// Content is compared as in a copy: without metadata and the order of fields. The record that `nest` needs is not
    /// counted.
    ///
    /// - Returns: The records that the database does not have with the same content, with the metadata of those that it
    ///   has: a save of unchanged records replaces what was compared, and nothing else.
    /// - Parameters:
    ///   - name: The name of the database in errors.
    ///   - replaced: Called with the ID of a record that the database has with other content.
    /// - Throws: ``InputError`` for a UUID that the database has in another spelling, errors of the database and of the
    ///   closure.
    @discardableResult
    mutating func add(
        _ records: [Record], in database: any RecordDatabase, named name: String, replaced: (Record.ID) throws -> Void
    ) async throws -> [Record] {
        var wanted: [Record] = []
        for start in stride(from: 0, to: records.count, by: RecordPages.usualCount) {
            let page = records[start..<min(records.count, start + RecordPages.usualCount)]
            let found = try await database.recordsByID(for: page.map(\.id))
            let ids = page.lazy.map(\.id).filter { found[$0] == nil }
            let hints = try await database.hintsAboutSpellings(of: Array(ids), in: name)
            if self.hints.isEmpty { self.hints = hints }
            for record in page {
                let count = record.id.isReserved ? 0 : 1
                var wantedRecord = record
                wantedRecord.metadata = found[record.id]?.metadata
                guard let present = found[record.id] else {
                    new += count
                    wanted.append(wantedRecord)
                    continue
                }
                if try present.canonicalBytes(&writer) == record.canonicalBytes(&writer) {
                    unchanged += count
                } else {
                    try replaced(record.id)
                    changed += count
                    wanted.append(wantedRecord)
                }
            }
        }
        return wanted
    }

    /// The counts on one line; nil if all records are new.
    var text: String? {
        guard changed + unchanged > 0 else { return nil }
        return "\(total.countedRecords): \(new.grouped) new, \(changed.grouped) changed, \(unchanged.grouped) unchanged"
    }
}
