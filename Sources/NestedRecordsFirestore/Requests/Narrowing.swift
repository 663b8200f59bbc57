import Foundation
@_spi(Engines) import NestedRecords

/// The part of a filter that Firestore decides: every matching record passes it, and others may.
///
/// Firestore's order, and what it takes as equal, differ from the library's, so it only narrows. Only fields are pushed
/// down, since a nested map may be in the binary form. A combination needs no index of one's own: equalities, or one of
/// a range, a list of values and an element of a list.
struct Narrowing {
    let filters: [JSONValue]

    /// The fields that it is about.
    let fields: [String]

    private let names: DocumentNames

    /// The bytes of a string that is compared whole; Firestore compares the first 1,500.
    private static let longest = 1_000

    /// The values of a condition.
    ///
    /// https://firebase.google.com/docs/firestore/query-data/queries#limits_on_or_queries
    private static let mostValues = 30

    /// Nil if no part of the filter can be decided by Firestore.
    init?(_ filter: RecordFilter?, _ names: DocumentNames) {
        guard let filter else { return nil }
        self.names = names
        let terms = Self.conjuncts(of: filter)
        var equalities: [(String, JSONValue)] = []
        var alternatives: [(String, [JSONValue])] = []
        for term in terms {
            guard let parts = Self.parts(of: term, names) else { continue }
            if parts.isEquality {
                equalities.append((parts.field, parts.filters[0]))
            } else {
                alternatives.append((parts.field, parts.filters))
            }
        }
        if equalities.isEmpty {
            guard let best = alternatives.first else { return nil }
            filters = best.1
            fields = [best.0]
        } else {
            filters = equalities.map(\.1)
            fields = equalities.map(\.0)
        }
    }

    /// The conditions that must all hold, without combinations.
    private static func conjuncts(of filter: RecordFilter) -> [RecordFilter.Term] {
        var found: [RecordFilter.Term] = []
        var rest = filter.terms[...]
        // The number of operands to take, and of those that belong to a combination to skip.
        var (wanted, skipped) = (1, 0)
        while wanted > 0, let term = rest.popLast() {
            let count = operandCount(of: term)
            if skipped > 0 {
                skipped += count - 1
            } else if case .all(let count) = term {
                wanted += count - 1
            } else {
                wanted -= 1
                if count == 0, !isCombination(term) { found.append(term) }
                skipped = count
            }
        }
        return found
    }

    private static func isCombination(_ term: RecordFilter.Term) -> Bool {
        if case .any = term { true } else { false }
    }

    private static func operandCount(of term: RecordFilter.Term) -> Int {
        switch term {
        case .all(let count), .any(let count): count
        case .not, .refers, .hasElement: 1
        case .compare, .isAny, .exists, .isNull, .hasPrefix, .containsText, .contains, .within, .near: 0
        }
    }

    private static func parts(
        of term: RecordFilter.Term, _ names: DocumentNames
    ) -> (field: String, filters: [JSONValue], isEquality: Bool)? {
        func field(_ path: FieldPath) -> (name: String, path: String)? {
            // A name with other letters may have another spelling in a document, which is the same name here alone.
            guard path.names.count == 1, path.names[0].utf8.allSatisfy({ $0 < 0x80 }), path.names[0] != Shadow.field,
                DocumentNames.fieldFault(path.names[0]) == nil
            else { return nil }
            return (path.names[0], DocumentNames.fieldPath(path.names))
        }
        switch term {
        case .compare(let path, .equal, let value):
            guard let field = field(path) else { return nil }
            if case .date = value { return range(.equal, value).map { (field.name, $0(field.path), false) } }
            return constant(value, names).map {
                (field.name, [StructuredQuery.filter(field.path, "EQUAL", $0)], true)
            }
        case .compare(let path, let comparison, let value) where comparison != .notEqual:
            guard let field = field(path), let range = range(comparison, value) else { return nil }
            return (field.name, range(field.path), false)
        case .isNull(let path):
            return field(path).map { ($0.name, [StructuredQuery.isNull($0.path)], true) }
        case .isAny(let path, let values):
            guard let field = field(path), (1...mostValues).contains(values.count) else { return nil }
            let constants = values.compactMap { constant($0, names) }
            guard constants.count == values.count else { return nil }
            return (field.name, [StructuredQuery.filter(field.path, "IN", StructuredQuery.list(constants))], false)
        case .contains(let path, let value):
            guard let field = field(path), let constant = constant(value, names) else { return nil }
            return (field.name, [StructuredQuery.filter(field.path, "ARRAY_CONTAINS", constant)], false)
        case .hasPrefix(let path, let prefix, []):
            guard let field = field(path), prefix.utf8.count <= longest else { return nil }
            func bound(_ operation: String, _ text: String) -> JSONValue {
                StructuredQuery.filter(field.path, operation, .object(["stringValue": text.json]))
            }
            let upper = successor(of: prefix).map { [bound("LESS_THAN", $0)] } ?? []
            return (field.name, [bound("GREATER_THAN_OR_EQUAL", prefix)] + upper, false)
        default: return nil
        }
    }

