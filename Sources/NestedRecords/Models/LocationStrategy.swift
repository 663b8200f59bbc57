/// How the strings of location properties are stored that ``Location`` writes in another way.
///
/// `41.40;2.17` is such a string: the location reads back as `41.4;2.17`.
public enum LocationStrategy: Sendable, Hashable {
    /// As strings, so that they read back as they were.
    case exact

    /// As locations: they read back as ``Location/description`` writes them.
    case canonical
}
