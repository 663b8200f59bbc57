/// Makes the page of a query without a limit, from records that are known to match the filter.
package struct CoveredScan {
    private let query: RecordQuery

    /// The records in the order of their names, if that is the order of the query.
    private var byName: BytesOrder<Record>

    /// Finds the page if the query has another order or a cursor.
    private var scan: QueryScan?

    /// - Parameters:
    ///   - query: The query.
    ///   - count: The expected number of records.
    /// - Throws: ``RecordError``.
    package init(_ query: RecordQuery, capacity count: Int) throws {
        self.query = query
        let isByName = query.order.isEmpty && query.after == nil
        byName = BytesOrder(capacity: isByName ? count : 0)
        if !isByName { scan = try QueryScan(query, targets: [:], isCovered: true) }
    }

    /// Adds a matching record.
    package mutating func add(_ record: consuming Record) {
        let name = record.id.name
        if scan == nil { byName.append(record, name.utf8) } else { scan?.add(record) }
    }

    /// The page; its records are moved out.
    ///
    /// - Parameter examinedElsewhere: The number of examined records of other types.
    package mutating func page(examinedElsewhere: Int) -> RecordPage {
        if let scan { return scan.page(examinedElsewhere: examinedElsewhere) }
        let records = byName.take { $0.id.name.utf8.lexicographicallyPrecedes($1.id.name.utf8) }
        return RecordPage(of: query, found: records, hasMore: false, examinedElsewhere: examinedElsewhere)
    }
}