    /// The least text after all that begin with a prefix; nil if every text after it does.
    private static func successor(of prefix: String) -> String? {
        var scalars = prefix.unicodeScalars
        while let last = scalars.popLast() {
            guard let next = Unicode.Scalar(last.value + 1) ?? Unicode.Scalar(0xE000), next > last else { continue }
            scalars.append(next)
            return String(scalars)
        }
        return nil
    }

    /// A constant that is equal to the same values in Firestore; nil for others.
    private static func constant(_ value: Record.Value, _ names: DocumentNames) -> JSONValue? {
        switch value {
        case .bool(let value): return .object(["booleanValue": .bool(value)])
        // Both zeros are equal here, and integers beyond 2^53 differ from their doubles.
        case .int(let value): return value != 0 && value.magnitude <= 1 << 53 ? NativeValue.integer(value) : nil
        case .double(let value):
            return value != 0 && value.isFinite && value.magnitude <= 0x1p53 ? NativeValue.double(value) : nil
        case .string(let text): return text.utf8.count <= longest ? .object(["stringValue": text.json]) : nil
        case .reference(let reference):
            return names.fault(of: reference.id) == nil
                ? .object(["referenceValue": names.path(of: reference.id).json]) : nil
        case .null, .date, .bytes, .location, .list, .map, .serverTimestamp, .asset: return nil
        }
    }

    /// The filters of a range, which only values of the constant's kind pass; nil for kinds that are ordered in another way.
    private static func range(
        _ comparison: RecordFilter.Comparison, _ value: Record.Value
    ) -> ((String) -> [JSONValue])? {
        let lower: JSONValue?
        let upper: JSONValue?
        switch value {
        case .string(let text) where text.utf8.count <= longest:
            lower = .object(["stringValue": text.json])
            upper = lower
        case .int(let number): (lower, upper) = numbers(around: Double(number))
        case .double(let number) where number.isFinite: (lower, upper) = numbers(around: number)
        case .date(let date) where date.timeIntervalSinceReferenceDate.isFinite:
            // A date of the save is read as a later one than its native form, and others are cut.
            let slack = Shadow.longestCommit + 1
            func bound(_ distance: Double) -> JSONValue {
                .object(["timestampValue": Timestamp.text(of: date.addingTimeInterval(distance)).json])
            }
            (lower, upper) = (bound(-slack), bound(slack))
        default: return nil
        }
        guard let lower, let upper else { return nil }
        return { path in
            var filters: [JSONValue] = []
            if comparison == .equal || comparison == .greater || comparison == .atLeast {
                filters.append(StructuredQuery.filter(path, "GREATER_THAN_OR_EQUAL", lower))
            }
            if comparison == .equal || comparison == .less || comparison == .atMost {
                filters.append(StructuredQuery.filter(path, "LESS_THAN_OR_EQUAL", upper))
            }
            return filters
        }
    }

    /// A little less and a little more, since decimal numbers are rounded.
    private static func numbers(around value: Double) -> (JSONValue?, JSONValue?) {
        (NativeValue.double(value.nextDown.nextDown), NativeValue.double(value.nextUp.nextUp))
    }
}
