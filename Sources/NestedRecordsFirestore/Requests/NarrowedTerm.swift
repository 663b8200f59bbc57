import Foundation
@_spi(Engines) import NestedRecords

/// A condition of a filter as Firestore decides it.
struct NarrowedTerm {
    let field: FieldPath
    let filters: [JSONValue]
    var isEquality = false

    /// Whether a document passes exactly if its record matches.
    var isExact = false

    /// Whether it is a range of strings or of numbers.
    var isOrdered = false

    /// The bytes of a string that is compared whole; Firestore compares the first 1,500.
    private static let longest = 1_000

    /// The bytes by which the library orders strings; of longer ones the rest is ordered by a hash.
    static let longestOrdered = 480

    /// The values of a condition.
    ///
    /// https://firebase.google.com/docs/firestore/query-data/queries#limits_on_or_queries
    private static let mostValues = 30

    /// Nil for a condition that Firestore cannot decide.
    init?(_ term: RecordFilter.Term, _ names: DocumentNames) {
        guard let field = term.path, let path = names.path(of: field) else { return nil }
        self.field = field
        switch term {
        case .compare(_, .equal, .date(let date)):
            guard let filters = Self.range(.equal, .date(date), path) else { return nil }
            self.filters = filters
        case .compare(_, .equal, let value):
            guard let constant = Self.constant(value, names) else { return nil }
            filters = [StructuredQuery.filter(path, "EQUAL", constant)]
            (isEquality, isExact) = (true, value.isSameInFirestore)
        case .compare(_, let comparison, let value) where comparison != .notEqual:
            guard let filters = Self.range(comparison, value, path) else { return nil }
            self.filters = filters
            if case .date = value {} else { isOrdered = true }
            if case .string = value { isExact = true }
        case .isNull:
            filters = [StructuredQuery.isNull(path)]
            (isEquality, isExact) = (true, true)
        case .isAny(_, let values):
            let constants = values.compactMap { Self.constant($0, names) }
            guard (1...Self.mostValues).contains(values.count), constants.count == values.count else { return nil }
            filters = [StructuredQuery.filter(path, "IN", StructuredQuery.list(constants))]
            isExact = values.allSatisfy(\.isSameInFirestore)
        case .contains(_, let value):
            guard let constant = Self.constant(value, names) else { return nil }
            filters = [StructuredQuery.filter(path, "ARRAY_CONTAINS", constant)]
            isExact = value.isSameInFirestore
        case .hasPrefix(_, let prefix, []):
            guard prefix.utf8.count <= Self.longestOrdered else { return nil }
            func bound(_ operation: String, _ text: String) -> JSONValue {
                StructuredQuery.filter(path, operation, .object(["stringValue": text.json]))
            }
            let upper = Self.successor(of: prefix).map { [bound("LESS_THAN", $0)] } ?? []
            filters = [bound("GREATER_THAN_OR_EQUAL", prefix)] + upper
            (isOrdered, isExact) = (true, true)
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
            return names.fault(of: reference.id) == nil ? names.reference(to: reference.id) : nil
        case .null, .date, .bytes, .location, .list, .map, .serverTimestamp, .asset: return nil
        }
    }

    /// The filters of a range, which only values of the constant's kind pass; nil for kinds that are ordered in another way.
    private static func range(
        _ comparison: RecordFilter.Comparison, _ value: Record.Value, _ path: String
    ) -> [JSONValue]? {
        let lower: JSONValue
        let upper: JSONValue
        var isExact = false
        switch value {
        case .string(let text) where text.utf8.count <= longestOrdered:
            lower = .object(["stringValue": text.json])
            (upper, isExact) = (lower, true)
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
        var filters: [JSONValue] = []
        if comparison == .equal || comparison == .greater || comparison == .atLeast {
            let operation = isExact && comparison == .greater ? "GREATER_THAN" : "GREATER_THAN_OR_EQUAL"
            filters.append(StructuredQuery.filter(path, operation, lower))
        }
        if comparison == .equal || comparison == .less || comparison == .atMost {
            let operation = isExact && comparison == .less ? "LESS_THAN" : "LESS_THAN_OR_EQUAL"
            filters.append(StructuredQuery.filter(path, operation, upper))
        }
        return filters
    }

    /// A little less and a little more, since decimal numbers are rounded.
    private static func numbers(around value: Double) -> (JSONValue, JSONValue) {
        (NativeValue.double(value.nextDown.nextDown), NativeValue.double(value.nextUp.nextUp))
    }
}

extension RecordFilter.Term {
    /// The field of a condition that Firestore may decide.
    fileprivate var path: FieldPath? {
        switch self {
        case .compare(let path, _, _), .isAny(let path, _), .isNull(let path), .hasPrefix(let path, _, _),
            .contains(let path, _):
            path
        default: nil
        }
    }
}

extension Record.Value {
    /// Whether the same values are equal to it in Firestore: a number with more digits is stored as the nearest double.
    fileprivate var isSameInFirestore: Bool {
        switch self {
        case .bool, .string, .reference: true
        default: false
        }
    }
}
