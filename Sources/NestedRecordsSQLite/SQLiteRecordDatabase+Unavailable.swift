#if !SQLite
/// A database in SQLite; not in this build.
///
/// The initializers and the types in them exist so that the compiler can say why they cannot be used.
@available(*, unavailable, message: "enable the package trait SQLite of the package NestedRecords")
public final class SQLiteRecordDatabase {
    /// How to open a file; not in this build.
    public struct Options {
        /// Makes the default options.
        public init() {}
    }

    /// Opens a file.
    public init(path: String, options: Options = Options()) throws {}

    /// Opens a file.
    public init<URL>(at url: URL, options: Options = Options()) throws {}
}
#endif
