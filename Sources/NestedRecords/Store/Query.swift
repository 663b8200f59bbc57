/// A query for the values of a type in a store: which values to find, in which order, and how many.
///
/// ```swift
/// let books = store.query(Book.self).filter {
///     $0.author.name == "Ada"
///     $0.year > 1990 || $0.isClassic
/// }.sorted { $0.title }.limit(20)
/// for book in try await books.page() { print(book.title) }
/// ```
///
/// ``RecordStore/query(_:)`` makes it. Nothing is read before one of the functions under *Reading* is called.
public struct Query<Value: RecordDecodable>: Sendable {
    package let store: RecordStore

    // A property of the type `Animal.Type` may hold the type of a subclass.
    let type: Value.Type
    private var filters: [QueryFilter<Value>] = []
    private var orders: [(steps: [PropertyStep], isDescending: Bool, collation: String?)] = []
    private var limit: Int?
    private var byteLimit: Int?
    private var cursor: QueryCursor?

    init(_ type: Value.Type, _ store: RecordStore) { (self.type, self.store) = (type, store) }

    /// Adds conditions; all conditions of a query must hold.
    ///
    /// - Parameter conditions: One condition a line, made from the field that the closure gets.
    public func filter(
        @QueryFilter<Value> _ conditions: (QueryField<Value, Value>) -> QueryFilter<Value>
    ) -> Query {
        filter(QueryFilter(conditions))
    }

    /// Adds a filter that was made before.
    ///
    /// - Parameter filter: The filter.
    public func filter(_ filter: QueryFilter<Value>) -> Query {
        var query = self
        query.filters.append(filter)
        return query
    }

    /// Adds an order by a property, after the earlier orders.
    ///
    /// Values without the property come first, or last in descending order. Values that are equal in all orders are
    /// in the order of their names.
    ///
    /// - Parameters:
    ///   - isDescending: Whether the greatest value comes first.
    ///   - collation: The identifier of the locale whose rules order strings, such as `Locale.current.identifier`; nil to
    ///     order them by their bytes, as an index does. See ``RecordOrder/collation``.
    ///   - field: The property; it must not be a property of another record. If it has former names or a default value,
    ///     a record that was not migrated is an error when the query runs.
    public func sorted<Member>(
        descending isDescending: Bool = false, collation: String? = nil,
        by field: (QueryField<Value, Value>) -> QueryField<Value, Member>
    ) -> Query {
        var query = self
        query.orders.append((field(QueryField([])).steps, isDescending, collation))
        return query
    }

    /// Limits the number of values in a page.
    ///
    /// ``count()`` and ``exists()`` ignore it.
    ///
    /// - Parameter count: The number; nil for all, 0 for none. A negative number is an error when the query runs.
    public func limit(_ count: Int?) -> Query {
        var query = self
        query.limit = count
        return query
    }

    /// Limits the size of a page, so that large values do not come all at once.
    ///
    /// A page has at least one value. ``QueryPage/next`` continues with the first that did not fit. ``count()``
    /// and ``exists()`` ignore it.
    ///
    /// - Parameter bytes: The number of bytes of the values' own records: see ``RecordQuery/byteLimit``; nil for any number.
    public func limit(bytes: Int?) -> Query {
        var query = self
        query.byteLimit = bytes
        return query
    }

    /// Continues after a cursor.
    ///
    /// ``QueryCursor/init(text:)`` makes a cursor of a stored or sent text, and refuses any other text.
    ///
    /// - Parameter cursor: ``QueryPage/next`` of the previous page; nil for the first page.
    public func after(_ cursor: QueryCursor?) -> Query {
        var query = self
        query.cursor = cursor
        return query
    }

    /// The query for the records.
    ///
    /// Its filter includes the former names and the default values of fields, its order does not.
    ///
    /// - Returns: The query, with the names of fields.
    /// - Throws: ``RecordError`` with the code `unknownField` if the field of a property cannot be determined, and
    ///   with the code `unknownType` for a ``DynamicRecordRepresentable`` type; and the errors of encoding a value.
    public func recordQuery() throws -> RecordQuery {
        try type.checkIsFound()
        if let limit, limit < 0 { throw RecordError(.invalidLimit, reason: "it is \(limit)") }
        let made = try filters.map { try $0.make(store.coding) }
        var query = RecordQuery(
            RecordTypeInfo.info(of: type).type, where: made.count > 1 ? .all(made) : made.first,
            order: try orders.map {
                RecordOrder(try ownField($0.steps).path, isDescending: $0.isDescending, collation: $0.collation)
            },
            limit: limit, after: cursor)
        query.byteLimit = byteLimit
        return query
    }

