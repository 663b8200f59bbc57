#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// The limit and the cursor of a query have no effect on its summaries.

extension Query {
    /// The sum of a property.
    ///
    /// ```swift
    /// let pages = try await store.query(Book.self).filter { $0.year > 1990 }.sum { $0.pages }
    /// ```
    ///
    /// The sum is exact, and independent of the order: numbers are added as the decimal numbers that JSON writes, and the
    /// sum is rounded once if the type is a binary floating-point number.
    ///
    /// - Parameters:
    ///   - isolation: The caller's isolation; the closure is called there.
    ///   - field: The property, or a declared field; it must not be a property of another record.
    /// - Returns: The sum; 0 if there are no values.
    /// - Throws: ``RecordError`` with the code `invalidSummary` if the sum does not fit the type, and the errors of
    ///   ``RecordDatabase/summaries(of:field:groupedBy:)`` and ``recordQuery()``.
    public func sum<Number: Numeric & Decodable>(
        isolation: isolated (any Actor)? = #isolation,
        of field: (QueryField<Value, Value>) -> QueryField<Value, Number>
    ) async throws -> Number {
        try await sum(field(QueryField([])).steps)
    }

    /// The sum of an optional property: see `sum(of:)`.
    public func sum<Number: Numeric & Decodable>(
        isolation: isolated (any Actor)? = #isolation,
        of field: (QueryField<Value, Value>) -> QueryField<Value, Number?>
    ) async throws -> Number {
        try await sum(field(QueryField([])).steps)
    }

    /// The mean of a property, as a floating-point number.
    ///
    /// - Parameters:
    ///   - isolation: The caller's isolation; the closure is called there.
    ///   - field: The property, or a declared field; it must not be a property of another record.
    /// - Returns: The exact sum, rounded and divided by the number of values; nil if there are none.
    /// - Throws: The errors of ``RecordDatabase/summaries(of:field:groupedBy:)`` and ``recordQuery()``.
    public func average<Number: Numeric & Decodable>(
        isolation: isolated (any Actor)? = #isolation,
        of field: (QueryField<Value, Value>) -> QueryField<Value, Number>
    ) async throws -> Double? {
        try await summary(field(QueryField([])).steps)?.average
    }

    /// The mean of an optional property: see `average(of:)`.
    public func average<Number: Numeric & Decodable>(
        isolation: isolated (any Actor)? = #isolation,
        of field: (QueryField<Value, Value>) -> QueryField<Value, Number?>
    ) async throws -> Double? {
        try await summary(field(QueryField([])).steps)?.average
    }

    /// The least value of a property, in the order of ``SortKey``.
    ///
    /// - Parameters:
    ///   - isolation: The caller's isolation; the closure is called there.
    ///   - field: The property, or a declared field; it must not be a property of another record.
    /// - Returns: The value; nil if no value has the property.
    /// - Throws: The errors of decoding, of ``RecordDatabase/page(_:)``, of ``RecordDatabase/summaries(of:field:groupedBy:)`` and of ``recordQuery()``.
    public func min<Member: Comparable & Decodable>(
        isolation: isolated (any Actor)? = #isolation,
        of field: (QueryField<Value, Value>) -> QueryField<Value, Member>
    ) async throws -> Member? {
        try await extremum(field(QueryField([])).steps, isDescending: false)
    }

    /// The least value of an optional property: see `min(of:)`.
    public func min<Member: Comparable & Decodable>(
        isolation: isolated (any Actor)? = #isolation,
        of field: (QueryField<Value, Value>) -> QueryField<Value, Member?>
    ) async throws -> Member? {
        try await extremum(field(QueryField([])).steps, isDescending: false)
    }

    /// The greatest value of a property: see `min(of:)`.
    public func max<Member: Comparable & Decodable>(
        isolation: isolated (any Actor)? = #isolation,
        of field: (QueryField<Value, Value>) -> QueryField<Value, Member>
    ) async throws -> Member? {
        try await extremum(field(QueryField([])).steps, isDescending: true)
    }

    /// The greatest value of an optional property: see `min(of:)`.
    public func max<Member: Comparable & Decodable>(
        isolation: isolated (any Actor)? = #isolation,
        of field: (QueryField<Value, Value>) -> QueryField<Value, Member?>
    ) async throws -> Member? {
        try await extremum(field(QueryField([])).steps, isDescending: true)
    }

    /// The values in groups that have the same value of a property.
    ///
    /// ```swift
    /// for (owner, count) in try await store.query(Task.self).grouped(by: { $0.owner }).count() { … }
    /// ```
    ///
    /// Values that are equal in an order are one group: a `Decimal` of more than 17 digits is in that of the nearest number
    /// with fewer.
    ///
    /// - Parameter field: The property, or a declared field; it must not be a property of another record. A property with
    ///   a nested value of another record is grouped by as a link: `$0.field("author", as: RecordLink<Author>.self)`.
    public func grouped<Key: Decodable>(
        by field: (QueryField<Value, Value>) -> QueryField<Value, Key>
    ) -> GroupedQuery<Value, Key> {
        GroupedQuery(query: self, group: field(QueryField([])).steps) { RecordGrouping($0) }
    }

