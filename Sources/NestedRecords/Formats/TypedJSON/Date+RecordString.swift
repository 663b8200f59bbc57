#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// The typed form is written by `Record.Value`; these are for who writes or reads it without a coder.

extension Date {
    /// The string of this date in the typed form, such as `2001-02-03T04:05:06.789Z`; nil if no string reads back as the
    /// very same date.
    ///
    /// The years 0 to 9999 have strings, and of the fractions of a second those that 17 decimal digits distinguish. In the
    /// Gregorian calendar throughout.
    public var recordString: String? { ISO8601.text(of: self) }

    /// Reads a date from its string in the typed form.
    ///
    /// - Parameter recordString: A string with date, time and time zone (`Z` or an offset such as `+02:00`), as RFC 3339
    ///   has it. Others give nil.
    public init?(recordString: String) {
        guard let date = ISO8601.date(from: recordString) else { return nil }
        self = date
    }
}
