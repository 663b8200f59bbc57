#if !PostgreSQL
/// A database on a PostgreSQL server; not in this build.
///
/// The initializer and the types in it exist so that the compiler can say why they cannot be used.
@available(*, unavailable, message: "enable the package trait PostgreSQL of the package NestedRecords")
public final class PostgreSQLRecordDatabase {
    /// How to use a server; not in this build.
    public struct Options {
        /// Makes the default options.
        public init() {}
    }

    /// Makes a database.
    public init(connection: String, options: Options = Options()) throws {}
}

/// A batch that was sent to a server; not in this build.
@available(*, unavailable, message: "enable the package trait PostgreSQL of the package NestedRecords")
public struct PostgreSQLCommit {}
#endif
