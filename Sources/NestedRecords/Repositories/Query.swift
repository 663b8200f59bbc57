/// A query for values of a Swift type: which values to find, in which order, and how many.
///
/// ```swift
/// let query = Query<School>().filter(\.name >= "M" && \.director.name == "Ada").sorted(by: \.name).limit(20)
/// let schools = try await database.load(query)
/// ```
public struct Query<Model: RecordDecodable>: Sendable {
    private var filters: [QueryFilter<Model>] = []
    private var orders: [@Sendable (RecordCoding) throws -> RecordOrder] = []
    private var limit: Int?
    private var cursor: QueryCursor?

    /// Makes a query for all values, in the order of their names.
    public init() {}

    /// Adds a filter; all filters of a query must hold.
    ///
    /// - Parameter filter: The filter.
    public func filter(_ filter: QueryFilter<Model>) -> Query {
        var query = self
        query.filters.append(filter)
        return query
    }

    /// Adds an order by a property, after the earlier orders.
    ///
    /// Values without the property come first, or last in descending order.
    ///
    /// - Parameters:
    ///   - property: The property; it must not be a property of another record.
    ///   - isDescending: Whether the greatest value comes first.
    public func sorted<Value>(by property: any KeyPath<Model, Value> & Sendable, isDescending: Bool = false) -> Query {
        sorted(by: QueryField(property), isDescending: isDescending)
    }

    /// Adds an order by a field, after the earlier orders.
    ///
    /// - Parameters:
    ///   - field: The field.
    ///   - isDescending: Whether the greatest value comes first.
    public func sorted<Value>(by field: QueryField<Model, Value>, isDescending: Bool = false) -> Query {
        var query = self
        query.orders.append { coding in
            let property = try field.find(coding)
            guard property.references.isEmpty else {
                throw RecordQueryError(
                    .unknownField,
                    reason: "'\(property.field.path)' is a field of other records; an order is of one type")
            }
            guard property.field.hasOneForm else {
                throw RecordQueryError(
                    .unknownField,
                    reason: "'\(property.field.path)' of \(Model.self) has former names or a default value, so records "
                        + "may lack it; migrate them, and name the field, as in "
                        + "QueryField<\(Model.self), \(Value.self)>(\"\(property.field.path)\")")
            }
            return RecordOrder(property.field.path, isDescending: isDescending)
        }
        return query
    }

    /// Limits the number of values in a page.
    ///
    /// - Parameter count: The number; nil for all. A negative number is an error when the query runs.
    public func limit(_ count: Int?) -> Query {
        var query = self
        query.limit = count
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
    /// Its filter includes the former names and the default values of fields.
    ///
    /// - Parameter coding: How the values are decoded: its strategies name the fields.
    /// - Returns: The query, with the names of fields.
    /// - Throws: ``RecordQueryError`` with the code `unknownField` if the field of a property cannot be determined, and
    ///   with the code `unknownType` for a ``DynamicRecordRepresentable`` type; and the errors of encoding a value.
    public func recordQuery(coding: RecordCoding = RecordCoding()) throws -> RecordQuery {
        try Model.checkIsFound()
        let made = try filters.map { try $0.make(coding) }
        return RecordQuery(
            Model.recordType, where: made.count > 1 ? .all(made) : made.first,
            order: try orders.map { try $0(coding) }, limit: limit, after: cursor)
    }
}

extension RecordRepresentable {
    /// Checks that the records of the values can be found by type.
    static func checkIsFound() throws {
        guard Self.self is any DynamicRecordRepresentable.Type else { return }
        throw RecordQueryError(
            .unknownType,
            reason: "the values of \(Self.self) state their record types themselves; "
                + "find the records of one of these types with a RecordQuery, and decode them")
    }
}

extension Query: CustomStringConvertible {
    /// The query for the records, with the default options.
    public var description: String {
        do { return "\(try recordQuery())" } catch { return "\(error)" }
    }
}

/// A page of the values that a query finds.
public struct QueryPage<Value> {
    /// The values, in the order of the query.
    public var values: [Value]

    /// The cursor of the next page; nil after the last value.
    public var next: QueryCursor?

    /// The cost of finding their records.
    public var statistics: QueryStatistics

    /// The records that could not be decoded, each with its error; empty without ``MalformedRecordPolicy/report``.
    public var failures: [(id: Record.ID, error: any Error)]
}

extension QueryPage: Sendable where Value: Sendable {}

/// The policy for records of a page that cannot be decoded.
public enum MalformedRecordPolicy: Sendable, Hashable, CaseIterable {
    /// The page fails. This is the default.
    case fail

    /// The page has the other values, and reports these records.
    case report
}

extension RecordDatabase {
    /// Finds values, and decodes them together.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - decoder: How to decode them.
    ///   - policy: What to do with records that cannot be decoded.
    /// - Returns: The values in the order of the query, with shared instances where they contain the same records, and
    ///   the cursor of the next page.
    /// - Throws: The errors of ``page(_:)``, ``Query/recordQuery(coding:)`` and
    ///   ``RecordDecoder/decode(_:from:in:)-(_,[Record],_)``.
    /// - Complexity: The calls of ``page(_:)``, and one call for each level of references.
    public func page<Model: RecordDecodable>(
        _ query: Query<Model>, decoder: RecordDecoder = RecordDecoder(),
        malformedRecords policy: MalformedRecordPolicy = .fail
    ) async throws -> sending QueryPage<Model> {
        let page = try await recordPage(query, decoder: decoder)
        guard policy == .report else {
            let values = try await decoder.decode(Model.self, from: page.records, in: self)
            return QueryPage(values: values, next: page.next, statistics: page.statistics, failures: [])
        }
        let results = try await decoder.decodeEach(Model.self, from: page.records, in: self)
        var values: [Model] = []
        var failures: [(id: Record.ID, error: any Error)] = []
        for (record, result) in zip(page.records, results) {
            switch result {
            case .success(let value): values.append(value)
            case .failure(let error): failures.append((record.id, error))
            }
        }
        return QueryPage(values: values, next: page.next, statistics: page.statistics, failures: failures)
    }

