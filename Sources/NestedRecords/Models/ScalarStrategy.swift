/// Which kinds of fields a decoder takes for Booleans, dates and decimal numbers.
public enum ScalarStrategy: Sendable, Hashable {
    /// A Boolean reads as `Bool`, a date or a number as `Date`, and a number as `Decimal`: nothing else does.
    ///
    /// So a type that tries several kinds one after the other, as types for any JSON value do, finds the one that was
    /// written. A date is a number there, as in JSON: the first of both that is tried is found.
    case exact

    /// The integers 0 and 1 also read as `Bool`, a string with date, time and time zone as `Date`, and the digits of a
    /// number in a string as `Decimal`.
    ///
    /// For databases that have no Booleans, dates or decimal numbers. A type that tries several kinds one after the
    /// other may find a kind that was not written.
    case lenient
}

/// How the strings of location properties are stored that ``Location`` writes in another way.
///
/// `41.40;2.17` is such a string: the location reads back as `41.4;2.17`.
public enum LocationStrategy: Sendable, Hashable {
    /// As strings, so that they read back as they were.
    case exact

    /// As locations: they read back as ``Location/description`` writes them.
    case canonical
}
