/// A query for records of a type: a filter, an order and a limit.
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

    /// The filter; nil for all records.
    public var filter: RecordFilter?

    /// The order: by the first path, among equal values by the second, and so on, at last by the name.
    ///
    /// Records without a value come first.
    public var order: [RecordOrder]

    /// The maximum number of records of a page; nil for all.
    ///
    /// The query fails if the limit is negative.
    public var limit: Int?

    /// The cursor to continue after: ``RecordPage/next`` of the previous page; nil for the first page.
    public var after: QueryCursor?

    /// The names of the fields that the records of a page have; nil for all.
    ///
    /// The records have their metadata, and are ``Record/isPartial``. The filter and the order may be about other fields. A
    /// cursor is also that of the same query with other fields.
    public var fields: Set<String>?

    /// The maximum size of the records of a page together, in bytes; nil, the default, for any size.
    ///
    /// A page has at least one record, however large, and ``RecordPage/next`` continues with the first that did not fit. The
    /// bytes are those of the names and values that the page has, as ``RecordDatabaseLimits/recordSize`` counts them by
    /// default. The query fails if the number is negative. A cursor is also that of the same query with another number.
    public var byteLimit: Int?

    /// Makes a query.
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

extension RecordQuery {
    /// The values of a field that matching records can have, for a database with an index of its own.
    ///
    /// - Parameter path: The path of the field.
    /// - Returns: Ranges of ``SortKey``s in ascending order, which do not overlap. Every matching record has a value in one
    ///   of them, or no value if the key of nil is in the first; other records may have such values, too. One range of
    ///   all keys if the filter does not restrict the field.
    /// - Complexity: O(*n* log *n*) for *n* terms of the filter.
    @_spi(Engines) public func keyRanges(of path: FieldPath) -> [SortKeyRange] {
        FilterRanges(of: RecordFilterPart(filter), by: path).keys.ranges
    }
}

/// A part of the order of records.
public struct RecordOrder: Sendable, Hashable {
    /// The path to order by.
    public var path: FieldPath

    /// Whether the greatest value comes first.
    public var isDescending: Bool

    /// The identifier of the locale whose rules order strings, such as `sv`; nil to order them by their bytes.
    ///
    /// Strings that are equal by the rules are in the order of their bytes; other values are in their usual order, too.
    /// Only the first 480 bytes of a string count. Indexes do not help: every record that the filter allows is examined.
    ///
    /// The rules are those of Foundation where the database is; another version may have others. An identifier that it
    /// does not know gives the order of Unicode. One that has more than 100 bytes, or other characters than ASCII letters,
    /// digits, `-`, `_`, `@`, `=` and `;`, is an error when the query runs.
    public var collation: String?

    /// Makes a part of an order.
    public init(_ path: FieldPath, isDescending: Bool = false, collation: String? = nil) {
        self.path = path
        self.isDescending = isDescending
        self.collation = collation
    }
}

/// A page of the results of a query.
public struct RecordPage: Sendable, Hashable {
    /// The records, in the order of the query.
    public var records: [Record]

    /// The cursor for the next page; nil after the last record.
    public var next: QueryCursor?

    /// The number of examined records, including those of other types that the filter asks for.
    public var examinedCount: Int

    /// The number of matching records on this page and after it, as far as they were examined.
    public var matchCount: Int

    /// Whether the database itself selected the records, with an index or a query language, so that only those of the
    /// page were examined here.
    public var isPushedDown: Bool

    /// Makes a page, for implementations of databases.
    public init(
        records: [Record], next: QueryCursor? = nil, examinedCount: Int, matchCount: Int, isPushedDown: Bool = false
    ) {
        (self.records, self.next) = (records, next)
        (self.examinedCount, self.matchCount, self.isPushedDown) = (examinedCount, matchCount, isPushedDown)
    }
}

extension RecordPage {
    package init(of query: RecordQuery, found records: [Record], hasMore: Bool, examinedElsewhere: Int) {
        let count = records.count + (hasMore ? 1 : 0)
        self.init(
            of: query, found: records, matchCount: count, examinedCount: count + examinedElsewhere)
    }
}
