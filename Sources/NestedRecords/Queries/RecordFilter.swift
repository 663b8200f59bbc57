/// A condition on records.
///
/// ```swift
/// let filter: RecordFilter = .all([
///     .compare("age", .atLeast, 7), .not(.contains("tags", "archived")),
///     .refers("school", to: "School", where: .compare("name", .equal, "Hilltop")),
/// ])
/// ```
///
/// Values are compared in the order of ``SortKey``: integers and floating-point numbers as numbers, strings by their
/// bytes. Less and greater hold only within one kind: `age > 5` does not hold for a string. A missing or null field
/// equals only null, so ``not(_:)`` of a comparison holds for it.
///
/// A filter may be nested as deeply as memory allows. For databases with a query language it is a list of ``terms`` in
/// postfix order, which they translate one by one.
public struct RecordFilter: Sendable, Hashable {
    /// A part of a filter: a condition, or a combination of the operands before it.
    @_spi(Engines) public enum Term: Sendable, Hashable {
        /// The value compares as stated with a constant.
        case compare(FieldPath, Comparison, Record.Value)

        /// The value equals one of these constants.
        case isAny(FieldPath, of: [Record.Value])

        /// The field exists, even if it is null.
        case exists(FieldPath)

        /// The field exists and is null.
        case isNull(FieldPath)

        /// The string begins with a prefix.
        case hasPrefix(FieldPath, String, ignoring: TextDifferences)

        /// The string contains another string.
        case containsText(FieldPath, String, ignoring: TextDifferences)

        /// The list contains an element that equals a constant.
        case contains(FieldPath, Record.Value)

        /// The location is in a box between two corners, or on its edge.
        case within(FieldPath, southWest: Location, northEast: Location)

        /// The location is within a number of metres of another location.
        case near(FieldPath, Location, metres: Double)

        /// A reference, or an element of a list of references, leads to a record of this type that matches the single
        /// operand.
        case refers(FieldPath, to: String)

        /// A map in a list matches the single operand, whose paths begin in the map.
        case hasElement(FieldPath)

        /// All operands hold, of which this is the number; true if there are none.
        case all(Int)

        /// One of the operands holds, of which this is the number; false if there are none.
        case any(Int)

        /// The single operand does not hold.
        case not
    }

    /// A comparison of a field's value with a constant.
    public enum Comparison: String, Sendable, Hashable, CaseIterable {
        /// The values are equal; a missing field equals null.
        case equal = "="

        /// The values are not equal; also holds if the field has no value.
        case notEqual = "!="

        /// The value is less than the constant, and of the same kind.
        case less = "<"

        /// The value is less than the constant or equal to it, and of the same kind.
        case atMost = "<="

        /// The value is greater than the constant, and of the same kind.
        case greater = ">"

        /// The value is greater than the constant or equal to it, and of the same kind.
        case atLeast = ">="
    }

    /// The terms in postfix order: the operands of a term precede it.
    @_spi(Engines) public private(set) var terms: [Term]

    private init(_ term: Term) { terms = [term] }

    /// Makes a filter of terms in postfix order.
    init(terms: [Term]) { self.terms = terms }

    private init(_ operands: [RecordFilter], _ term: Term) {
        if let first = operands.first {
            terms = first.terms
            for operand in operands.dropFirst() { terms += operand.terms }
        } else {
            terms = []
        }
        terms.append(term)
    }
}

// MARK: Conditions

extension RecordFilter {
    /// The value compares as stated with a constant.
    public static func compare(_ path: FieldPath, _ comparison: Comparison, _ value: Record.Value) -> RecordFilter {
        RecordFilter(.compare(path, comparison, value))
    }

    /// The value equals one of these constants.
    public static func isAny(_ path: FieldPath, of values: [Record.Value]) -> RecordFilter {
        RecordFilter(.isAny(path, of: values))
    }

    /// The field exists, even if it is null.
    public static func exists(_ path: FieldPath) -> RecordFilter { RecordFilter(.exists(path)) }

    /// The field is null.
    public static func isNull(_ path: FieldPath) -> RecordFilter { RecordFilter(.isNull(path)) }

    /// The string begins with a prefix.
    ///
    /// An index finds the strings, unless differences are ignored.
    ///
    /// - Parameters:
    ///   - path: The field.
    ///   - prefix: The prefix.
    ///   - ignored: The differences that do not count; none to compare byte by byte.
    public static func hasPrefix(
        _ path: FieldPath, _ prefix: String, ignoring ignored: TextDifferences = []
    ) -> RecordFilter {
        RecordFilter(.hasPrefix(path, prefix, ignoring: ignored))
    }

