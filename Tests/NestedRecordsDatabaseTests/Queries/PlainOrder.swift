import Foundation
import NestedRecords

/// The order of values, written down as comparisons.
enum PlainOrder {
    /// −1 if the first one is before the second one, 1 if it is after it, 0 if they stand in one place.
    static func compare(_ left: Record.Value?, _ right: Record.Value?) -> Int {
        guard let left, let right else { return left == nil ? right == nil ? 0 : -1 : 1 }
        let (leftRank, rightRank) = (rank(left), rank(right))
        if leftRank != rightRank { return leftRank < rightRank ? -1 : 1 }
        switch (left, right) {
        case (.bool(let a), .bool(let b)): return compare(a ? 1 : 0, b ? 1 : 0)
        case (.int(let a), .int(let b)): return compare(a, b)
        case (.int(let a), .double(let b)): return compare(a, b)
        case (.double(let a), .int(let b)): return -compare(b, a)
        case (.double(let a), .double(let b)): return a.isNaN ? 0 : compare(a, b)
        case (.date(let a), .date(let b)): return compareDates(a, b)
        case (.serverTimestamp, .serverTimestamp): return 0
        case (.serverTimestamp, _): return 1
        case (_, .serverTimestamp): return -1
        case (.string(let a), .string(let b)): return compare(Array(a.utf8), Array(b.utf8))
        case (.bytes(let a), .bytes(let b)): return compare(Array(a), Array(b))
        case (.reference(let a), .reference(let b)): return compare(a.id, b.id)
        case (.location(let a), .location(let b)):
            let order = compare(a.latitude, b.latitude)
            return order == 0 ? compare(a.longitude, b.longitude) : order
        case (.asset(let a), .asset(let b)): return compare(Array(a.hash.utf8), Array(b.hash.utf8))
        case (.list(let a), .list(let b)): return compareInOrder(a, b) { compare($0, $1) }
        case (.map(let a), .map(let b)):
            return compareInOrder(sorted(a), sorted(b)) { left, right in
                let order = compare(Array(left.name.utf8), Array(right.name.utf8))
                return order == 0 ? compare(left.value, right.value) : order
            }
        default: return 0
        }
    }

    private static func rank(_ value: Record.Value) -> Int {
        switch value {
        case .null: 0
        case .bool: 1
        case .double(let value) where value.isNaN: 2
        case .int, .double: 3
        case .date, .serverTimestamp: 4
        case .string: 5
        case .bytes: 6
        case .reference: 7
        case .location: 8
        case .list: 9
        case .map: 10
        case .asset: 11
        }
    }

    private static func compare<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
        left == right ? 0 : left < right ? -1 : 1
    }

    private static func compare(_ left: Int64, _ right: Double) -> Int {
        if right >= 0x1p63 { return -1 }
        if right < -0x1p63 { return 1 }
        let whole = right.rounded(.down)
        let order = compare(left, Int64(whole))
        return order == 0 && right > whole ? -1 : order
    }

    private static func compareDates(_ left: Date, _ right: Date) -> Int {
        let (left, right) = (left.timeIntervalSinceReferenceDate, right.timeIntervalSinceReferenceDate)
        if left.isNaN || right.isNaN { return left.isNaN ? right.isNaN ? 0 : -1 : 1 }
        return compare(left, right)
    }

    private static func compare(_ left: [UInt8], _ right: [UInt8]) -> Int {
        left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
    }

    private static func compareInOrder<Element>(
        _ left: [Element], _ right: [Element], _ compare: (Element, Element) -> Int
    ) -> Int {
        for (left, right) in zip(left, right) {
            let order = compare(left, right)
            if order != 0 { return order }
        }
        return self.compare(left.count, right.count)
    }

    private static func sorted(_ fields: Record.Fields) -> [(name: String, value: Record.Value)] {
        fields.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }
}
