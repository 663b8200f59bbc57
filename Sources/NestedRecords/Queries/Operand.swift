#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct Operand {
    let value: Record.Value
    let key: SortKey
    let isAmbiguous: Bool

    /// The value, if it is of one of the frequent simple kinds: these are compared without making keys, with the same
    /// result.
    private let simple: Simple

    private enum Simple {
        case int(Int64)
        case double(Double)
        case date(Double)
        case bool(Bool)
        case string(String)
        case other
    }

    init(_ value: Record.Value) {
        var writer = SortKeyWriter()
        writer.append(value)
        self.value = value
        key = SortKey(writer)
        isAmbiguous = writer.isAmbiguous
        simple =
            switch value {
            case .int(let value): .int(value)
            case .double(let value): .double(value)
            case .date(let value): .date(value.timeIntervalSinceReferenceDate)
            case .bool(let value): .bool(value)
            case .string(let value): .string(value)
            case .null, .bytes, .location, .reference, .list, .map, .serverTimestamp, .asset: .other
            }
    }

    @inline(__always)
    func isTrue(_ comparison: RecordFilter.Comparison, of other: borrowing Record.Value) -> Bool {
        switch comparison {
        case .equal: isEqual(to: other)
        case .notEqual: !isEqual(to: other)
        case .less: order(of: other) == .before
        case .atMost: order(of: other).map { $0 != .after } ?? false
        case .greater: order(of: other) == .after
        case .atLeast: order(of: other).map { $0 != .before } ?? false
        }
    }

    private enum Order { case before, same, after }

    @inline(__always)
    private func order(of other: Record.Value) -> Order? {
        switch simple {
        case .int(let right):
            if case .int(let left) = other { return order(left, right) }
        case .double(let right):
            if case .double(let left) = other, !left.isNaN, !right.isNaN { return order(left, right) }
        case .date(let right):
            if case .date(let date) = other, case let left = date.timeIntervalSinceReferenceDate, !left.isNaN,
                !right.isNaN
            {
                return order(left, right)
            }
        case .string(let right):
            if case .string(let left) = other, left.utf8.count <= SortKey.longest, right.utf8.count <= SortKey.longest {
                if left.hasSameBytes(as: right) { return .same }
                return left.utf8.lexicographicallyPrecedes(right.utf8) ? .before : .after
            }
        case .bool, .other: break
        }
        return orderByKey(of: other)
    }

    @inline(never)
    private func orderByKey(of other: Record.Value) -> Order? {
        let otherKey = SortKey(other)
        guard otherKey.bytes.first == key.bytes.first else { return nil }
        return otherKey == key ? .same : otherKey < key ? .before : .after
    }

    private func order<Value: Comparable>(_ left: Value, _ right: Value) -> Order {
        left == right ? .same : left < right ? .before : .after
    }

    @inline(__always)
    func isEqual(to other: Record.Value) -> Bool {
        switch simple {
        case .int(let right):
            if case .int(let left) = other { return left == right }
        case .double(let right):
            if case .double(let left) = other { return isEqual(left, right) }
        case .date(let right):
            if case .date(let left) = other { return isEqual(left.timeIntervalSinceReferenceDate, right) }
        case .bool(let right):
            if case .bool(let left) = other { return left == right }
        case .string(let right):
            if case .string(let left) = other { return left.hasSameBytes(as: right) }
        case .other: break
        }
        return isEqualByKey(to: other)
    }

    @inline(never)
    private func isEqualByKey(to other: Record.Value) -> Bool {
        if case .reference(let left) = other, case .reference(let right) = value { return left.id == right.id }
        let other = Operand(other)
        guard other.key == key else { return false }
        return isAmbiguous || other.isAmbiguous ? other.value == value : true
    }

    private func isEqual(_ left: Double, _ right: Double) -> Bool { left == right || left.isNaN && right.isNaN }
}

struct AnyOfValues {
    private var keys: Set<SortKey> = []
    private var others: Set<Record.Value> = []

    /// The targets of references, which are found without making keys.
    private var ids: Set<Record.ID> = []

    init(_ values: [Record.Value]) {
        for value in values {
            if case .reference(let reference) = value {
                ids.insert(reference.id)
                continue
            }
            let operand = Operand(value)
            if operand.isAmbiguous { others.insert(value) } else { keys.insert(operand.key) }
        }
    }

    func contains(_ value: Record.Value) -> Bool {
        if case .reference(let reference) = value { return ids.contains(reference.id) }
        if keys.isEmpty, others.isEmpty { return false }
        let operand = Operand(value)
        return operand.isAmbiguous ? others.contains(value) : keys.contains(operand.key)
    }
}
