// Default implementations, which examine all records; databases may replace them with faster ones.

extension RecordDatabase {
    /// Returns the versions of a type's records without their contents.
    ///
    /// This default reads a page of the records in the order of their names, without fields.
    ///
    /// - Complexity: That of ``page(_:)``.
    public func versions(ofType type: String, after name: String?, limit: Int) async throws -> [RecordBatch.VersionedID]
    {
        try await versions(of: RecordQuery(type, limit: limit), after: name)
    }

    /// The versions of the records of a page, which begins after a name.
    ///
    /// - Parameter query: A query without an order and a cursor.
    func versions(of query: RecordQuery, after name: String?) async throws -> [RecordBatch.VersionedID] {
        var query = query
        query.fields = []
        query.after = name.map { QueryCursor(of: query, afterName: $0) }
        return try await page(query).records.map {
            RecordBatch.VersionedID($0.id, version: RecordBatch.Version(of: $0))
        }
    }

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
        of query: RecordQuery, field: FieldPath?, groupedBy group: RecordGrouping?
    ) async throws -> [RecordSummary] {
        let targets = try await targets(of: query.filter).ids
        var scan = try RecordSummaryScan(
            RecordFilterPart(query.filter, targets: targets), of: field, groupedBy: group)
        try await scanRecords(ofType: query.recordType, for: "summaries") { try scan.add($0) }
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

    /// Returns the page of a query in parts, for a store that limits its answers.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - part: Returns the page of a query for at most ``RecordDatabaseLimits/pageCount`` records.
    /// - Returns: The page. Its parts may not be of one moment.
    /// - Throws: The errors of the closure.
    @_spi(Engines) public func page(
        _ query: RecordQuery, inParts part: (RecordQuery) async throws -> RecordPage
    ) async throws -> RecordPage {
        let (wanted, most) = (query.limit ?? .max, max(1, limits.pageCount))
        guard wanted > most else { return try await part(query) }
        _ = try query.checkedStart()
        var rest = query.ofWholeRecords
        rest.fields = query.readFields
        rest.limit = most
        var page = try await part(rest)
        var bytes = PageBytes(query)
        var isFull = !page.records.allSatisfy { bytes.add($0) }
        while let next = page.next, page.records.count < wanted, !isFull {
            (rest.after, rest.limit) = (next, min(most, wanted - page.records.count))
            let more = try await part(rest)
            isFull = !more.records.allSatisfy { bytes.add($0) }
            page.matchCount = max(page.matchCount, page.records.count + more.matchCount)
            page.records += more.records
            page.next = more.next
            page.examinedCount += more.examinedCount
        }
        return page.contents(for: query)
    }

    /// Calls a closure with all records of a type.
    ///
    /// - Throws: ``RecordDatabaseError`` with the code `scanRefused` if the ``limits`` do not allow it.
    private func scanRecords(
        ofType type: String, for purpose: String, _ body: (Record) throws -> Void
    ) async throws {
        try checkMayScan(for: "\(purpose) of '\(type)'")
        var left = limits.examinedCount
        for try await record in records(ofType: type) {
            try Task.checkCancellation()
            if left == 0 {
                throw RecordDatabaseError(
                    .scanRefused, reason: "\(purpose) of '\(type)' examines at most \(limits.examinedCount) records")
            }
            left -= 1
            try body(record)
        }
    }

    func scanPage(_ query: RecordQuery) async throws -> RecordPage {
        let (targets, examined) = try await targets(of: query.filter)
        var scan = try QueryScan(query, targets: targets)
        try await scanRecords(ofType: query.recordType, for: "a query") { scan.add($0) }
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
            try await scanRecords(ofType: type, for: "a condition") { record in
                examined += 1
                if matcher.holds(for: record) { ids.insert(record.id) }
            }
            return (ids, examined)
        }
    }
}
