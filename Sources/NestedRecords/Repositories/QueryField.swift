/// A field of the records of a Swift type, with the type of its values: for queries where a key path does not suffice.
///
/// Key paths lead to the fields of stored properties that have keys of the same names. For other properties (with
/// wrappers, with other coding keys, or coded by hand) the model declares the field:
///
/// ```swift
/// extension Note {
///     static let changed = QueryField<Note, Date?>("changed")
/// }
/// let recent = Query<Note>().filter(Note.changed > yesterday)
/// ```
public struct QueryField<Model: RecordDecodable, Value>: Sendable {
    let find: @Sendable (RecordCoding) throws -> PropertyPath

    /// Declares a field.
    ///
    /// - Parameter path: The field as it is stored: no strategy changes its name.
    public init(_ path: FieldPath) { find = { PropertyPath(path, of: Model.self, $0) } }

    /// The field of a property.
    init(_ keyPath: any KeyPath<Model, Value> & Sendable) { find = { try PropertyPath(keyPath, $0) } }
}

extension QueryField: CustomStringConvertible {
    /// The name of the type.
    public var description: String { "QueryField<\(Model.self), \(Value.self)>" }
}

/// A condition for values of a Swift type.
///
/// ```swift
/// let filter: QueryFilter<School> = \.name == "Hilltop" && !.contains(\.tags, "closed")
/// ```
///
/// Key paths may lead through embedded values, optionals and references to other records: `\.director.name == "Ada"`.
/// A property that is nil is equal only to nil, and neither less nor greater than anything.
public struct QueryFilter<Model: RecordDecodable>: Sendable {
    /// A part of a filter: a condition, or an operator for the parts before it.
    private enum Part: Sendable {
        case condition(@Sendable (RecordCoding) throws -> RecordFilter)
        case all(Int)
        case any(Int)
        case not
    }

    /// The parts in postfix order: nested filters could overflow the stack.
    private var parts: [Part]

    /// Makes a filter from a filter of records.
    ///
    /// - Parameter filter: The filter, with the names of fields.
    public init(_ filter: RecordFilter) { self.init { _ in filter } }

    private init(_ condition: @escaping @Sendable (RecordCoding) throws -> RecordFilter) {
        parts = [.condition(condition)]
    }

    private init(_ operands: [QueryFilter], _ part: Part) {
        parts = operands.flatMap(\.parts)
        parts.append(part)
    }

    /// The filter of the records.
    ///
    /// - Parameter coding: The strategies that name the fields.
    func make(_ coding: RecordCoding) throws -> RecordFilter {
        var terms: [RecordFilter.Term] = []
        for part in parts {
            switch part {
            case .condition(let make): terms += try make(coding).terms
            case .all(let count): terms.append(.all(count))
            case .any(let count): terms.append(.any(count))
            case .not: terms.append(.not)
            }
        }
        return RecordFilter(terms: terms)
    }

    fileprivate init<Value>(
        _ field: QueryField<Model, Value>, _ condition: @escaping @Sendable (FieldPath) -> RecordFilter
    ) {
        self.init { try field.find($0).filter(condition) }
    }

    fileprivate init<Value, Compared: Encodable & Sendable>(
        _ field: QueryField<Model, Value>, _ values: [Compared],
        _ condition: @escaping @Sendable (FieldPath, [Record.Value]) -> RecordFilter
    ) {
        self.init { coding in
            let property = try field.find(coding)
            let values = try values.map { try coding.queryValue(of: $0, in: property) }
            return try property.filter { condition($0, values) }
        }
    }

    static func compare<Value: Encodable & Sendable>(
        _ field: QueryField<Model, Value>, _ comparison: RecordFilter.Comparison, _ value: Value
    ) -> QueryFilter {
        QueryFilter(field, [value]) { path, values in
            switch (comparison, values[0]) {
            case (.equal, .null): .isNull(path) || !.exists(path)
            case (.notEqual, .null): .exists(path) && !.isNull(path)
            default: .compare(path, comparison, values[0])
            }
        }
    }
}