    /// Finds values, and decodes them together.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - decoder: How to decode them.
    /// - Returns: The values in the order of the query, at most as many as its limit.
    /// - Throws: The errors of ``page(_:decoder:malformedRecords:)``.
    public func load<Model: RecordDecodable>(
        _ query: Query<Model>, decoder: RecordDecoder = RecordDecoder()
    ) async throws -> sending [Model] {
        let page = try await recordPage(query, decoder: decoder)
        return try await decoder.decode(Model.self, from: page.records, in: self)
    }

    /// Finds the first value.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - decoder: How to decode it.
    /// - Returns: The value; nil if there is none.
    /// - Throws: The errors of ``page(_:decoder:malformedRecords:)``.
    public func first<Model: RecordDecodable>(
        _ query: Query<Model>, decoder: RecordDecoder = RecordDecoder()
    ) async throws -> sending Model? {
        let page = try await recordPage(query.limit(1), decoder: decoder)
        guard let record = page.records.first else { return nil }
        return try await decoder.decode(Model.self, from: record, in: self)
    }

    /// The number of values that a query finds, regardless of its order, limit and cursor.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - decoder: How the values are decoded: its strategies name the fields.
    /// - Returns: The number of values.
    /// - Throws: The errors of ``count(_:)`` and ``page(_:decoder:malformedRecords:)``.
    public func count<Model: RecordDecodable>(
        _ query: Query<Model>, decoder: RecordDecoder = RecordDecoder()
    ) async throws -> Int {
        try await count(query.recordQuery(coding: decoder.coding))
    }

    /// Whether a query finds a value.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - decoder: How the values are decoded: its strategies name the fields.
    /// - Throws: The errors of ``page(_:decoder:malformedRecords:)``.
    public func exists<Model: RecordDecodable>(
        _ query: Query<Model>, decoder: RecordDecoder = RecordDecoder()
    ) async throws -> Bool {
        try await !recordPage(query.limit(1), decoder: decoder).records.isEmpty
    }

    /// A sequence of all values that a query finds, fetched page by page.
    ///
    /// ```swift
    /// for try await book in database.values(Query<Book>().sorted(by: \.title)) { print(book.title) }
    /// ```
    ///
    /// - Parameters:
    ///   - query: The query; its limit is the size of a page. Without a limit the pages grow from 100 to 5,000 values.
    ///   - decoder: How to decode them.
    /// - Returns: The values in the order of the query.
    public func values<Model: RecordDecodable>(
        _ query: Query<Model>, decoder: RecordDecoder = RecordDecoder()
    ) -> QueryValues<Model, Self> {
        QueryValues(query: query, database: self, decoder: decoder)
    }
}

extension RecordDatabase {
    /// The records that a query finds.
    func recordPage<Model: RecordDecodable>(_ query: Query<Model>, decoder: RecordDecoder) async throws -> RecordPage {
        try await page(query.recordQuery(coding: decoder.coding))
    }
}

/// A sequence of all values that a query finds.
public struct QueryValues<Value: RecordDecodable, Database: RecordDatabase>: AsyncSequence, Sendable {
    /// A value.
    public typealias Element = Value

    let query: Query<Value>
    let database: Database
    let decoder: RecordDecoder

    /// Starts at the first value.
    public func makeAsyncIterator() -> Iterator { Iterator(source: self) }

    /// Iterates over the values.
    public struct Iterator: AsyncIteratorProtocol {
        let source: QueryValues
        private var next: QueryCursor?
        private var isAtEnd = false
        private var values: ArraySlice<Value> = []

        /// The size of the next page, which grows: without an index each page scans all records of the type.
        private var pageSize = 100
        private static var greatestPage: Int { 5_000 }

        init(source: QueryValues) { self.source = source }

        /// The next value; nil after the last one.
        ///
        /// - Throws: The errors of ``RecordDatabase/page(_:decoder:malformedRecords:)``.
        public mutating func next() async throws -> Value? {
            if values.isEmpty, !isAtEnd {
                var query = try source.query.recordQuery(coding: source.decoder.coding)
                query.limit = query.limit.map { $0 == 0 ? 1 : $0 } ?? pageSize
                pageSize = Swift.min(2 * pageSize, Self.greatestPage)
                if let next { query.after = next }
                let page = try await source.database.page(query)
                values = try await source.decoder.decode(Value.self, from: page.records, in: source.database)[...]
                next = page.next
                isAtEnd = page.next == nil
            }
            return values.popFirst()
        }
    }
}

extension QueryValues: CustomStringConvertible {
    /// The type of the values, which are not read yet.
    public var description: String { "\(Value.self) values (read when iterated)" }
}

extension QueryValues: ChildlessReflectable {}
