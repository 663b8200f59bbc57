// Default implementations, which examine all records; databases may replace them with faster ones.

extension RecordDatabase {
    /// Returns the records of a query, or its first page.
    ///
    /// This default examines every record of the type, and holds as many as the page.
    ///
    /// - Complexity: O(*n* log *m*) for *n* records of the type and *m* records of the page.
    public func page(_ query: RecordQuery) async throws -> RecordPage { try await scanPage(query) }

    /// Returns the number of records of a query, regardless of its order, limit and cursor.
    ///
    /// This default examines every record of the type.
    ///
    /// - Complexity: O(*n*) for *n* records of the type.
    public func count(_ query: RecordQuery) async throws -> Int {
        try await scanPage(RecordQuery(query.recordType, where: query.filter, limit: 0)).matchCount
    }

    /// Returns summaries of the records of a query.
    ///
    /// This default examines every record of the type.
    ///
    /// - Complexity: O(*n*) for *n* records of the type; the memory is that of the groups.
    public func summaries(
        of query: RecordQuery, field: FieldPath?, groupedBy group: FieldPath?
    ) async throws -> [RecordSummary] {
        let targets = try await targets(of: query.filter).ids
        var scan = try RecordSummaryScan(
            RecordFilterPart(query.filter, targets: targets), of: field, groupedBy: group)
        try checkMayScan(for: "summaries of '\(query.recordType)'")
        for try await record in records(ofType: query.recordType) {
            try Task.checkCancellation()
            try scan.add(record)
        }
        return scan.summaries
    }

    /// Explains that every record is examined.
    public func explanation(of query: RecordQuery) async throws -> String {
        _ = try query.checkedStart()
        try query.filter?.checkSize()
        return QueryPlan.wordsOfScan(query)
    }

    /// Returns the references to the given records, from all records in the order of ``records(ofType:including:)``.
    ///
    /// This default examines every record.
    ///
    /// - Complexity: O(*n*) for *n* fields and list elements in the database.
    public func referrers(of ids: [Record.ID]) async throws -> [Record.ID: [RecordReferrer]] {
        let sought = Set(ids)
        var found: [Record.ID: [RecordReferrer]] = [:]
        if sought.isEmpty { return found }
        try checkMayScan(for: "the references to a record", hint: "delete with the option 'dangling'")
        for try await record in storedRecords(ofType: nil) {
            try Task.checkCancellation()
            record.collectReferrers(to: sought, into: &found)
        }
        return found
    }
}

extension RecordDatabase {
    /// Returns the records of a query among some records of its type, for a database with an index of its own.
    ///
    /// - Parameters:
    ///   - query: The query. If its filter follows references, the records of the other types are examined by
    ///     ``records(ofType:including:)``.
    ///   - candidates: All records that may match, in any order, each once; see ``RecordQuery/keyRanges(of:)``.
    /// - Returns: The page.
    /// - Throws: The errors of ``page(_:)``.
    /// - Complexity: O(*n* log *m*) for *n* candidates and *m* records of the page.
    @_spi(Engines) public func page(_ query: RecordQuery, among candidates: [Record]) async throws -> RecordPage {
        let (targets, examined) = try await targets(of: query.filter)
        var scan = try QueryScan(query, targets: targets)
        for record in candidates { scan.add(record) }
        return scan.page(examinedElsewhere: examined)
    }

    func scanPage(_ query: RecordQuery) async throws -> RecordPage {
        let (targets, examined) = try await targets(of: query.filter)
        var scan = try QueryScan(query, targets: targets)
        try checkMayScan(for: "a query of '\(query.recordType)'")
        for try await record in records(ofType: query.recordType) {
            try Task.checkCancellation()
            scan.add(record)
        }
        return scan.page(examinedElsewhere: examined)
    }

    /// Returns the records that the reference terms of a filter may lead to, by the positions of the terms, and the
    /// number of examined records.
    ///
    /// - Throws: ``RecordError`` with the code `filterTooLarge`, and errors of reading.
    package func targets(
        of filter: RecordFilter?
    ) async throws -> (ids: [Int: Set<Record.ID>], examinedCount: Int) {
        try await RecordFilterPart.targets(of: filter) { type, part in
            var matcher = try RecordMatcher(part)
            var (ids, examined): (Set<Record.ID>, Int) = ([], 0)
            try checkMayScan(for: "a condition about records of '\(type)'")
            for try await record in records(ofType: type) {
                try Task.checkCancellation()
                examined += 1
                if matcher.holds(for: record) { ids.insert(record.id) }
            }
            return (ids, examined)
        }
    }
}
