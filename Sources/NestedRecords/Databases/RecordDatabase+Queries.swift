// What every database answers, by looking at all records; others replace it by something faster.

extension RecordDatabase {
    /// The records that a query finds, or the first of them.
    ///
    /// This default looks at every record of the type, and holds as many as the page.
    ///
    /// - Parameter query: The query.
    /// - Returns: The records in the order of the query, where to go on, and what it took.
    /// - Throws: ``RecordQueryError``, what keeps the database from reading, and `CancellationError`.
    /// - Complexity: O(*n* log *m*) for *n* records of the type and *m* records of the page.
    public func page(_ query: RecordQuery) async throws -> RecordPage { try await scanPage(query) }

    /// How many records a query finds, whatever its order, limit and cursor.
    ///
    /// This default looks at every record of the type.
    ///
    /// - Parameter query: The query.
    /// - Returns: The number of records.
    /// - Throws: The errors of ``page(_:)``.
    /// - Complexity: O(*n*) for *n* records of the type.
    public func count(_ query: RecordQuery) async throws -> Int {
        try await scanPage(RecordQuery(query.recordType, where: query.filter, limit: 0)).statistics.matchCount
    }

    /// The references that lead to records, wherever they are.
    ///
    /// This default looks at every record.
    ///
    /// - Parameter ids: The records.
    /// - Returns: For each of them that is referred to, the references, in the order of ``records(ofType:)``.
    /// - Throws: What keeps the database from reading, and `CancellationError`.
    /// - Complexity: O(*n*) for *n* fields and list elements in the database.
    public func referrers(of ids: [Record.ID]) async throws -> [Record.ID: [RecordReferrer]] {
        let sought = Set(ids)
        var found: [Record.ID: [RecordReferrer]] = [:]
        if sought.isEmpty { return found }
        for try await record in records(ofType: nil) {
            try Task.checkCancellation()
            record.collectReferrers(to: sought, into: &found)
        }
        return found
    }
}

extension RecordDatabase {
    /// A page that is made by looking at every record of the type.
    private func scanPage(_ query: RecordQuery) async throws -> RecordPage {
        let (targets, examined) = try await targets(of: query.filter)
        var scan = try QueryScan(query, targets: targets)
        for try await record in records(ofType: query.recordType) {
            try Task.checkCancellation()
            scan.add(record)
        }
        return scan.page(examinedElsewhere: examined)
    }

    /// The records that the terms of a filter that follow references may lead to, by the positions of the terms, and how
    /// many records were looked at.
    ///
    /// - Throws: ``RecordQueryError`` with the code `filterTooLarge`, and what keeps the database from reading.
    package func targets(
        of filter: RecordFilter?
    ) async throws -> (ids: [Int: Set<Record.ID>], examinedCount: Int) {
        try await RecordFilterPart.targets(of: filter) { type, part in
            var matcher = try RecordMatcher(part)
            var (ids, examined): (Set<Record.ID>, Int) = ([], 0)
            for try await record in records(ofType: type) {
                try Task.checkCancellation()
                examined += 1
                if matcher.holds(for: record) { ids.insert(record.id) }
            }
            return (ids, examined)
        }
    }
}
