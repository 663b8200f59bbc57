extension RecordQuery {
    /// The fields that are read of the records of a page: the cursor needs those of the order; nil for all.
    package var readFields: Set<String>? { fields?.union(order.compactMap(\.path.names.first)) }

    /// The query without what ``RecordPage/contents(for:)`` does.
    var ofWholeRecords: RecordQuery {
        var query = self
        (query.fields, query.byteLimit) = (nil, nil)
        return query
    }
}

/// Counts the bytes of the records of a page.
package struct PageBytes {
    private let query: RecordQuery
    private var count = 0
    private var size = 0

    package init(_ query: RecordQuery) { self.query = query }

    /// Adds the next record, and returns whether it fits; the first one does.
    package mutating func add(_ record: Record) -> Bool {
        guard let limit = query.byteLimit else { return true }
        count += 1
        size += record.partial(query.fields).valueSize
        return count == 1 || size <= limit
    }
}

extension RecordPage {
    /// Makes the page of records that a query has found: takes as many as fit, and their fields.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - records: The records in the order of the query, with ``RecordQuery/readFields``: those up to the limit, or up to one
    ///     that does not fit.
    ///   - matchCount: The number of matching records: more than `records` if others follow.
    ///   - examinedCount: The number of examined records.
    init(of query: RecordQuery, found records: [Record], matchCount: Int, examinedCount: Int) {
        var bytes = PageBytes(query)
        let fitting = query.byteLimit == nil ? records[...] : records.prefix { bytes.add($0) }
        let next = matchCount > fitting.count ? fitting.last.map { QueryCursor(of: query, after: $0) } : nil
        self.init(
            records: query.fields == nil ? Array(fitting) : fitting.map { $0.partial(query.fields) }, next: next,
            examinedCount: examinedCount, matchCount: matchCount)
    }

    /// The page of a query that was read without the query's limit of bytes, and with more fields.
    func contents(for query: RecordQuery) -> RecordPage {
        if query.fields == nil, query.byteLimit == nil { return self }
        var page = RecordPage(
            of: query, found: records, matchCount: max(matchCount, records.count), examinedCount: examinedCount)
        (page.isPushedDown, page.next) = (isPushedDown, page.next ?? next)
        return page
    }
}