    /// The query for the records, after a check that records have the current fields of its order.
    func checkedRecordQuery() async throws -> RecordQuery {
        let query = try recordQuery()
        for order in orders { try await checkIsPresent(ownField(order.steps), in: query) }
        return query
    }

    /// A field of the value's own record.
    func ownField(_ steps: [PropertyStep]) throws -> PropertyField {
        let property = try PropertyPath(steps, of: type, store.coding)
        guard property.references.isEmpty else {
            throw RecordError(
                .unknownField,
                reason: "'\(property.field.path)' is of another record, so it cannot order or summarize a query")
        }
        try property.checkIsOrdered()
        return property.field
    }

    /// Throws an error if a record of a query has a former field, or lacks a field with a default value.
    func checkIsPresent(_ field: PropertyField, in query: RecordQuery) async throws {
        guard let former = field.formerRecords else { return }
        let filter = query.filter.map { .all([$0, former]) } ?? former
        let page = try await store.calls.page(RecordQuery(query.recordType, where: filter, limit: 1))
        guard let record = page.records.first else { return }
        throw RecordError(
            .unknownField,
            reason: "\(record.id) has a former name of '\(field.path)', or lacks the field, which has a default value; "
                + "migrate \(Value.self) before it is ordered or summarized by this property")
    }
}

extension RecordRepresentable {
    static func checkIsFound() throws {
        guard Self.self is any DynamicRecordRepresentable.Type else { return }
        throw RecordError(
            .unknownType,
            reason: "the values of \(Self.self) state their record types themselves; "
                + "find the records of one of these types with a RecordQuery, and decode them")
    }
}

extension Query: CustomStringConvertible {
    /// The query for the records.
    public var description: String {
        do { return "\(try recordQuery())" } catch { return "\(error)" }
    }
}

extension Query: ChildlessReflectable {}

// MARK: Reading

extension Query {
    /// Finds a page of values, and decodes them together.
    ///
    /// - Returns: The values in the order of the query, with shared instances where they contain the same records, and
    ///   the cursor of the next page.
    /// - Throws: The errors of ``RecordDatabase/page(_:)``, ``recordQuery()`` and
    ///   ``RecordDecoder/decode(_:from:in:)-(_,[Record],_)``.
    /// - Complexity: The calls of ``RecordDatabase/page(_:)``, and one call for each level of references.
    public func page() async throws -> sending QueryPage<Value> {
        let page = try await store.calls.page(checkedRecordQuery())
        return QueryPage(elements: try await store.decode(type, from: page.records), of: page)
    }

    /// Finds all values, or those of one page if the query has a limit.
    ///
    /// - Returns: The values in the order of the query.
    /// - Throws: The errors of ``page()``.
    public func all() async throws -> sending [Stored<Value>] {
        let page = try await store.calls.page(checkedRecordQuery())
        return try await store.decode(type, from: page.records)
    }

    /// Finds the first value.
    ///
    /// - Returns: The value; nil if there is none, or if the limit of the query is 0.
    /// - Throws: The errors of ``page()``.
    public func first() async throws -> sending Stored<Value>? {
        if try recordQuery().limit == 0 { return nil }
        var query = limit(1)
        while true {
            let page = try await query.page()
            if let value = page.first { return value }
            // The record of the page may be malformed.
            guard let next = page.next else { return nil }
            query.cursor = next
        }
    }

    /// The number of values, regardless of the order, the limit and the cursor.
    ///
    /// - Throws: The errors of ``RecordDatabase/count(_:)`` and ``recordQuery()``.
    public func count() async throws -> Int { try await store.calls.count(recordQuery()) }

    /// Whether there is a value, regardless of the limit.
    ///
    /// - Throws: The errors of ``page()``.
    public func exists() async throws -> Bool {
        var query = try recordQuery()
        query.limit = 1
        return try await !store.calls.page(query).records.isEmpty
    }

