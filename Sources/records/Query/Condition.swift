import NestedRecords

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What must hold of a record: `born<2000-01-01`, `name~ada`, `@type!=Book`.
struct Condition: Sendable {
    private enum Comparison: String, CaseIterable {
        // The longer ones first: `!=` holds a `=`.
        case notEqual = "!="
        case atMost = "<="
        case atLeast = ">="
        case equal = "="
        case less = "<"
        case greater = ">"
        case contains = "~"
    }

    private let path: FieldPath
    private let comparison: Comparison
    private let operand: Operand

    /// Reads a condition.
    ///
    /// - Throws: `UsageError` if there is no comparison in it.
    init(_ text: String) throws {
        let places = Comparison.allCases.compactMap { comparison -> (Range<String.Index>, Comparison)? in
            text.firstRange(of: comparison.rawValue).map { ($0, comparison) }
        }
        // The first one in the string, and of two at the same place the longer one.
        guard let first = places.map(\.0.lowerBound).min(),
            let (range, comparison) = places.first(where: { $0.0.lowerBound == first })
        else {
            throw UsageError("'\(text)' is no condition: expected a field, then =, !=, <, <=, >, >= or ~, then a value")
        }
        path = try FieldPath(String(text[..<range.lowerBound]))
        self.comparison = comparison
        operand = Operand(String(text[range.upperBound...]))
    }

    /// Whether it holds: for one of the values where there are several, and for all of them with `!=`.
    func holds(for record: Record) -> Bool {
        let values = path.values(in: record)
        return switch comparison {
        case .notEqual: !values.contains { operand.order(of: $0) == .same }
        case .contains: values.contains(where: operand.isContained)
        case .equal: values.contains { operand.order(of: $0) == .same }
        case .less: values.contains { operand.order(of: $0) == .before }
        case .greater: values.contains { operand.order(of: $0) == .after }
        case .atMost: values.contains { [.before, .same].contains(operand.order(of: $0)) }
        case .atLeast: values.contains { [.after, .same].contains(operand.order(of: $0)) }
        }
    }
}

/// The operand of a comparison: a string that is read as the kind of the value.
private struct Operand: Sendable {
    enum Order { case before, same, after }

    private let text: String
    private let integer: Int64?
    private let number: Double?
    private let date: Date?

    init(_ text: String) {
        self.text = text
        integer = Int64(text)
        number = Double(text)
        // A day alone is its first moment.
        date = Date(recordText: text) ?? Date(recordText: text + "T00:00:00Z")
    }

    /// How a value compares with the operand; nil if they cannot be compared.
    func order(of value: Record.Value) -> Order? {
        switch value {
        case .int(let value): integer.map { order(value, $0) } ?? number.map { order(Double(value), $0) }
        case .double(let value): number.flatMap { value.isNaN || $0.isNaN ? nil : order(value, $0) }
        case .date(let value): date.map { order(value, $0) }
        case .string(let value): order(value, text)
        case .reference(let value): value.id.description == text || value.id.name == text ? .same : nil
        case .list, .map: nil
        default: value.plainText == text ? .same : nil
        }
    }

    private func order<Value: Comparable>(_ left: Value, _ right: Value) -> Order {
        left == right ? .same : left < right ? .before : .after
    }

    /// Whether the value's text contains the operand, without regard to case.
    func isContained(in value: Record.Value) -> Bool {
        if case .map = value { return false }
        return text.isEmpty || value.plainText.lowercased().contains(text.lowercased())
    }
}
