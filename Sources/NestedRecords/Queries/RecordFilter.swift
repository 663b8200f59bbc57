/// What must hold of a record.
///
/// ```swift
/// let filter: RecordFilter = .all([
///     .compare("age", .atLeast, 7), .not(.contains("tags", "archived")),
///     .refers("school", to: "School", where: .compare("name", .equal, "Hilltop")),
/// ])
/// ```
///
/// Values are compared in the order of ``SortKey``: integers and floating-point numbers as numbers, strings by their
/// bytes. Less and greater hold only within one kind: `age > 5` does not hold for a string. A field that is missing or
/// null is not equal to anything but null, so that ``not(_:)`` of a comparison holds for it.
///
/// A filter may be nested as deeply as memory allows. It is a list of ``terms``, in which the operands of each term stand
/// before it; databases with a language of their own translate them one after the other.
public struct RecordFilter: Sendable, Hashable {
    /// A part of a filter: a condition, or what combines those before it.
    public enum Term: Sendable, Hashable {
        /// A value compares in this way with another one.
        case compare(FieldPath, Comparison, Record.Value)

        /// A value is equal to one of these.
        case isAny(FieldPath, of: [Record.Value])

        /// There is such a field, be it null.
        case exists(FieldPath)

        /// The field is null.
        case isNull(FieldPath)

        /// A string begins with another one, byte by byte.
        case hasPrefix(FieldPath, String)

        /// A string has another one in it.
        case containsText(FieldPath, String, ignoresCase: Bool)

        /// A list has an element that is equal to a value.
        case contains(FieldPath, Record.Value)

        /// A location is in a box.
        case within(FieldPath, LocationBox)

        /// A location is at most so many metres away from another one: ``Location/distance(to:)``.
        case near(FieldPath, Location, metres: Double)

        /// A reference, or an element of a list of references, leads to a record of this type for which the one operand
        /// holds.
        case refers(FieldPath, to: String)

        /// All of so many operands hold.
        case all(Int)

        /// One of so many operands holds.
        case any(Int)

        /// The one operand does not hold.
        case not
    }

    /// How two values compare.
    public enum Comparison: String, Sendable, Hashable, CaseIterable {
        /// They are the same number, string and so on.
        case equal = "="

        /// They are not: also where there is no value.
        case notEqual = "!="

        /// The field's value comes before the other one, and is of the same kind.
        case less = "<"

        /// The field's value comes before the other one or is equal, and is of the same kind.
        case atMost = "<="

        /// The field's value comes behind the other one, and is of the same kind.
        case greater = ">"

        /// The field's value comes behind the other one or is equal, and is of the same kind.
        case atLeast = ">="
    }

    /// The parts, the operands of each before it.
    public private(set) var terms: [Term]

    /// A filter of one condition.
    ///
    /// - Parameter term: The condition; not one that has operands.
    private init(_ term: Term) { terms = [term] }

    /// Makes a filter of its parts, for those who read or build one without recursion.
    ///
    /// - Parameter terms: The parts, the operands of each before it, and at the end one part that all others belong to.
    package init(terms: [Term]) { self.terms = terms }

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
    /// A value compares in this way with another one.
    public static func compare(_ path: FieldPath, _ comparison: Comparison, _ value: Record.Value) -> RecordFilter {
        RecordFilter(.compare(path, comparison, value))
    }

    /// A value is equal to one of these.
    public static func isAny(_ path: FieldPath, of values: [Record.Value]) -> RecordFilter {
        RecordFilter(.isAny(path, of: values))
    }

    /// There is such a field, be it null.
    public static func exists(_ path: FieldPath) -> RecordFilter { RecordFilter(.exists(path)) }

    /// The field is null.
    public static func isNull(_ path: FieldPath) -> RecordFilter { RecordFilter(.isNull(path)) }

    /// A string begins with another one, byte by byte.
    public static func hasPrefix(_ path: FieldPath, _ prefix: String) -> RecordFilter {
        RecordFilter(.hasPrefix(path, prefix))
    }

    /// A string has another one in it.
    ///
    /// No index helps: each record is looked at.
    ///
    /// - Parameters:
    ///   - path: The field.
    ///   - text: The string to look for.
    ///   - ignoresCase: Whether upper and lower case are the same.
    public static func containsText(_ path: FieldPath, _ text: String, ignoresCase: Bool = false) -> RecordFilter {
        RecordFilter(.containsText(path, text, ignoresCase: ignoresCase))
    }

    /// A list has an element that is equal to a value.
    public static func contains(_ path: FieldPath, _ value: Record.Value) -> RecordFilter {
        RecordFilter(.contains(path, value))
    }

