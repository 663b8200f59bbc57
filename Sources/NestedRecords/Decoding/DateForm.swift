#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// A date that is handed an encoder writes a number of seconds, and reads one from a decoder.

/// Where a value has sought a date in a number, or a number in a date.
///
/// An object, since there is none for almost all values.
final class MissedForms {
    /// Whether this was so of the value as a whole, and nothing else was found.
    var isWhole = false

    /// The elements of an unkeyed container of which this is so.
    var elements: Set<Int> = []

    /// The keys of which this was so, and whether it still is.
    var keys: [String: Bool] = [:]

    /// Whether something was missed and not found.
    var areLeft: Bool { isWhole || !elements.isEmpty || keys.values.contains(true) }
}

extension FieldScalar {
    /// Whether a value is a number where a date is sought, or the other way round.
    ///
    /// - Parameters:
    ///   - value: What is there.
    ///   - isWhole: Whether it is sought in a single value container, as a date seeks its number.
    static func hasDateForm(_ value: Record.Value, isWhole: Bool) -> Bool {
        switch value {
        case .date: isWhole && Self.self == Double.self
        case .double, .int: Self.self == Date.self
        default: false
        }
    }

    /// The number of a date, or the date of a number.
    static func readDateForm(_ value: Record.Value) -> Self? {
        if case .date(let date) = value { return date.timeIntervalSinceReferenceDate as? Self }
        return Double.read(value).flatMap { Date(timeIntervalSinceReferenceDate: $0) as? Self }
    }
}