    /// The string contains another string.
    ///
    /// Indexes do not help: every record is examined.
    ///
    /// - Parameters:
    ///   - path: The field.
    ///   - text: The string to look for.
    ///   - ignored: The differences that do not count; none to compare byte by byte.
    public static func containsText(
        _ path: FieldPath, _ text: String, ignoring ignored: TextDifferences = []
    ) -> RecordFilter {
        RecordFilter(.containsText(path, text, ignoring: ignored))
    }

    /// The list contains an element that equals a constant.
    public static func contains(_ path: FieldPath, _ value: Record.Value) -> RecordFilter {
        RecordFilter(.contains(path, value))
    }

    /// The location is in a box between two corners, or on its edge.
    ///
    /// A box crosses the 180th meridian if it begins at a greater longitude than it ends. A string that
    /// ``Location/init(_:)-(String)`` reads counts as its location.
    public static func within(_ path: FieldPath, southWest: Location, northEast: Location) -> RecordFilter {
        RecordFilter(.within(path, southWest: southWest, northEast: northEast))
    }

    /// The location is within a number of metres of another location: ``Location/distance(to:)``.
    ///
    /// A string that ``Location/init(_:)-(String)`` reads counts as its location.
    public static func near(_ path: FieldPath, _ location: Location, metres: Double) -> RecordFilter {
        RecordFilter(.near(path, location, metres: metres))
    }

    /// A reference, or an element of a list of references, leads to a record that matches a filter.
    ///
    /// The database first finds the matching records of the other type.
    ///
    /// - Parameters:
    ///   - path: The field with the reference.
    ///   - recordType: The type of the target.
    ///   - filter: The condition on the target.
    public static func refers(
        _ path: FieldPath, to recordType: String, where filter: RecordFilter = .all([])
    ) -> RecordFilter {
        RecordFilter([filter], .refers(path, to: recordType))
    }

    /// An element of a list is a map that matches a filter.
    ///
    /// Indexes do not help. At most 16 of these conditions may be nested.
    ///
    /// - Parameters:
    ///   - path: The field with the list.
    ///   - filter: The condition on the element. Its paths begin in the element; attributes are those of the record.
    public static func hasElement(_ path: FieldPath, where filter: RecordFilter) -> RecordFilter {
        RecordFilter([filter], .hasElement(path))
    }
}

// MARK: Combinations

extension RecordFilter {
    /// All filters hold; true if there are none.
    public static func all(_ filters: [RecordFilter]) -> RecordFilter { RecordFilter(filters, .all(filters.count)) }

    /// One of the filters holds; false if there are none.
    public static func any(_ filters: [RecordFilter]) -> RecordFilter { RecordFilter(filters, .any(filters.count)) }

    /// The filter does not hold.
    public static func not(_ filter: consuming RecordFilter) -> RecordFilter {
        filter.terms.append(.not)
        return filter
    }

    /// Both filters hold.
    public static func && (left: consuming RecordFilter, right: RecordFilter) -> RecordFilter {
        left.terms += right.terms
        left.terms.append(.all(2))
        return left
    }

    /// One of the two filters holds.
    public static func || (left: consuming RecordFilter, right: RecordFilter) -> RecordFilter {
        left.terms += right.terms
        left.terms.append(.any(2))
        return left
    }

    /// The filter does not hold.
    public static prefix func ! (filter: consuming RecordFilter) -> RecordFilter { .not(filter) }
}

extension RecordFilter {
    /// Makes a filter of terms in postfix order; nil if a term lacks its operands, or if terms are left over.
    package init?(postfix terms: [Term]) {
        var count = 0
        for term in terms {
            guard (0...count).contains(term.operandCount) else { return nil }
            count += 1 - term.operandCount
        }
        if count != 1 { return nil }
        self.init(terms: terms)
    }

    /// The filter that this one negates; nil if it is not a negation.
    package var negatedFilter: RecordFilter? {
        guard case .not? = terms.last else { return nil }
        return RecordFilter(terms: Array(terms.dropLast()))
    }

    /// Whether it has a condition on a record, besides combinations of no conditions.
    var hasCondition: Bool {
        terms.contains { term in
            switch term {
            case .all, .any, .not: false
            default: true
            }
        }
    }

