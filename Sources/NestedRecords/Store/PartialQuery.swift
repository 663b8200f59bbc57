/// A query for some properties of values: see ``Query/fields(_:)``.
@resultBuilder
public struct PartialQuery<Value: RecordDecodable>: Sendable {
    private let query: Query<Value>
    private let properties: [[PropertyStep]]

    fileprivate init(_ query: Query<Value>, _ properties: [[PropertyStep]]) {
        (self.query, self.properties) = (query, properties)
    }

    /// A property to read.
    public static func buildExpression<Member>(_ field: QueryField<Value, Member>) -> [QueryField<Value, Any>] {
        [QueryField(field.steps)]
    }

    /// All properties to read.
    public static func buildBlock(_ fields: [QueryField<Value, Any>]...) -> [QueryField<Value, Any>] {
        fields.flatMap(\.self)
    }

    /// The query for the records.
    ///
    /// - Throws: The errors of ``Query/recordQuery()``; ``RecordError`` with the code `unknownField` for a property of another
    ///   record.
    public func recordQuery() throws -> RecordQuery { try adding(to: query.recordQuery()) }

    private func adding(to query: RecordQuery) throws -> RecordQuery {
        var query = query
        query.fields = []
        for steps in properties {
            let property = try PropertyPath(steps, of: self.query.type, self.query.store.coding)
            try property.checkIsOwn()
            query.fields?.formUnion(property.field.forms)
        }
        return query
    }

    /// Finds a page of records.
    ///
    /// - Returns: The records in the order of the query, and the cursor of the next page.
    /// - Throws: The errors of ``RecordDatabase/page(_:)`` and ``recordQuery()``.
    public func page() async throws -> (records: [PartialRecord<Value>], next: QueryCursor?) {
        let (sought, type, coding) = (try await adding(to: query.checkedRecordQuery()), query.type, query.store.coding)
        let page = try await query.store.calls.page(sought)
        return (page.records.map { PartialRecord($0, sought.fields ?? [], type, coding) }, page.next)
    }

    /// Finds all records, or those of one page if the query has a limit.
    ///
    /// - Returns: The records in the order of the query.
    /// - Throws: The errors of ``page()``.
    public func all() async throws -> [PartialRecord<Value>] { try await page().records }
}

extension Query {
    /// Reads some properties of the values alone, so that large ones stay where they are.
    ///
    /// ```swift
    /// let photos = store.query(Photo.self).sorted { $0.date }.limit(50).fields { $0.name; $0.date }
    /// for photo in try await photos.page().records { print(try photo.name) }
    /// ```
    ///
    /// The filter and the order may be about other properties. A property within another property reads the fields of both. A
    /// property with a nested value of another record is read as a link:
    /// `$0.field("author", as: RecordLink<Author>.self)`.
    ///
    /// - Parameter fields: One property a line.
    public func fields(
        @PartialQuery<Value> _ fields: (QueryField<Value, Value>) -> [QueryField<Value, Any>]
    ) -> PartialQuery<Value> {
        PartialQuery(self, fields(QueryField([])).map(\.steps))
    }
}

extension PropertyPath {
    func checkIsOwn() throws {
        if references.isEmpty { return }
        throw RecordError(.unknownField, reason: "'\(field.path)' is of another record, which is not read")
    }
}

extension PartialQuery: ChildlessReflectable {}
