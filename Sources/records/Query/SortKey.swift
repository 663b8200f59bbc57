import NestedRecords

/// The order in which records are printed: by a field, upwards, or downwards with a dash before its name.
struct SortKey: Sendable {
    private let path: FieldPath
    private let isDescending: Bool

    /// Reads the text that the user gave.
    ///
    /// - Throws: `UsageError` if no field is named.
    init(_ text: String) throws {
        isDescending = text.hasPrefix("-")
        path = try FieldPath(isDescending ? String(text.dropFirst()) : text)
    }

    /// The records in order; those without a value last, equal ones as they were.
    func sorted(_ records: [Record]) -> [Record] {
        let keyed = records.enumerated().map { (key: path.values(in: $1).first, position: $0, record: $1) }
        return keyed.sorted { left, right in
            switch (left.key, right.key) {
            case (let a?, let b?):
                if isBefore(a, b) { return !isDescending }
                if isBefore(b, a) { return isDescending }
            case (_?, nil): return true
            case (nil, _?): return false
            case (nil, nil): break
            }
            return left.position < right.position
        }.map(\.record)
    }

    private func isBefore(_ left: Record.Value, _ right: Record.Value) -> Bool {
        switch (left, right) {
        case (.int(let a), .int(let b)): a < b
        case (.date(let a), .date(let b)): a < b
        case (.string(let a), .string(let b)): a < b
        default:
            if let a = left.number, let b = right.number { a < b } else { left.rank < right.rank }
        }
    }
}

extension Record.Value {
    fileprivate var number: Double? {
        switch self {
        case .int(let value): Double(value)
        // Not-a-number is before no number and behind none, which is no order.
        case .double(let value): value.isNaN ? -.infinity : value
        default: nil
        }
    }

    /// The order of values of different kinds; the rest are ordered by their strings.
    fileprivate var rank: String {
        switch self {
        case .null: "0"
        case .bool(let value): value ? "1true" : "1false"
        case .int, .double: "2"
        case .date: "3"
        default: "4" + plainText
        }
    }
}
