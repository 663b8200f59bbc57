/// Which records of a type to find, in which order, and how many.
///
/// ```swift
/// var query = RecordQuery("Book", where: .compare("title", .greater, "M"))
/// query.order = [RecordOrder("author"), RecordOrder(.modificationDate, isDescending: true)]
/// query.limit = 20
/// let page = try await database.page(query)
/// ```
public struct RecordQuery: Sendable, Hashable {
    /// The type of the records.
    public var recordType: String

    /// What must hold of them; nil for all.
    public var filter: RecordFilter?

    /// The order: by the first path, where that is the same by the second one, and so on, and at last by the name.
    ///
    /// Records without a value come before those with one.
    public var order: [RecordOrder]

    /// The greatest number of records of a page; nil for all.
    ///
    /// A number below zero is refused when the query is answered.
    public var limit: Int?

    /// Where to go on: ``RecordPage/next`` of the page before; nil for the first page.
    public var after: QueryCursor?

    /// Makes a query.
    ///
    /// - Parameters:
    ///   - recordType: The type of the records.
    ///   - filter: What must hold of them; nil for all.
    ///   - order: The order; by their names without it.
    ///   - limit: The greatest number of records of a page; nil for all.
    ///   - cursor: Where to go on; nil for the first page.
    public init(
        _ recordType: String, where filter: RecordFilter? = nil, order: [RecordOrder] = [], limit: Int? = nil,
        after cursor: QueryCursor? = nil
    ) {
        self.recordType = recordType
        self.filter = filter
        self.order = order
        self.limit = limit
        after = cursor
    }
}

/// A part of the order of records.
public struct RecordOrder: Sendable, Hashable {
    /// What to order by.
    public var path: FieldPath

    /// Whether the greatest comes first.
    public var isDescending: Bool

    /// Makes a part of an order.
    ///
    /// - Parameters:
    ///   - path: What to order by.
    ///   - isDescending: Whether the greatest comes first.
    public init(_ path: FieldPath, isDescending: Bool = false) {
        self.path = path
        self.isDescending = isDescending
    }
}

/// A part of what a query finds.
public struct RecordPage: Sendable, Hashable {
    /// The records, in the order of the query.
    public var records: [Record]

    /// Where to go on; nil behind the last record.
    public var next: QueryCursor?

    /// What it took to find them.
    public var statistics: QueryStatistics

    /// Makes a page; for databases.
    ///
    /// - Parameters:
    ///   - records: The records, in the order of the query.
    ///   - next: Where to go on; nil behind the last record.
    ///   - statistics: What it took to find them.
    public init(records: [Record], next: QueryCursor? = nil, statistics: QueryStatistics) {
        self.records = records
        self.next = next
        self.statistics = statistics
    }
}

/// What it took to answer a query.
public struct QueryStatistics: Sendable, Hashable {
    /// How many records were looked at, those of other types that the filter asks for among them.
    public var examinedCount: Int

    /// How many of them fit, on this page and behind it, as far as it is known.
    public var matchCount: Int

    /// Whether the database itself chose the records, by an index or a language of its own, so that only those of the
    /// page were looked at here.
    public var isPushedDown: Bool

    /// Makes statistics; for databases.
    ///
    /// - Parameters:
    ///   - examinedCount: How many records were looked at.
    ///   - matchCount: How many of them fit.
    ///   - isPushedDown: Whether the database itself chose the records.
    public init(examinedCount: Int, matchCount: Int, isPushedDown: Bool = false) {
        self.examinedCount = examinedCount
        self.matchCount = matchCount
        self.isPushedDown = isPushedDown
    }
}

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
