public import NestedRecords

// Queries are answered by the bytes of the entries: a record is made only of what is returned.

extension FileRecordDatabase {
    /// The records that a query finds, or the first of them.
    ///
    /// Of each record of the type the fields that the query names are read, and no more. Records are made of those of the
    /// page alone. Bytes that are not read may be damaged without an error, as long as their checksum is right.
    ///
    /// - Parameter query: The query.
    /// - Returns: The records in the order of the query, where to go on, and what it took.
    /// - Throws: `RecordQueryError`, `RecordDatabaseError.corrupt`,
    ///   `RecordDatabaseError.closed`, what the system refuses, and `CancellationError`.
    /// - Complexity: O(*n* log *m*) for *n* records of the type and *m* records of the page. The memory is that of the page,
    ///   and of the places of 300,000 records at most; for each 270,000 of them all places in the index are looked at once.
    ///   If there are more, and records are saved meanwhile, the index is copied.
    public func page(_ query: RecordQuery) async throws -> RecordPage {
        try await store.reading { reader in
            let targets = try await targets(of: query.filter, in: reader)
            let scan = Lock(try BinaryQueryScan(query, targets: targets.ids))
            var list = try reader.entries(ofType: query.recordType)
            try await reader.visit(&list, with: scan)
            let records = try await reader.records(at: scan.withLock { $0.locations }, of: list.source)
            return scan.withLock { $0.page(of: records, examinedElsewhere: targets.examinedCount) }
        }
    }

    /// How many records a query finds, whatever its order, limit and cursor.
    ///
    /// - Parameter query: The query.
    /// - Returns: The number of records.
    /// - Throws: The errors of ``page(_:)``.
    /// - Complexity: O(*n*) for *n* records of the type; without a filter nothing is read.
    public func count(_ query: RecordQuery) async throws -> Int {
        if query.filter == nil {
            let count = try await store.reading { try $0.count(ofType: query.recordType) }
            if let count { return count }
        }
        return try await page(RecordQuery(query.recordType, where: query.filter, limit: 0)).statistics.matchCount
    }

    /// The references that lead to records, wherever they are.
    ///
    /// The references are found in the bytes of all records. A record is made only of what refers to one of these.
    ///
    /// - Parameter ids: The records.
    /// - Returns: For each of them that is referred to, the references, in the order of ``records(ofType:)``.
    /// - Throws: `RecordDatabaseError.corrupt`, `RecordDatabaseError.closed`, what the
    ///   system refuses, and `CancellationError`.
    /// - Complexity: O(*n*) for *n* fields and list elements in the database.
    public func referrers(of ids: [Record.ID]) async throws -> [Record.ID: [RecordReferrer]] {
        if ids.isEmpty { return [:] }
        return try await store.reading { reader in
            let referrers = Lock(BinaryReferrers(to: ids))
            try await reader.visit(ofType: nil, with: referrers)
            return referrers.withLock { $0.found }
        }
    }

    /// The records that the terms of a filter that follow references may lead to.
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

extension FileRecordDatabase: ReferenceScanning {
    package func referenceTable() async throws -> ReferenceTable {
        try await store.reading { reader in
            let table = Lock(ReferenceTable())
            try await reader.visit(ofType: nil, with: table)
            return table.withLock { $0 }
        }
    }
}

/// Every record, or every record of a type, as they are when the first one is asked for.
struct ScannedRecords: RecordSequence.Source {
    let store: LogStore
    let type: String?
    private var scan: RecordScan?

    init(store: LogStore, type: String?) { (self.store, self.type) = (store, type) }

    mutating func next() async throws -> Record? {
        if scan == nil {
            scan = try await store.reading { [type] reader in
                try await Reader.threads.run {
                    // Not a part of them: what is done with the records may take long, and a write copies an index that
                    // is held.
                    let list = try reader.entries(ofType: type, atMost: .max)
                    return RecordScan(list.source, list.places)
                }
            }
        }
        return try await scan?.next()
    }
}