    /// Explains in English sentences how ``page()`` finds the values: see ``RecordDatabase/explanation(of:)``.
    ///
    /// - Throws: The errors of ``page()``.
    public func explanation() async throws -> String { try await store.calls.explanation(of: recordQuery()) }

    /// A sequence of all values, fetched page by page.
    ///
    /// ```swift
    /// for try await book in store.query(Book.self).sorted(by: { $0.title }).values() { print(book.title) }
    /// ```
    ///
    /// The limit of the query is the size of a page. Without a limit the pages grow from 100 to 5,000 values; with the
    /// limit 0 there are no values.
    ///
    /// - Returns: The values in the order of the query.
    public func values() -> DatabaseSequence<Stored<Value>> { DatabaseSequence(pages: { QueryPages(self) }) }
}

extension RecordStore {
    /// A query for the values of a type.
    ///
    /// - Parameter type: The Swift type; its record type is ``RecordRepresentable/recordType``.
    /// - Returns: A query for all values, in the order of their names.
    public func query<Value: RecordDecodable>(_ type: Value.Type) -> Query<Value> { Query(type, self) }

    func decode<Value: RecordDecodable>(
        _ type: Value.Type, from records: [Record]
    ) async throws -> sending [Stored<Value>] {
        guard let report = reportMalformedRecord else {
            let resolution = try await decoder.resolve(type, from: records, in: calls)
            return Stored.all(resolution, ids: records.map(\.id), decoder)
        }
        let resolution = try await decoder.resolveEach(type, from: records, in: calls)
        return await decoded(resolution, records.map(\.id), report)
    }

    /// The values that could be decoded; the others are reported.
    func decoded<Value: RecordDecodable>(
        _ resolution: sending RecordDecoder.Resolution<[Result<Value, any Error>]>, _ ids: [Record.ID],
        _ report: @Sendable (Record.ID, any Error) async -> Void
    ) async -> sending [Stored<Value>] {
        let origin = Box(StoredOrigin(resolution.source, decoder))
        var values: [Stored<Value>] = []
        for (id, result) in zip(ids, resolution.value) {
            switch result {
            case .success(let value): values.append(Stored(value, id: id, origin))
            case .failure(let error): await report(id, error)
            }
        }
        return values
    }
}

/// A page of the values that a query finds.
///
/// It is a collection of ``Stored`` values, in the order of the query.
public struct QueryPage<Value>: RandomAccessCollection {
    private let elements: [Stored<Value>]

    /// The cursor of the next page; nil after the last value.
    public let next: QueryCursor?

    /// The number of examined records, including those of other types that the filter asks for.
    public let examinedCount: Int

    /// Whether the database itself selected the records, with an index or a query language, so that only those of the
    /// page were examined here.
    public let isPushedDown: Bool

    init(elements: [Stored<Value>], of page: RecordPage) {
        (self.elements, next) = (elements, page.next)
        (examinedCount, isPushedDown) = (page.examinedCount, page.isPushedDown)
    }

    /// The values, without their versions.
    public var values: [Value] { elements.map(\.value) }

    /// The position of the first value.
    public var startIndex: Int { 0 }

    /// The position after the last value.
    public var endIndex: Int { elements.count }

    /// The value at a position.
    public subscript(position: Int) -> Stored<Value> { elements[position] }
}

extension QueryPage: Sendable where Value: Sendable {}

private struct QueryPages<Value: RecordDecodable>: AsyncIteratorProtocol {
    private let query: Query<Value>
    private var next: QueryCursor?
    private var isAtEnd = false

    /// The size of the next page, which grows: without an index each page scans all records of the type.
    private var pageSize = 100
    private static var greatestPage: Int { 5_000 }

    init(_ query: Query<Value>) { self.query = query }

    mutating func next() async throws -> [Stored<Value>]? {
        if isAtEnd { return nil }
        var pageQuery = try await next == nil ? query.checkedRecordQuery() : query.recordQuery()
        if pageQuery.limit == 0 {
            isAtEnd = true
            return nil
        }
        pageQuery.limit = pageQuery.limit ?? pageSize
        pageSize = min(2 * pageSize, Self.greatestPage)
        if let next { pageQuery.after = next }
        let page = try await query.store.calls.page(pageQuery)
        let values = try await query.store.decode(query.type, from: page.records)
        (next, isAtEnd) = (page.next, page.next == nil)
        return values
    }
}
