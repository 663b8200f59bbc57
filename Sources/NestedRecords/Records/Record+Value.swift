#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Record {
    /// The value of a field.
    public enum Value: Sendable, Hashable {
        /// Null; the field exists, other than a missing one.
        case null

        /// A Boolean.
        case bool(Bool)

        /// An integer.
        case int(Int64)

        /// A floating-point number. All not-a-numbers are equal here, so that equality is reflexive.
        case double(Double)

        /// A string.
        case string(String)

        /// A date with its time.
        case date(Date)

        /// Bytes.
        case bytes(Data)

        /// A place on the earth.
        case location(Location)

        /// A reference to a record.
        case reference(Reference)

        /// Values in order.
        case list([Value])

        /// Values with names.
        case map(Fields)

        /// A date that the database sets to the time of the save, which is the record's modification date.
        case serverTimestamp

        /// Returns whether two values have the same kind and the same content; strings are compared byte by byte.
        public static func == (left: Self, right: Self) -> Bool {
            switch (left, right) {
            case (.list(let left), .list(let right)): hasSameElements(left, right)
            case (.map(let left), .map(let right)): left == right
            default: isSameScalar(left, right)
            }
        }

        /// Feeds the kind and the content to a hasher; only the size of nested lists and maps.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(rank)
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
            case .list(let values):
                hasher.combine(values.count)
                for value in values where !value.isCollection { hasher.combine(value) }
            case .map(let fields):
                hasher.combine(fields.count)
                hasher.combine(fields.sumOfHashes)
            }
        }
    }
}

extension Record.Value {
    var rank: Int {
        switch self {
        case .null: 0
        case .bool: 1
        case .int: 2
        case .double: 3
        case .string: 4
        case .date: 5
        case .bytes: 6
        case .location: 7
        case .reference: 8
        case .list: 9
        case .map: 10
        case .serverTimestamp: 11
        }
    }
}

extension Record.Value {
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a Boolean"
        case .int: "an integer"
        case .double: "a number"
        case .string: "a string"
        case .date: "a date"
        case .bytes: "bytes"
        case .location: "a location"
        case .reference(let reference): "a reference to \(reference.id)"
        case .list: "a list"
        case .map: numberDigits == nil ? "a map" : "a number that is stored as its digits"
        case .serverTimestamp: "a server timestamp that is not filled in yet"
        }
    }
}

// MARK: Equality

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
        case .list, .map:
            break
        }
        return false
    }

    /// The maximum nesting depth of lists and maps in a field.
    ///
    /// Releasing a level takes some 200 bytes of stack, and a small thread has 512 KiB.
    @_spi(Engines) public static let maximumNesting = 1_000

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
            switch lefts[position].value {
            case .list(let left):
                guard case .list(let right) = rights[position].value else { return false }
                open.append((left, right))
            case .map(let left):
                guard case .map(let right) = rights[position].value, let values = right.values(inOrderOf: left)
                else { return false }
                open.append((left.values, values))
            default:
                if !isSameScalar(lefts[position], rights[position]) { return false }
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
    func isIdentical(to other: Self) -> Bool {
        // Of most values this stays empty, so that no memory is allocated.
        var open: [(Self, Self)] = []
        var pair = (self, other)
        while true {
            switch pair {
            case (.list(let left), .list(let right)):
                guard left.count == right.count else { return false }
                open += zip(left, right)
            case (.map(let left), .map(let right)):
                guard left.count == right.count else { return false }
                for (position, field) in left.enumerated() {
                    guard let match = right.position(ofExactly: field.name, near: position) else { return false }
                    open.append((field.value, right.values[match]))
                }
            case (.double(let left), .double(let right)):
                guard left.isIdentical(to: right) else { return false }
            case (.date(let left), .date(let right)):
                guard left.timeIntervalSinceReferenceDate.isIdentical(to: right.timeIntervalSinceReferenceDate)
                else { return false }
            case (.location(let left), .location(let right)):
                guard left.latitude.isIdentical(to: right.latitude), left.longitude.isIdentical(to: right.longitude)
                else { return false }
            case (let left, let right):
                guard Self.isSameScalar(left, right) else { return false }
            }
            guard let next = open.popLast() else { return true }
            pair = next
        }
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

// MARK: Literals

extension Record.Value: ExpressibleByStringLiteral {
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension Record.Value: ExpressibleByIntegerLiteral {
    /// An integer.
    public init(integerLiteral value: Int64) { self = .int(value) }
}

extension Record.Value: ExpressibleByFloatLiteral {
    /// A floating-point number.
    public init(floatLiteral value: Double) { self = .double(value) }
}

extension Record.Value: ExpressibleByBooleanLiteral {
    /// A Boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension Record.Value: ExpressibleByArrayLiteral {
    /// A list.
    public init(arrayLiteral elements: Record.Value...) { self = .list(elements) }
}

extension Record.Value: ExpressibleByDictionaryLiteral {
    /// A map; the last value of a repeated name wins.
    public init(dictionaryLiteral elements: (String, Record.Value)...) { self = .map(Record.Fields(elements)) }
}
