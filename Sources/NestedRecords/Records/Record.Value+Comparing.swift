#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Record.Value {
    /// Returns whether two values have the same kind and the same content; strings are compared byte by byte.
    public static func == (left: Self, right: Self) -> Bool {
        if case .list(let left) = left, case .list(let right) = right { return hasSameElements(left, right) }
        if case .map(let left) = left, case .map(let right) = right { return left == right }
        return isSameScalar(left, right)
    }

    /// Feeds the kind and the content to a hasher; only the size of nested lists and maps.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind.rawValue)
        switch self {
        case .null, .serverTimestamp: break
        case .bool(let value): hasher.combine(value)
        case .int(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value.isNaN ? .nan : value)
        case .string(let value): hasher.combine(value)
        case .date(let value):
            let interval = value.timeIntervalSinceReferenceDate
            hasher.combine(interval.isNaN ? .nan : interval)
        case .bytes(let value): hasher.combine(value)
        case .location(let value): hasher.combine(value)
        case .reference(let value): hasher.combine(value)
        case .asset(let value): hasher.combine(value)
        case .list(let values):
            hasher.combine(values.count)
            for value in values where !value.isCollection { hasher.combine(value) }
        case .map(let fields):
            hasher.combine(fields.count)
            hasher.combine(fields.sumOfHashes)
        }
    }
}

extension Record.Value {
    static func isSameScalar(_ left: Self, _ right: Self) -> Bool {
        ElementInPlace.with(left) { left in ElementInPlace.with(right) { isSameScalar(left, $0) } }
    }

    /// Equality of values other than lists and maps, which are not copied.
    @inline(__always)
    private static func isSameScalar(_ left: ElementInPlace<Self>, _ right: ElementInPlace<Self>) -> Bool {
        switch left.value {
        case .null:
            if case .null = right.value { return true }
        case .serverTimestamp:
            if case .serverTimestamp = right.value { return true }
        case .bool(let left):
            if case .bool(let right) = right.value { return left == right }
        case .int(let left):
            if case .int(let right) = right.value { return left == right }
        case .double(let left):
            if case .double(let right) = right.value { return left == right || (left.isNaN && right.isNaN) }
        case .string(let left):
            if case .string(let right) = right.value { return left.hasSameBytes(as: right) }
        case .date(let left):
            guard case .date(let right) = right.value else { return false }
            return left == right
                || (left.timeIntervalSinceReferenceDate.isNaN && right.timeIntervalSinceReferenceDate.isNaN)
        case .bytes(let left):
            if case .bytes(let right) = right.value { return left == right }
        case .location(let left):
            if case .location(let right) = right.value { return left == right }
        case .reference(let left):
            if case .reference(let right) = right.value { return left == right }
        case .asset(let left):
            if case .asset(let right) = right.value { return left.isSame(as: right) }
        case .list, .map:
            break
        }
        return false
    }

    /// Equality of lists and of the values of maps.
    ///
    /// Without recursion: values may be nested more deeply than a stack holds.
    static func hasSameElements(_ left: [Self], _ right: [Self]) -> Bool {
        var open: [([Self], [Self])] = []
        guard hasSameElements(left, right, &open) else { return false }
        while let (left, right) = open.popLast() {
            if !hasSameElements(left, right, &open) { return false }
        }
        return true
    }

    /// Compares the elements other than lists and maps, and collects those to compare next.
    private static func hasSameElements(
        _ left: [Self], _ right: [Self], _ open: inout [([Self], [Self])]
    ) -> Bool {
        if left.count != right.count { return false }
        if left.isStored(where: right) { return true }
        let (lefts, rights) = (ElementsInPlace(left), ElementsInPlace(right))
        for position in 0..<left.count {
            if case .list(let left) = lefts[position].value {
                guard case .list(let right) = rights[position].value else { return false }
                open.append((left, right))
            } else if case .map(let left) = lefts[position].value {
                guard case .map(let right) = rights[position].value, let values = right.values(inOrderOf: left)
                else { return false }
                open.append((left.values, values))
            } else if !isSameScalar(lefts[position], rights[position]) {
                return false
            }
        }
        return true
    }
}

extension Record.Fields {
    /// The values in the order of other fields with the same names; nil if the names differ.
    func values(inOrderOf other: Self) -> [Record.Value]? {
        if shape === other.shape || names == other.names { return values }
        if count != other.count { return nil }
        var ordered: [Record.Value] = []
        for name in other.names {
            guard let value = self[name] else { return nil }
            ordered.append(value)
        }
        return ordered
    }

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

// MARK: Identity

extension Record.Value {
    /// Returns whether two values are identical, so that saving one instead of the other makes no difference.
    ///
    /// Stricter than equality: 0 and −0 differ, and so do field names in two Unicode spellings. All not-a-numbers are
    /// the same, since databases need not keep their bits. Without recursion: values may be nested more deeply than a
    /// stack holds.
    package func isIdentical(to other: Self) -> Bool {
        // Of most values this stays empty, so that no memory is allocated.
        var open: [(Self, Self)] = []
        guard Self.areIdentical(self, other, open: &open) else { return false }
        while let (left, right) = open.popLast() {
            guard Self.areIdentical(left, right, open: &open) else { return false }
        }
        return true
    }