    /// A location is in a box.
    public static func within(_ path: FieldPath, _ box: LocationBox) -> RecordFilter {
        RecordFilter(.within(path, box))
    }

    /// A location is at most so many metres away from another one: ``Location/distance(to:)``.
    public static func near(_ path: FieldPath, _ location: Location, metres: Double) -> RecordFilter {
        RecordFilter(.near(path, location, metres: metres))
    }

    /// A reference, or an element of a list of references, leads to a record for which another filter holds.
    ///
    /// The database first finds the records of the other type.
    ///
    /// - Parameters:
    ///   - path: The field with the reference.
    ///   - recordType: The type of the record that it leads to.
    ///   - filter: What must hold of that record.
    public static func refers(
        _ path: FieldPath, to recordType: String, where filter: RecordFilter = .all([])
    ) -> RecordFilter {
        RecordFilter([filter], .refers(path, to: recordType))
    }
}

// MARK: Combinations

extension RecordFilter {
    /// All of these hold; of none of them that is true.
    public static func all(_ filters: [RecordFilter]) -> RecordFilter { RecordFilter(filters, .all(filters.count)) }

    /// One of these holds; of none of them that is false.
    public static func any(_ filters: [RecordFilter]) -> RecordFilter { RecordFilter(filters, .any(filters.count)) }

    /// A filter does not hold.
    public static func not(_ filter: consuming RecordFilter) -> RecordFilter {
        filter.terms.append(.not)
        return filter
    }

    /// Both hold.
    public static func && (left: consuming RecordFilter, right: RecordFilter) -> RecordFilter {
        left.terms += right.terms
        left.terms.append(.all(2))
        return left
    }

    /// One of both holds.
    public static func || (left: consuming RecordFilter, right: RecordFilter) -> RecordFilter {
        left.terms += right.terms
        left.terms.append(.any(2))
        return left
    }

    /// A filter does not hold.
    public static prefix func ! (filter: consuming RecordFilter) -> RecordFilter { .not(filter) }
}

extension RecordFilter {
    /// The greatest number of terms that a database answers.
    ///
    /// Each may be tried on each record: a filter of so many takes 13 s for 100,000 records. The values that a field may
    /// have are one term, however many they are.
    static let mostTerms = 1_000

    /// The greatest number of terms that follow references: each looks at all records of a type.
    static let mostReferences = 16

    /// Refuses filters that take too long.
    ///
    /// - Throws: ``RecordQueryError`` with the code `filterTooLarge`.
    package func checkSize() throws {
        guard terms.count <= Self.mostTerms else {
            throw RecordQueryError(
                .filterTooLarge,
                reason: "it has \(terms.count) terms, \(Self.mostTerms) are possible; a list of values is one")
        }
        let count = terms.count { if case .refers = $0 { true } else { false } }
        guard count <= Self.mostReferences else {
            throw RecordQueryError(
                .filterTooLarge, reason: "it follows \(count) references, \(Self.mostReferences) are possible")
        }
    }
}

extension RecordFilter.Term {
    /// How many filters before it this one combines.
    var operandCount: Int {
        switch self {
        case .all(let count), .any(let count): count
        case .refers, .not: 1
        case .compare, .isAny, .exists, .isNull, .hasPrefix, .containsText, .contains, .within, .near: 0
        }
    }
}

extension RecordFilter: CustomStringConvertible {
    /// The filter as one would write it: `age >= 7 and not (tags contains "archived")`.
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
            default: parts.append((term.conditionText, true))
            }
        }
        return parts.last?.text ?? ""
    }
}

extension RecordFilter.Term {
    /// The text of a condition.
    fileprivate var conditionText: String {
        switch self {
        case .compare(let path, let comparison, let value): "\(path) \(comparison.rawValue) \(value)"
        case .isAny(let path, let values):
            "\(path) in [\(values.prefix(10).map(\.description).joined(separator: ", "))"
                + (values.count > 10 ? ", … \(values.count) values]" : "]")
        case .exists(let path): "\(path) exists"
        case .isNull(let path): "\(path) is null"
        case .hasPrefix(let path, let prefix): "\(path) begins with \(Record.Value.string(prefix))"
        case .containsText(let path, let text, let ignoresCase):
            "\(path) has \(Record.Value.string(text)) in it" + (ignoresCase ? " in whatever case" : "")
        case .contains(let path, let value): "\(path) contains \(value)"
        case .within(let path, let box): "\(path) within \(box)"
        case .near(let path, let location, let metres): "\(path) within \(metres) m of \(location)"
        case .refers, .all, .any, .not: ""
        }
    }
}