extension QueryFilter: CustomStringConvertible {
    /// The filter of the records, with the default options.
    public var description: String {
        do { return try make(RecordCoding()).description } catch { return "\(error)" }
    }
}

// MARK: Combinations

extension QueryFilter {
    /// All of these filters hold; true for an empty list.
    public static func all(_ filters: [QueryFilter]) -> QueryFilter { QueryFilter(filters, .all(filters.count)) }

    /// At least one of these filters holds; false for an empty list.
    public static func any(_ filters: [QueryFilter]) -> QueryFilter { QueryFilter(filters, .any(filters.count)) }

    /// Both filters hold.
    public static func && (left: consuming QueryFilter, right: QueryFilter) -> QueryFilter {
        left.parts += right.parts
        left.parts.append(.all(2))
        return left
    }

    /// At least one of both filters holds.
    public static func || (left: consuming QueryFilter, right: QueryFilter) -> QueryFilter {
        left.parts += right.parts
        left.parts.append(.any(2))
        return left
    }

    /// The filter does not hold.
    public static prefix func ! (filter: consuming QueryFilter) -> QueryFilter {
        filter.parts.append(.not)
        return filter
    }
}

// MARK: Values

extension RecordCoding {
    /// The field value of a property's value; a reference for a record.
    func fieldValue(of value: some Encodable) throws -> Record.Value {
        if let record = value as? any RecordEncodable {
            return .reference(Record.Reference(to: try Record.ID(of: record)))
        }
        return try encode(fieldValue: value)
    }

    /// The field value as an encoder stores it.
    ///
    /// - Throws: `AdjustmentError` if the property cannot have such a value.
    func storedValue(of value: some Encodable, in property: PropertyPath) throws -> Record.Value {
        try fieldValue(of: value).adjusted(
            locations: property.isLocation ? locationStrategy : nil, isCascading: property.isCascading)
    }

    /// The field value to compare stored values with.
    ///
    /// No stored value is equal to one that the property cannot have.
    func queryValue(of value: some Encodable, in property: PropertyPath) throws -> Record.Value {
        do {
            return try storedValue(of: value, in: property)
        } catch is AdjustmentError {
            return try fieldValue(of: value)
        }
    }
}

// MARK: Conditions

extension QueryFilter {
    /// The value is one of these; nil is equal to a missing field.
    public static func isAny<Value: Encodable & Sendable>(_ field: QueryField<Model, Value>, of values: [Value])
        -> QueryFilter
    {
        QueryFilter(field, values) { path, values in
            // A missing field is nil.
            values.contains(.null) ? .isAny(path, of: values) || !.exists(path) : .isAny(path, of: values)
        }
    }

    /// The value is one of these; nil is equal to a missing field.
    public static func isAny<Value: Encodable & Sendable>(
        _ property: any KeyPath<Model, Value> & Sendable, of values: [Value]
    ) -> QueryFilter {
        isAny(QueryField(property), of: values)
    }

    /// The string begins with a prefix, byte by byte.
    public static func hasPrefix<Value>(_ field: QueryField<Model, Value>, _ prefix: String) -> QueryFilter {
        QueryFilter(field) { .hasPrefix($0, prefix) }
    }

    /// The string begins with a prefix, byte by byte.
    public static func hasPrefix<Value>(_ property: any KeyPath<Model, Value> & Sendable, _ prefix: String)
        -> QueryFilter
    {
        hasPrefix(QueryField(property), prefix)
    }

    /// The string contains a text.
    public static func containsText<Value>(_ field: QueryField<Model, Value>, _ text: String, ignoresCase: Bool = false)
        -> QueryFilter
    {
        QueryFilter(field) { .containsText($0, text, ignoresCase: ignoresCase) }
    }

    /// The string contains a text.
    public static func containsText<Value>(
        _ property: any KeyPath<Model, Value> & Sendable, _ text: String, ignoresCase: Bool = false
    ) -> QueryFilter {
        containsText(QueryField(property), text, ignoresCase: ignoresCase)
    }

    /// The list, set or optional list has an element that is equal to a value.
    public static func contains<Value, Element: Encodable & Sendable>(
        _ field: QueryField<Model, Value>, _ element: Element
    ) -> QueryFilter {
        QueryFilter(field, [element]) { .contains($0, $1[0]) }
    }

