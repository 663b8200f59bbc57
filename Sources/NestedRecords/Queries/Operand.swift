#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A value that others are compared with, in the order of ``SortKey``.
struct Operand {
    let value: Record.Value
    let key: SortKey

    /// Whether other values have the same key.
    let isAmbiguous: Bool

    init(_ value: Record.Value) {
        var writer = SortKeyWriter()
        writer.append(value)
        self.value = value
        key = SortKey(writer)
        isAmbiguous = writer.isAmbiguous
    }

    /// Whether another value compares in this way with this one.
    func isTrue(_ comparison: RecordFilter.Comparison, of other: Record.Value?) -> Bool {
        switch comparison {
        case .equal: other.map(isEqual(to:)) ?? false
        case .notEqual: !(other.map(isEqual(to:)) ?? false)
        case .less: order(of: other) == .before
        case .atMost: order(of: other).map { $0 != .behind } ?? false
        case .greater: order(of: other) == .behind
        case .atLeast: order(of: other).map { $0 != .before } ?? false
        }
    }

    private enum Order { case before, same, behind }

    /// Where another value of the same kind stands; nil for other kinds.
    private func order(of other: Record.Value?) -> Order? {
        guard let other else { return nil }
        // The same as by keys, without making one.
        switch (other, value) {
        case (.int(let left), .int(let right)): return order(left, right)
        case (.double(let left), .double(let right)) where !left.isNaN && !right.isNaN: return order(left, right)
        case (.date(let left), .date(let right))
        where !(left.timeIntervalSinceReferenceDate + right.timeIntervalSinceReferenceDate).isNaN:
            return order(left, right)
        default: break
        }
        let otherKey = SortKey(other)
        guard otherKey.bytes.first == key.bytes.first else { return nil }
        return otherKey == key ? .same : otherKey < key ? .before : .behind
    }

    private func order<Value: Comparable>(_ left: Value, _ right: Value) -> Order {
        left == right ? .same : left < right ? .before : .behind
    }

    /// Whether another value is equal to this one.
    func isEqual(to other: Record.Value) -> Bool {
        switch (other, value) {
        case (.int(let left), .int(let right)): return left == right
        case (.string(let left), .string(let right)): return left.hasSameBytes(as: right)
        case (.reference(let left), .reference(let right)): return left.id == right.id
        default: break
        }
        let other = Operand(other)
        guard other.key == key else { return false }
        return isAmbiguous || other.isAmbiguous ? other.value == value : true
    }
}

/// Values of which a value may be one.
struct AnyOfValues {
    private var keys: Set<SortKey> = []

    /// The values whose keys other values have too.
    private var others: Set<Record.Value> = []

    init(_ values: [Record.Value]) {
        for value in values.lazy.map({ Operand($0) }) {
            if value.isAmbiguous { others.insert(value.value) } else { keys.insert(value.key) }
        }
    }

    func contains(_ value: Record.Value) -> Bool {
        let value = Operand(value)
        return value.isAmbiguous ? others.contains(value.value) : keys.contains(value.key)
    }
}