    /// The filter whose references lead to records that satisfy another filter too.
    ///
    /// - Parameter condition: Returns the other filter for a type of targets; nil for none.
    func restrictingTargets(_ condition: (_ type: String) throws -> RecordFilter?) rethrows -> RecordFilter {
        var restricted: [Term] = []
        for term in terms {
            if case .refers(_, let type) = term, let condition = try condition(type) {
                restricted += condition.terms + [.all(2)]
            }
            restricted.append(term)
        }
        return RecordFilter(terms: restricted)
    }

    /// The maximum number of terms that a database accepts.
    ///
    /// Each term may be tested on each record: a filter of the maximum takes 13 s for 100,000 records. A list of
    /// constants is one term, however long it is.
    static let mostTerms = 1_000

    /// The maximum number of terms that follow references: each examines all records of a type.
    static let mostReferences = 16

    /// The types of the records that terms follow references to.
    var referredTypes: Set<String> {
        terms.reduce(into: []) { if case .refers(_, let type) = $1 { $0.insert(type) } }
    }

    /// The maximum number of conditions on elements within each other, since evaluation uses recursion for them.
    static let mostNestedElements = 16

    package func checkSize() throws {
        guard terms.count <= Self.mostTerms else {
            throw RecordError(
                .filterTooLarge,
                reason: "it has \(terms.count) terms, at most \(Self.mostTerms) are allowed; a list counts as one")
        }
        let count = terms.count { if case .refers = $0 { true } else { false } }
        guard count <= Self.mostReferences else {
            throw RecordError(
                .filterTooLarge, reason: "it follows \(count) references, at most \(Self.mostReferences) are allowed")
        }
    }
}

extension RecordFilter.Term {
    /// Whether the operand is about another record, or an element, and no part of the condition on the record.
    var hasForeignOperand: Bool {
        switch self {
        case .refers, .hasElement: true
        default: false
        }
    }

    var operandCount: Int {
        switch self {
        case .all(let count), .any(let count): count
        case .refers, .hasElement, .not: 1
        case .compare, .isAny, .exists, .isNull, .hasPrefix, .containsText, .contains, .within, .near: 0
        }
    }
}

extension RecordFilter: CustomStringConvertible {
    /// The filter in infix notation: `age >= 7 and not (tags contains "archived")`.
    public var description: String {
        var parts: [(text: String, isSimple: Bool)] = []
        func operands(_ count: Int) -> [String] {
            defer { parts.removeLast(count) }
            return parts.suffix(count).map { $0.isSimple ? $0.text : "(\($0.text))" }
        }
        for term in terms {
            switch term {
            case .all(1), .any(1): continue
            case .all(0): parts.append(("true", true))
            case .any(0): parts.append(("false", true))
            case .all(let count): parts.append((operands(count).joined(separator: " and "), false))
            case .any(let count): parts.append((operands(count).joined(separator: " or "), false))
            case .not: parts.append(("not " + operands(1).joined(), true))
            case .refers(let path, let type):
                parts.append(("\(path) refers to \(type) where \(operands(1).joined())", true))
            case .hasElement(let path):
                parts.append(("\(path) has an element where \(operands(1).joined())", true))
            default: parts.append((term.conditionText, true))
            }
        }
        return parts.last?.text ?? ""
    }
}

extension RecordFilter.Term {
    fileprivate var conditionText: String {
        switch self {
        case .compare(let path, let comparison, let value): "\(path) \(comparison.rawValue) \(value)"
        case .isAny(let path, let values):
            "\(path) in [\(values.prefix(10).map(\.description).joined(separator: ", "))"
                + (values.count > 10 ? ", … \(values.count) values]" : "]")
        case .exists(let path): "\(path) exists"
        case .isNull(let path): "\(path) is null"
        case .hasPrefix(let path, let prefix, let ignored):
            "\(path) begins with \(Record.Value.string(prefix))\(ignored.words)"
        case .containsText(let path, let text, let ignored):
            "\(path) has \(Record.Value.string(text)) in it\(ignored.words)"
        case .contains(let path, let value): "\(path) contains \(value)"
        case .within(let path, let southWest, let northEast): "\(path) within \(southWest) to \(northEast)"
        case .near(let path, let location, let metres): "\(path) within \(metres) m of \(location)"
        case .refers, .hasElement, .all, .any, .not: ""
        }
    }
}
