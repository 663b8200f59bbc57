/// A condition for values of a Swift type, or several of which all must hold.
///
/// `Query.filter` makes it from conditions, one a line. A filter that several queries use is made once:
///
/// ```swift
/// let recent = QueryFilter<Book> {
///     $0.year > 1990
///     $0.author.name == "Ada" || $0.isClassic
/// }
/// let books = store.query(Book.self).filter(recent)
/// ```
///
/// A property that is nil is equal only to nil, and neither less nor greater than anything.
@resultBuilder
public struct QueryFilter<Model: RecordDecodable>: Sendable {
    private enum Part: Sendable {
        case condition(@Sendable (RecordCoding) throws -> RecordFilter)
        case all(Int)
        case any(Int)
        case not
    }

    /// The parts in postfix order: nested filters could overflow the stack.
    private var parts: [Part]

    /// For a single equality of a stored property: gives a value without the property that of the filter.
    fileprivate(set) var filling: (@Sendable (inout Model) throws -> Void)?

    /// Makes a filter of conditions, all of which must hold.
    ///
    /// - Parameter conditions: One condition a line, made from the field that the closure gets.
    public init(@QueryFilter<Model> _ conditions: (QueryField<Model, Model>) -> QueryFilter) {
        self = conditions(QueryField([]))
    }

    fileprivate init(making condition: @escaping @Sendable (RecordCoding) throws -> RecordFilter) {
        parts = [.condition(condition)]
    }

    /// The filter of the records.
    ///
    /// - Parameter coding: The strategies that name the fields.
    func make(_ coding: RecordCoding) throws -> RecordFilter {
        var filters = FilterStack()
        for part in parts {
            switch part {
            case .condition(let make): filters.push(try make(coding))
            case .all(let count): filters.combineAll(count)
            case .any(let count): filters.combineAny(count)
            case .not: filters.negate()
            }
        }
        return filters.pop()
    }

    static func all(_ filters: [QueryFilter]) -> QueryFilter {
        guard filters.count != 1 else { return filters[0] }
        var all = filters.first ?? QueryFilter(making: { _ in .all([]) })
        guard filters.count > 1 else { return all }
        for filter in filters.dropFirst() { all.parts += filter.parts }
        all.filling = nil
        all.parts.append(.all(filters.count))
        return all
    }
}

extension QueryFilter: CustomStringConvertible {
    /// The filter of the records, with the default options.
    public var description: String {
        do { return try make(RecordCoding()).description } catch { return "\(error)" }
    }
}

// MARK: The lines of a closure: all conditions must hold

extension QueryFilter {
    /// A condition.
    public static func buildExpression(_ condition: some QueryCondition<Model>) -> QueryFilter<Model> {
        condition.queryFilter()
    }

    /// A filter of records, with the names of fields.
    public static func buildExpression(_ filter: RecordFilter) -> QueryFilter<Model> {
        QueryFilter(making: { _ in filter })
    }

    /// All conditions hold.
    public static func buildBlock(_ filters: QueryFilter<Model>...) -> QueryFilter<Model> { .all(filters) }

    /// The conditions of an `if` without `else` hold, or there are none.
    public static func buildOptional(_ filter: QueryFilter<Model>?) -> QueryFilter<Model> { filter ?? .all([]) }

    /// The conditions after `if` hold.
    public static func buildEither(first filter: QueryFilter<Model>) -> QueryFilter<Model> { filter }

    /// The conditions after `else` hold.
    public static func buildEither(second filter: QueryFilter<Model>) -> QueryFilter<Model> { filter }

    /// The conditions of all turns of a loop hold.
    public static func buildArray(_ filters: [QueryFilter<Model>]) -> QueryFilter<Model> { .all(filters) }
}

/// What a filter can be made of: a ``QueryFilter``, or a Boolean ``QueryField``, which must be true.
public protocol QueryCondition<Model>: Sendable {
    /// The type of the values.
    associatedtype Model: RecordDecodable

    /// The condition as a filter.
    func queryFilter() -> QueryFilter<Model>
}

extension QueryFilter: QueryCondition {
    /// The filter itself.
    public func queryFilter() -> QueryFilter { self }
}

extension QueryField: QueryCondition where Value == Bool {
    /// The field is true.
    public func queryFilter() -> QueryFilter<Model> { self == true }
}

extension QueryCondition {
    /// Both conditions hold.
    public static func && (left: Self, right: some QueryCondition<Model>) -> QueryFilter<Model> {
        .all([left.queryFilter(), right.queryFilter()])
    }

    /// At least one of both conditions holds.
    public static func || (left: Self, right: some QueryCondition<Model>) -> QueryFilter<Model> {
        left.queryFilter().or(right.queryFilter())
    }

    /// The condition does not hold.
    public static prefix func ! (condition: Self) -> QueryFilter<Model> { condition.queryFilter().negated() }
}

extension QueryFilter {
    fileprivate consuming func or(_ other: QueryFilter) -> QueryFilter {
        parts += other.parts
        parts.append(.any(2))
        filling = nil
        return self
    }

    fileprivate consuming func negated() -> QueryFilter {
        parts.append(.not)
        filling = nil
        return self
    }
}

// MARK: Conditions

extension QueryField {
    fileprivate func filter(_ condition: @escaping @Sendable (FieldPath) -> RecordFilter) -> QueryFilter<Model> {
        let steps = steps
        return QueryFilter(making: { try PropertyPath(steps, of: Model.self, $0).filter(condition) })
    }

