#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Record {
    /// What a field can hold.
    public enum Value: Sendable, Hashable {
        /// An explicit null: the field exists and has no value.
        case null
        /// A Boolean.
        case bool(Bool)
        /// An integer.
        case int(Int64)
        /// A floating-point number. All not-a-numbers are equal here, so that equality stays reflexive.
        case double(Double)
        /// A string.
        case string(String)
        /// A point in time.
        case date(Date)
        /// Raw bytes.
        case bytes(Data)
        /// A place on the earth.
        case location(Location)
        /// A pointer to another record.
        case reference(Reference)
        /// Values in order.
        case list([Value])
        /// Values by name: an embedded object that is not a record of its own.
        case map(Fields)
        /// A date that the database fills in: the time of the save, which is the record's modification date.
        case serverTimestamp

        /// Returns whether two values have the same kind and the same content; strings are compared byte by byte.
        public static func == (left: Self, right: Self) -> Bool {
            switch (left, right) {
            case (.list(let left), .list(let right)): hasSameElements(left, right)
            case (.map(let left), .map(let right)): left == right
            default: isSameScalar(left, right)
            }
        }

        /// Feeds the kind and the content to a hasher; of nested lists and maps only the size.
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
    /// The place of this value's kind in the declaration.
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
    /// The name of this value's kind, for errors.
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
        case .map: "a map"
        case .serverTimestamp: "a server timestamp that is not filled in yet"
        }
    }
}