    /// The values in groups whose dates are in the same part of the calendar: see ``RecordGrouping``.
    ///
    /// ```swift
    /// let tasks = store.query(Task.self)
    /// for (month, count) in try await tasks.grouped(by: .month, in: .current, of: { $0.due }).count() { … }
    /// ```
    ///
    /// The key of a group is the date at which the part begins.
    ///
    /// - Parameters:
    ///   - part: The part of the calendar.
    ///   - zone: The time zone of the part.
    ///   - field: The property, or a declared field; it must not be a property of another record.
    public func grouped(
        by part: RecordGrouping.DatePart, in zone: TimeZone,
        of field: (QueryField<Value, Value>) -> QueryField<Value, Date>
    ) -> GroupedQuery<Value, Date> {
        GroupedQuery(query: self, group: field(QueryField([])).steps) { RecordGrouping($0, part, in: zone) }
    }

    /// The values in groups whose optional dates are in the same part of the calendar: see `grouped(by:in:of:)`.
    public func grouped(
        by part: RecordGrouping.DatePart, in zone: TimeZone,
        of field: (QueryField<Value, Value>) -> QueryField<Value, Date?>
    ) -> GroupedQuery<Value, Date?> {
        GroupedQuery(query: self, group: field(QueryField([])).steps) { RecordGrouping($0, part, in: zone) }
    }

    private func sum<Number: Numeric & Decodable>(_ steps: [PropertyStep]) async throws -> Number {
        guard let summary = try await summary(steps) else { return .zero }
        return try store.coding.sum(of: summary)
    }

    private func summary(_ steps: [PropertyStep]) async throws -> RecordSummary? {
        try await summaries(of: steps, groupedBy: nil).first
    }

    fileprivate func summaries(
        of field: [PropertyStep]?, groupedBy group: [PropertyStep]?,
        _ grouping: (FieldPath) -> RecordGrouping = { RecordGrouping($0) }
    ) async throws -> [RecordSummary] {
        let query = try RecordQuery(recordQuery().recordType, where: recordQuery().filter)
        let (field, group) = (try field.map(ownField), try group.map(ownField))
        for field in [field, group].compactMap(\.self) { try await checkIsPresent(field, in: query) }
        return try await store.calls.summaries(
            of: query, field: field?.path, groupedBy: group.map { grouping($0.path) })
    }

    /// The first value in an order, which an index may find.
    private func extremum<Member: Comparable & Decodable>(
        _ steps: [PropertyStep], isDescending: Bool
    ) async throws -> Member? {
        let field = try ownField(steps)
        var query = try recordQuery()
        try await checkIsPresent(field, in: query)
        let hasValue = RecordFilter.exists(field.path) && !.isNull(field.path)
        query.filter = query.filter.map { $0 && hasValue } ?? hasValue
        (query.order, query.limit, query.after) = ([RecordOrder(field.path, isDescending: isDescending)], 1, nil)
        let record = try await store.calls.page(query).records.first
        guard let value = record.flatMap(field.path.value(in:)) else { return nil }
        try value.checkIsScalar(at: field.path)
        guard value.mayShareKey, !Member.isExactlyOrdered else { return try store.coding.decode(value) }
        // Numbers of other types may differ although they have the same place in an order.
        query.filter = query.filter.map {
            $0 && .compare(field.path, .atLeast, value) && .compare(field.path, .atMost, value)
        }
        let summaries = try await store.calls.summaries(
            of: RecordQuery(query.recordType, where: query.filter), field: field.path, groupedBy: nil)
        return try (isDescending ? summaries.first?.max : summaries.first?.min).map(store.coding.decode)
    }
}

extension Record.Value {
    fileprivate var mayShareKey: Bool {
        switch self {
        case .int, .double, .map: true
        default: false
        }
    }
}

extension Decodable {
    /// Whether the values of the type are numbers that all have different sort keys.
    fileprivate static var isExactlyOrdered: Bool {
        if let type = self as? any FixedWidthInteger.Type { return type.bitWidth <= 64 }
        return self is any BinaryFloatingPoint.Type
    }
}

/// The values of a query in groups: see ``Query/grouped(by:)`` and `Query.grouped(by:in:of:)`.
///
/// Each function gives the groups with their values, in the order of ``SortKey``. Values without the property are the
/// first group; its key is nil, and an error if the property is not optional.
public struct GroupedQuery<Value: RecordDecodable, Key: Decodable>: Sendable {
    fileprivate let query: Query<Value>
    fileprivate let group: [PropertyStep]
    fileprivate let grouping: @Sendable (FieldPath) -> RecordGrouping

