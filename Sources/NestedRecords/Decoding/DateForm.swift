#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension FieldScalar {
    /// The date of a number; and in a single value container, the number of a date.
    ///
    /// A date that is handed an encoder writes a number of seconds, and one that is handed a decoder reads a number.
    ///
    /// - Parameters:
    ///   - value: The stored value.
    ///   - isWhole: Whether it is read by a single value container.
    static func readDateForm(_ value: Record.Value, isWhole: Bool) -> Self? {
        if case .date(let date) = value { return isWhole ? date.timeIntervalSinceReferenceDate as? Self : nil }
        guard Self.self == Date.self, let seconds = Double.read(value) else { return nil }
        return Date(timeIntervalSinceReferenceDate: seconds) as? Self
    }
}
