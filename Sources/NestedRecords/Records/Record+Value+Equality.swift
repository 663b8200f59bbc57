#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Record.Value {
    /// Whether this is a list or a map.
    var isCollection: Bool {
        switch self {
        case .list, .map: true
        case .null, .bool, .int, .double, .string, .date, .bytes, .location, .reference, .serverTimestamp:
            false
        }
    }

    /// Equality of values other than lists and maps.
    static func isSameScalar(_ left: Self, _ right: Self) -> Bool {
        switch (left, right) {
        case (.null, .null), (.serverTimestamp, .serverTimestamp): true
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.double(let left), .double(let right)): left == right || (left.isNaN && right.isNaN)
        case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
        case (.date(let left), .date(let right)):
            left == right
                || (left.timeIntervalSinceReferenceDate.isNaN && right.timeIntervalSinceReferenceDate.isNaN)
        case (.bytes(let left), .bytes(let right)): left == right
        case (.location(let left), .location(let right)): left == right
        case (.reference(let left), .reference(let right)): left == right
        case (.null, _), (.bool, _), (.int, _), (.double, _), (.string, _), (.date, _), (.bytes, _), (.location, _),
            (.reference, _), (.list, _), (.map, _), (.serverTimestamp, _):
            false
        }
    }

    /// Equality of lists and of the values of maps.
    ///
    /// Without recursion: values may be nested more deeply than a stack holds.
    static func hasSameElements(_ left: [Self], _ right: [Self]) -> Bool {
        var open = [(left, right)]
        while let (left, right) = open.popLast() {
            if left.count != right.count { return false }
            if left.storageAddress == right.storageAddress { continue }
            for (left, right) in zip(left, right) {
                switch (left, right) {
                case (.list(let left), .list(let right)): open.append((left, right))
                case (.map(let left), .map(let right)):
                    guard let values = right.values(inOrderOf: left) else { return false }
                    open.append((left.values, values))
                default:
                    if !isSameScalar(left, right) { return false }
                }
            }
        }
        return true
    }
}

extension [Record.Value] {
    /// Copies share their storage.
    fileprivate var storageAddress: UnsafeRawPointer? {
        withUnsafeBufferPointer { UnsafeRawPointer($0.baseAddress) }
    }
}

extension Record.Fields {
    /// The values in the order of other fields with the same names; nil if the names are not the same.
    func values(inOrderOf other: Self) -> [Record.Value]? {
        if names == other.names { return values }
        if count != other.count { return nil }
        var ordered: [Record.Value] = []
        for name in other.names {
            guard let value = self[name] else { return nil }
            ordered.append(value)
        }
        return ordered
    }

    /// A hash that does not depend on the order, of the fields that hold no lists or maps.
    var sumOfHashes: Int {
        var sum = 0
        for (name, value) in self where !value.isCollection {
            var hasher = Hasher()
            hasher.combine(name)
            hasher.combine(value)
            sum &+= hasher.finalize()
        }
        return sum
    }
}
