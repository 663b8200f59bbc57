/// Which kinds of fields a decoder accepts as Booleans, dates and decimal numbers.
public enum ScalarStrategy: Sendable, Hashable {
    /// Only a Boolean reads as `Bool`, only a date or a number as `Date`, and only a number as `Decimal`.
    ///
    /// So a type that tries several types in turn, such as a type for any JSON value, finds the type that was written.
    /// Dates and numbers are an exception: as in JSON, the one that is tried first is found.
    case exact

    /// The integers 0 and 1 also read as `Bool`, a string with date, time and time zone as `Date`, and the digits of a
    /// number in a string as `Decimal`.
    ///
    /// For databases without Booleans, dates or decimal numbers. A type that tries several types in turn may find a
    /// type that was not written.
    case lenient
}

/// How strings of location properties are stored if they differ from the description of their ``Location``.
///
/// `41.40;2.17` is such a string: the location reads back as `41.4;2.17`.
public enum LocationStrategy: Sendable, Hashable {
    /// As strings, which read back unchanged.
    case exact

    /// As locations, which read back as ``Location/description``.
    case canonical
}