    fileprivate func filter<Compared: Encodable & Sendable>(
        _ values: [Compared], isOrdered: Bool = false,
        _ condition: @escaping @Sendable (FieldPath, [Record.Value]) -> RecordFilter
    ) -> QueryFilter<Model> {
        let steps = steps
        return QueryFilter(making: { coding in
            let property = try PropertyPath(steps, of: Model.self, coding)
            if isOrdered { try property.checkIsOrdered() }
            let values = try values.map { try coding.queryValue(of: $0, in: property) }
            return try property.filter { condition($0, values) }
        })
    }

    private func filter(
        string: String, _ condition: @escaping @Sendable (FieldPath, String) -> RecordFilter
    ) -> QueryFilter<Model> {
        let steps = steps
        return QueryFilter(making: { coding in
            let property = try PropertyPath(steps, of: Model.self, coding)
            let string = property.normalize?(string) ?? string
            return try property.filter { condition($0, string) }
        })
    }

    /// The string begins with a prefix.
    ///
    /// An index finds the strings, unless differences are ignored.
    ///
    /// - Parameters:
    ///   - prefix: The prefix.
    ///   - ignored: The differences that do not count; none to compare byte by byte.
    public func hasPrefix(
        _ prefix: String, ignoring ignored: RecordFilter.TextDifferences = []
    ) -> QueryFilter<Model> {
        filter(string: prefix) { .hasPrefix($0, $1, ignoring: ignored) }
    }

    /// The string contains another string.
    ///
    /// Two normalization forms of a string contain each other only if accents are ignored.
    ///
    /// - Parameters:
    ///   - text: The other string.
    ///   - ignored: The differences that do not count; none to compare byte by byte.
    public func containsText(
        _ text: String, ignoring ignored: RecordFilter.TextDifferences = []
    ) -> QueryFilter<Model> {
        filter(string: text) { .containsText($0, $1, ignoring: ignored) }
    }

    /// The location is in a box between two corners, or on its edge.
    public func isWithin(southWest: Location, northEast: Location) -> QueryFilter<Model> {
        filter { .within($0, southWest: southWest, northEast: northEast) }
    }

    /// The location is at most this many metres away from another location.
    public func isNear(_ location: Location, metres: Double) -> QueryFilter<Model> {
        filter { .near($0, location, metres: metres) }
    }

    /// The list, set or optional list has an element that is equal to a value.
    ///
    /// The query fails if the property is not a list: ``containsText(_:ignoring:)`` finds a part of a string.
    public func contains<Element: Encodable & Sendable>(_ element: Element) -> QueryFilter<Model> {
        guard case .of? = FieldKind(of: Value.self) else { return filter([element]) { .contains($0, $1[0]) } }
        let hint = FieldKind(of: Value.self) == .of(.string) ? "; 'containsText' finds a part of a string" : ""
        return QueryFilter(making: { _ in
            throw RecordError(.unknownField, reason: "a property of the type \(Value.self) has no elements\(hint)")
        })
    }
}

extension QueryField where Value: Encodable & Sendable {
    /// The value is one of these; nil is equal to a missing field.
    public func isAny(of values: [Value]) -> QueryFilter<Model> {
        filter(values) { path, values in
            // A missing field is nil.
            values.contains(.null) ? .isAny(path, of: values) || !.exists(path) : .isAny(path, of: values)
        }
    }

    private func compare(_ comparison: RecordFilter.Comparison, _ value: Value) -> QueryFilter<Model> {
        var filter = filter([value], isOrdered: ![.equal, .notEqual].contains(comparison)) { path, values in
            switch (comparison, values[0]) {
            case (.equal, .null): .isNull(path) || !.exists(path)
            case (.notEqual, .null): .exists(path) && !.isNull(path)
            default: .compare(path, comparison, values[0])
            }
        }
        if comparison == .equal { filter.filling = filling(with: value) }
        return filter
    }

    private func filling(with value: Value) -> (@Sendable (inout Model) throws -> Void)? {
        guard steps.count == 1, case .property(let keyPath) = steps[0],
            let property = keyPath as? WritableKeyPath<Model, Value>
        else { return nil }
        // A key path never changes, and this one was made as Sendable.
        let handover = Handover(property)
        return { model in
            let writable = handover.take()
            let present = try RecordCoding().fieldValue(of: model[keyPath: writable])
            if present == .null || present == "" { model[keyPath: writable] = value }
        }
    }

    /// The field is equal to a value; nil is equal to a missing field.
    public static func == (field: QueryField, value: Value) -> QueryFilter<Model> { field.compare(.equal, value) }

    /// The field is not equal to a value.
    public static func != (field: QueryField, value: Value) -> QueryFilter<Model> { field.compare(.notEqual, value) }

    /// The field is less than a value.
    public static func < (field: QueryField, value: Value) -> QueryFilter<Model> { field.compare(.less, value) }

    /// The field is less than or equal to a value.
    public static func <= (field: QueryField, value: Value) -> QueryFilter<Model> { field.compare(.atMost, value) }

    /// The field is greater than a value.
    public static func > (field: QueryField, value: Value) -> QueryFilter<Model> { field.compare(.greater, value) }

    /// The field is greater than or equal to a value.
    public static func >= (field: QueryField, value: Value) -> QueryFilter<Model> { field.compare(.atLeast, value) }
}
