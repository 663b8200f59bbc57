#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// `Record.Value` writes the typed form; these functions are for code that writes or reads it without a coder.

extension Date {
    /// The string of this date in the typed form, such as `2001-02-03T04:05:06.789Z`; nil if no string reads back as
    /// exactly this date.
    ///
    /// Dates in the years 0 to 9999 of the Gregorian calendar have strings, if 17 decimal digits distinguish their
    /// fractions of a second.
    public var recordString: String? { ISO8601.text(of: self) }

    /// Makes a date from its string in the typed form.
    ///
    /// - Parameter recordString: A string with date, time and time zone (`Z` or an offset such as `+02:00`), as in RFC
    ///   3339. Other strings give nil.
    public init?(recordString: String) {
        guard let date = ISO8601.date(from: recordString) else { return nil }
        self = date
    }
}
