@_spi(Engines) import NestedRecords

/// The changes of a database that keeps a journal.
///
/// Each request is repeated here: a wait consists of many, and would begin again after each that fails.
struct JournalFeed: RecordFeed {
    let base: FirestoreRecordDatabase
    var database: any RecordDatabase { base }

    /// The number of entries in one answer.
    private static let entryCount = 100

    /// The number of records in one request.
    private static let recordCount = 500

    private var store: String { base.names.root }

    func changeToken() async throws -> ChangeToken {
        try await repeating { try await base.newestPosition().token(of: store) }
    }

    func oldestChangeToken() async throws -> ChangeToken {
        try await repeating {
            let newest = try await base.newestPosition()
            if newest.oldest == 0 { return try JournalPosition.beginning.token(of: store) }
            let entries = try await base.entries(from: newest.oldest, limit: 1).entries
            // The entry may have been deleted since; the newest one is there.
            guard let oldest = entries.first?.position else { return try newest.token(of: store) }
            return try oldest.token(of: store)
        }
    }

    /// Returns the changes since a token: a request for the entries, and one for each 500 records.
    func storedChanges(since token: ChangeToken, limit: Int) async throws -> RecordChanges {
        let start = try JournalPosition(token, of: store)
        let count = min(max(1, limit), Self.entryCount)
        let (entries, time) = try await repeating { try await base.entries(from: start.number, limit: count + 1) }
        let later = try checked(entries, after: start)
        var (end, ids, taken) = (start, [Record.ID](), 0)
        var seen: Set<Record.ID> = []
        for entry in later where ids.count < max(1, limit) {
            (end, taken) = (entry.position, taken + 1)
            for id in entry.ids where seen.insert(id).inserted { ids.append(id) }
        }
        var changes = RecordChanges(
            token: try end.token(of: store), isComplete: taken == later.count && entries.count <= count)
        for start in stride(from: 0, to: ids.count, by: Self.recordCount) {
            let part = Array(ids[start...].prefix(Self.recordCount))
            // The last page shows the moment at which its entries were read.
            changes.saved += try await repeating { try await base.documents(for: part, at: time).map(\.record) }
        }
        let saved = Set(changes.saved.map(\.id))
        changes.deleted = ids.filter { !saved.contains($0) }
        return changes
    }

    /// The entries after a position, without gaps.
    private func checked(_ entries: [JournalEntry], after start: JournalPosition) throws -> [JournalEntry] {
        func expired(_ reason: ChangeToken.Expiry) -> RecordDatabaseError {
            RecordDatabaseError(.changeTokenExpired, .expiry(reason))
        }
        var later = entries[...]
        if start.number > 0 {
            guard let first = later.popFirst() else {
                // Either the journal ends before the position, or it lost all its entries.
                throw expired(.wentBack)
            }
            guard first.position.number == start.number else { throw expired(.purged) }
            guard first.position.save.utf8.elementsEqual(start.save.utf8) else { throw expired(.wentBack) }
        }
        for (offset, entry) in later.enumerated() where entry.position.number != start.number + 1 + Int64(offset) {
            throw expired(.purged)
        }
        return Array(later)
    }

    /// Never called: the feed is polled.
    func waitForChanges(after token: ChangeToken) async throws {}
}