    /// The number of values of each group.
    ///
    /// An index that has the filter and, at its end, the property of the groups counts them without reading the values.
    ///
    /// - Throws: The errors of ``RecordDatabase/summaries(of:field:groupedBy:)`` and ``Query/recordQuery()``, and errors of
    ///   decoding a key.
    public func count() async throws -> [(key: Key, value: Int)] { try await values(of: nil, \.count) }

    /// The sum of a property for each group: see `Query.sum(of:)`.
    public func sum<Number: Numeric & Decodable>(
        isolation: isolated (any Actor)? = #isolation,
        of field: (QueryField<Value, Value>) -> QueryField<Value, Number>
    ) async throws -> [(key: Key, value: Number)] {
        try await values(of: field(QueryField([])).steps, query.store.coding.sum)
    }

    /// The sum of an optional property for each group: see `Query.sum(of:)`.
    public func sum<Number: Numeric & Decodable>(
        isolation: isolated (any Actor)? = #isolation,
        of field: (QueryField<Value, Value>) -> QueryField<Value, Number?>
    ) async throws -> [(key: Key, value: Number)] {
        try await values(of: field(QueryField([])).steps, query.store.coding.sum)
    }

    /// The mean of a property for each group: see `Query.average(of:)`.
    public func average<Number: Numeric & Decodable>(
        isolation: isolated (any Actor)? = #isolation,
        of field: (QueryField<Value, Value>) -> QueryField<Value, Number>
    ) async throws -> [(key: Key, value: Double?)] {
        try await values(of: field(QueryField([])).steps, \.average)
    }

    /// The mean of an optional property for each group: see `Query.average(of:)`.
    public func average<Number: Numeric & Decodable>(
        isolation: isolated (any Actor)? = #isolation,
        of field: (QueryField<Value, Value>) -> QueryField<Value, Number?>
    ) async throws -> [(key: Key, value: Double?)] {
        try await values(of: field(QueryField([])).steps, \.average)
    }

    /// The least value of a property for each group: see `Query.min(of:)`.
    public func min<Member: Comparable & Decodable>(
        isolation: isolated (any Actor)? = #isolation,
        of field: (QueryField<Value, Value>) -> QueryField<Value, Member>
    ) async throws -> [(key: Key, value: Member?)] {
        try await values(of: field(QueryField([])).steps) { try $0.min.map(query.store.coding.decode) }
    }

    /// The least value of an optional property for each group: see `Query.min(of:)`.
    public func min<Member: Comparable & Decodable>(
        isolation: isolated (any Actor)? = #isolation,
        of field: (QueryField<Value, Value>) -> QueryField<Value, Member?>
    ) async throws -> [(key: Key, value: Member?)] {
        try await values(of: field(QueryField([])).steps) { try $0.min.map(query.store.coding.decode) }
    }

    /// The greatest value of a property for each group: see `Query.min(of:)`.
    public func max<Member: Comparable & Decodable>(
        isolation: isolated (any Actor)? = #isolation,
        of field: (QueryField<Value, Value>) -> QueryField<Value, Member>
    ) async throws -> [(key: Key, value: Member?)] {
        try await values(of: field(QueryField([])).steps) { try $0.max.map(query.store.coding.decode) }
    }

    /// The greatest value of an optional property for each group: see `Query.min(of:)`.
    public func max<Member: Comparable & Decodable>(
        isolation: isolated (any Actor)? = #isolation,
        of field: (QueryField<Value, Value>) -> QueryField<Value, Member?>
    ) async throws -> [(key: Key, value: Member?)] {
        try await values(of: field(QueryField([])).steps) { try $0.max.map(query.store.coding.decode) }
    }

    private func values<Result>(
        of field: [PropertyStep]?, _ value: (RecordSummary) throws -> Result
    ) async throws -> [(key: Key, value: Result)] {
        try await query.summaries(of: field, groupedBy: group, grouping).map { summary in
            (key: try query.store.coding.decode(summary.group), value: try value(summary))
        }
    }
}

extension GroupedQuery: ChildlessReflectable {}

extension RecordCoding {
    fileprivate func sum<Number: Numeric & Decodable>(of summary: RecordSummary) throws -> Number {
        // A sum with more digits than a binary number holds is rounded.
        if Number.self is any BinaryFloatingPoint.Type { return try decode(.double(summary.double)) }
        do { return try decode(summary.sum) } catch is DecodingError {
            let digits = summary.sum.numberDigits ?? "\(summary.sum)"
            throw RecordError(.invalidSummary, reason: "the sum \(digits) does not fit \(Number.self)")
        }
    }

    /// Decodes the value of a field; nil for null and for a missing one.
    func decode<Value: Decodable>(_ value: Record.Value?) throws -> Value {
        var record = try Record(id: Record.ID(type: FieldHolder<Value>.recordType, name: "value"))
        record[keyStrategy.fieldName(for: "value")] = value ?? .null
        return try RecordDecoder(self).decode(FieldHolder<Value>.self, from: RecordGraph([record])).value
    }
}

private struct FieldHolder<Value: Decodable>: RecordDecodable {
    let value: Value

    static var recordType: String { "Summary" }
}
