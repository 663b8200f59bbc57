extension RecordPage {
    /// Makes a page of records that a database has chosen and put in order.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - records: The records of the page.
    ///   - hasMore: Whether it has looked at one that comes behind them.
    ///   - examinedElsewhere: How many records of other types were looked at.
    package init(of query: RecordQuery, found records: [Record], hasMore: Bool, examinedElsewhere: Int) {
        let count = records.count + (hasMore ? 1 : 0)
        self.init(
            records: records, next: hasMore ? records.last.map { QueryCursor(of: query, after: $0) } : nil,
            statistics: QueryStatistics(examinedCount: count + examinedElsewhere, matchCount: count))
    }
}