    /// Compares two values without the values in them, which are added to those to compare.
    @inline(__always)
    fileprivate static func areIdentical(_ left: Self, _ right: Self, open: inout [(Self, Self)]) -> Bool {
        switch left {
        case .list(let left):
            guard case .list(let right) = right, left.count == right.count else { return false }
            open += zip(left, right)
            return true
        case .map(let left):
            guard case .map(let right) = right, left.count == right.count else { return false }
            for (position, field) in left.enumerated() {
                guard let match = right.position(ofExactly: field.name, near: position) else { return false }
                open.append((field.value, right.values[match]))
            }
            return true
        case .double(let left):
            guard case .double(let right) = right else { return false }
            return left.isIdentical(to: right)
        case .date(let left):
            guard case .date(let right) = right else { return false }
            return left.timeIntervalSinceReferenceDate.isIdentical(to: right.timeIntervalSinceReferenceDate)
        case .location(let left):
            guard case .location(let right) = right else { return false }
            return left.latitude.isIdentical(to: right.latitude) && left.longitude.isIdentical(to: right.longitude)
        case .null, .bool, .int, .string, .bytes, .reference, .serverTimestamp, .asset: return isSameScalar(left, right)
        }
    }
}

/// Compares the fields of many records, of which most have the same names in the same order.
struct FieldComparison {
    /// Two lists of names that are the same to the last byte.
    private var sameShapes: (FieldNames, FieldNames)?
    private var open: [(Record.Value, Record.Value)] = []

    init() {}

    /// Returns whether two records have identical fields, in any order.
    mutating func areIdentical(_ left: Record.Fields, _ right: Record.Fields) -> Bool {
        guard left.count == right.count else { return false }
        let isInOrder = haveSameNames(left.shape, right.shape)
        let (lefts, rights) = (ElementsInPlace(left.values), ElementsInPlace(right.values))
        for position in 0..<lefts.count {
            guard let match = isInOrder ? position : right.position(ofExactly: left.names[position], near: position),
                Record.Value.areIdentical(lefts[position].value, rights[match].value, open: &open)
            else {
                open = []
                return false
            }
        }
        while let (left, right) = open.popLast() {
            guard Record.Value.areIdentical(left, right, open: &open) else {
                open = []
                return false
            }
        }
        return true
    }

    private mutating func haveSameNames(_ left: FieldNames?, _ right: FieldNames?) -> Bool {
        guard let left, let right else { return true }
        if left === right { return true }
        if let sameShapes, sameShapes.0 === left, sameShapes.1 === right { return true }
        guard zip(left.names, right.names).allSatisfy({ $0.hasSameBytes(as: $1) }) else { return false }
        sameShapes = (left, right)
        return true
    }
}

extension Double {
    fileprivate func isIdentical(to other: Double) -> Bool { bitPattern == other.bitPattern || (isNaN && other.isNaN) }
}

extension Record.Fields {
    /// The position of the field whose name has exactly these bytes, which is the hint if the order of fields is the same.
    func position(ofExactly name: String, near hint: Int) -> Int? {
        if hint < names.count, names[hint].hasSameBytes(as: name) { return hint }
        return position(of: name).flatMap { names[$0].hasSameBytes(as: name) ? $0 : nil }
    }
}

// MARK: Order

extension Record.Value {
    /// A total order of all values, used only to store values in a stable order.
    ///
    /// Not recursive: values may be nested more deeply than the stack allows.
    package func precedes(_ other: Record.Value) -> Bool {
        switch self {
        case .bool(let left): if case .bool(let right) = other { return !left && right }
        case .int(let left): if case .int(let right) = other { return left < right }
        case .double(let left): if case .double(let right) = other { return left < right || !left.isNaN && right.isNaN }
        case .string(let left): if case .string(let right) = other { return left < right }
        case .date(let left): if case .date(let right) = other { return left < right }
        case .bytes(let left): if case .bytes(let right) = other { return left.lexicographicallyPrecedes(right) }
        case .location(let left):
            guard case .location(let right) = other else { break }
            return (left.latitude, left.longitude) < (right.latitude, right.longitude)
        case .reference(let left): if case .reference(let right) = other { return left.id < right.id }
        case .asset(let left):
            guard case .asset(let right) = other else { break }
            return (left.hash, left.size, left.contentType ?? "", left.fileName ?? "")
                < (right.hash, right.size, right.contentType ?? "", right.fileName ?? "")
        case .list, .map:
            guard kind == other.kind else { break }
            return NestedParts(self).lexicographicallyPrecedes(NestedParts(other)) { left, right in
                // The end of a collection precedes everything else.
                guard let left, let right else { return left == nil && right != nil }
                let areNested = left.isCollection && right.isCollection
                return areNested ? left.kind.rawValue < right.kind.rawValue : left.precedes(right)
            }
        case .null, .serverTimestamp: break
        }
        return kind.rawValue < other.kind.rawValue
    }
}

/// The parts of a collection one after the other, computed on demand: the scalars, the names in maps in their order,
/// empty collections for the beginning of nested ones, and nil for the end of each.
private struct NestedParts: Sequence, IteratorProtocol {
    private var open: [ArraySlice<Record.Value>]

    init(_ collection: Record.Value) { open = [Self.contents(of: collection)] }

    private static func contents(of collection: Record.Value) -> ArraySlice<Record.Value> {
        switch collection.contents {
        case .list(let values)?: values[...]
        case .map(let fields)?: fields.sorted { $0.name < $1.name }.flatMap { [.string($0.name), $0.value] }[...]
        case nil: []
        }
    }

    mutating func next() -> Record.Value?? {
        guard let last = open.indices.last else { return nil }
        guard let part = open[last].popFirst() else {
            open.removeLast()
            return .some(nil)
        }
        guard part.isCollection else { return part }
        open.append(Self.contents(of: part))
        return part.kind == .map ? .map([:]) : .list([])
    }
}
