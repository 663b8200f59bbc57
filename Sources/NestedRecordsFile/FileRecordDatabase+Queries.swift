@_spi(Engines) public import NestedRecords

// Queries read the bytes of the entries; only returned records are decoded.

extension FileRecordDatabase {
    /// A page of the records that match a query.
    ///
    /// For each record of the type, only the fields that the query names are read. Only the records of the page are
    /// decoded. Damaged bytes that are not read cause no error, as long as their checksum is right.
    ///
    /// - Throws: `RecordError`, `RecordDatabaseError.corrupt`,
    ///   `RecordDatabaseError.closed`, errors of the system, and `CancellationError`.
    /// - Complexity: O(*n* log *m*) for *n* records of the type and *m* records of the page. The memory is that of the
    ///   page, and 16 bytes for each record of the type.
    public func page(_ query: RecordQuery) async throws -> RecordPage {
        try await store.reading { reader in
            let targets = try await targets(of: query.filter, in: reader)
            let scan = Lock(try BinaryQueryScan(query, targets: targets.ids))
            let list = try reader.entries(ofType: query.recordType)
            try await reader.visit(list, with: scan)
            let records = try await reader.records(at: scan.withLock { $0.locations }, of: list, for: query)
            return scan.withLock { $0.page(of: records, examinedElsewhere: targets.examinedCount) }
        }
    }

    /// The number of records that match a query; its order, limit and cursor are ignored.
    ///
    /// - Throws: The errors of ``page(_:)``.
    /// - Complexity: O(*n*) for *n* records of the type; without a filter the file is not read.
    public func count(_ query: RecordQuery) async throws -> Int {
        if query.filter == nil { return try await store.reading { try $0.count(ofType: query.recordType) } }
        return try await page(RecordQuery(query.recordType, where: query.filter, limit: 0)).matchCount
    }

    /// Summaries of the records that match a query: see `RecordDatabase`.
    ///
    /// For each record of the type, only the fields that are named are read.
    ///
    /// - Throws: `RecordError.Code.invalidSummary`, and the errors of ``page(_:)``.
    /// - Complexity: O(*n*) for *n* records of the type; the memory is that of the groups.
    public func summaries(
        of query: RecordQuery, field: FieldPath?, groupedBy group: RecordGrouping?
    ) async throws -> [RecordSummary] {
        try await store.reading { reader in
            let targets = try await targets(of: query.filter, in: reader).ids
            let part = RecordFilterPart(query.filter, targets: targets)
            let scan = Lock(try BinarySummaryScan(part, of: field, groupedBy: group))
            try await reader.visit(ofType: query.recordType, with: scan)
            return scan.withLock { $0.summaries }
        }
    }

    /// The references to records, in any field of any record.
    ///
    /// The bytes of all records are searched. A record is decoded only if it refers to one of these.
    ///
    /// - Throws: `RecordDatabaseError.corrupt`, `RecordDatabaseError.closed`, errors of
    ///   the system, and `CancellationError`.
    /// - Complexity: O(*n*) for *n* fields and list elements in the database.
    public func referrers(of ids: [Record.ID]) async throws -> [Record.ID: [RecordReferrer]] {
        if ids.isEmpty { return [:] }
        return try await store.reading { reader in
            let referrers = Lock(BinaryReferrers(to: ids))
            try await reader.visit(ofType: nil, with: referrers)
            return referrers.withLock { $0.found }
        }
    }

    private func targets(
        of filter: RecordFilter?, in reader: Reader
    ) async throws -> (ids: [Int: Set<Record.ID>], examinedCount: Int) {
        try await RecordFilterPart.targets(of: filter) { type, part in
            let matcher = Lock(try BinaryMatcher(part))
            try await reader.visit(ofType: type, with: matcher)
            return matcher.withLock { ($0.ids, $0.examinedCount) }
        }
    }
}