    /// The list, set or optional list has an element that is equal to a value.
    public static func contains<Value, Element: Encodable & Sendable>(
        _ property: any KeyPath<Model, Value> & Sendable, _ element: Element
    ) -> QueryFilter {
        contains(QueryField(property), element)
    }

    /// The location is in a box.
    public static func within<Value>(_ field: QueryField<Model, Value>, _ box: LocationBox) -> QueryFilter {
        QueryFilter(field) { .within($0, box) }
    }

    /// The location is in a box.
    public static func within<Value>(_ property: any KeyPath<Model, Value> & Sendable, _ box: LocationBox)
        -> QueryFilter
    {
        within(QueryField(property), box)
    }

    /// The location is at most this many metres away from another location.
    public static func near<Value>(_ field: QueryField<Model, Value>, _ location: Location, metres: Double)
        -> QueryFilter
    {
        QueryFilter(field) { .near($0, location, metres: metres) }
    }

    /// The location is at most this many metres away from another location.
    public static func near<Value>(
        _ property: any KeyPath<Model, Value> & Sendable, _ location: Location, metres: Double
    )
        -> QueryFilter
    {
        near(QueryField(property), location, metres: metres)
    }
}

// MARK: Comparisons

/// The field is equal to a value; nil is equal to a missing field.
public func == <Model, Value: Encodable & Sendable>(
    field: QueryField<Model, Value>, value: Value
) -> QueryFilter<Model> { .compare(field, .equal, value) }

/// The property is equal to a value; nil is equal to a missing field.
public func == <Model, Value: Encodable & Sendable>(
    property: any KeyPath<Model, Value> & Sendable, value: Value
) -> QueryFilter<Model> { .compare(QueryField(property), .equal, value) }

/// The field is not equal to a value.
public func != <Model, Value: Encodable & Sendable>(
    field: QueryField<Model, Value>, value: Value
) -> QueryFilter<Model> { .compare(field, .notEqual, value) }

/// The property is not equal to a value.
public func != <Model, Value: Encodable & Sendable>(
    property: any KeyPath<Model, Value> & Sendable, value: Value
) -> QueryFilter<Model> { .compare(QueryField(property), .notEqual, value) }

/// The field is less than a value.
public func < <Model, Value: Encodable & Sendable>(
    field: QueryField<Model, Value>, value: Value
) -> QueryFilter<Model> { .compare(field, .less, value) }

/// The property is less than a value.
public func < <Model, Value: Encodable & Sendable>(
    property: any KeyPath<Model, Value> & Sendable, value: Value
) -> QueryFilter<Model> { .compare(QueryField(property), .less, value) }

/// The field is less than or equal to a value.
public func <= <Model, Value: Encodable & Sendable>(
    field: QueryField<Model, Value>, value: Value
) -> QueryFilter<Model> { .compare(field, .atMost, value) }

/// The property is less than or equal to a value.
public func <= <Model, Value: Encodable & Sendable>(
    property: any KeyPath<Model, Value> & Sendable, value: Value
) -> QueryFilter<Model> { .compare(QueryField(property), .atMost, value) }

/// The field is greater than a value.
public func > <Model, Value: Encodable & Sendable>(
    field: QueryField<Model, Value>, value: Value
) -> QueryFilter<Model> { .compare(field, .greater, value) }

/// The property is greater than a value.
public func > <Model, Value: Encodable & Sendable>(
    property: any KeyPath<Model, Value> & Sendable, value: Value
) -> QueryFilter<Model> { .compare(QueryField(property), .greater, value) }

/// The field is greater than or equal to a value.
public func >= <Model, Value: Encodable & Sendable>(
    field: QueryField<Model, Value>, value: Value
) -> QueryFilter<Model> { .compare(field, .atLeast, value) }

/// The property is greater than or equal to a value.
public func >= <Model, Value: Encodable & Sendable>(
    property: any KeyPath<Model, Value> & Sendable, value: Value
) -> QueryFilter<Model> { .compare(QueryField(property), .atLeast, value) }
