/// Makes the page of a query without a limit, from records that are known to match the filter.
package struct CoveredScan {
    private let query: RecordQuery
    private var byName: BytesOrder<Record>
    private var scan: QueryScan?

    package init(_ query: RecordQuery, capacity count: Int) throws {
        self.query = query
        let isByName = query.order.isEmpty && query.after == nil
        byName = BytesOrder(capacity: isByName ? count : 0)
        if !isByName { scan = try QueryScan(query, targets: [:], isCovered: true) }
    }

    package mutating func add(_ record: consuming Record) {
        let name = record.id.name
        if scan == nil { byName.append(record, name.utf8) } else { scan?.add(record) }
    }

    package mutating func page(examinedElsewhere: Int) -> RecordPage {
        if let scan { return scan.page(examinedElsewhere: examinedElsewhere) }
        let records = byName.take { $0.id.name.utf8.lexicographicallyPrecedes($1.id.name.utf8) }
        return RecordPage(of: query, found: records, hasMore: false, examinedElsewhere: examinedElsewhere)
    }
}
