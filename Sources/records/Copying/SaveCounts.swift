import NestedRecords

/// The numbers of saved records that a database did not have, had with other content, and had with the same content.
struct SaveCounts {
    private var (new, changed, unchanged) = (0, 0, 0)
    private var writer = RecordWriter()

    /// The number of records.
    var total: Int { new + changed + unchanged }

    /// Compares records with those of the database, before they are saved.
    ///
    /// Content is compared as in a copy: without metadata and the order of fields.
    ///
    /// - Throws: Errors of the database.
    mutating func add(_ records: [Record], in database: any RecordDatabase) async throws {
        let shown = records.filter { !$0.id.isReserved }
        for start in stride(from: 0, to: shown.count, by: RecordPages.usualCount) {
            let page = shown[start..<min(shown.count, start + RecordPages.usualCount)]
            let found = try await database.recordsByID(for: page.map(\.id))
            for record in page {
                guard let present = found[record.id] else {
                    new += 1
                    continue
                }
                let isSame = try present.canonicalBytes(&writer) == record.canonicalBytes(&writer)
                if isSame { unchanged += 1 } else { changed += 1 }
            }
        }
    }

    /// The counts on one line; nil if all records are new.
    var text: String? {
        guard changed + unchanged > 0 else { return nil }
        return "\(total.countedRecords): \(new.grouped) new, \(changed.grouped) changed, \(unchanged.grouped) unchanged"
    }
}
