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

        /// A file beside the records, whose bytes ``AssetStore`` reads.
        indirect case asset(RecordAsset)

        /// A date that the database sets to the time of the save, which is the record's modification date.
        case serverTimestamp
    }
}

extension Record.Value {
    /// The kind in words, as errors name a value that was found.
    var found: String {
        if case .reference(let reference) = self { return "\(kind.name) to \(reference.id)" }
        return numberDigits == nil ? kind.name : "\(Kind.double.name) that is stored as its digits"
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
