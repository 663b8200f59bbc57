#if !PostgreSQL
    /// A database on a PostgreSQL server; not in this build.
    @available(*, unavailable, message: "enable the package trait PostgreSQL of the package NestedRecords")
    public enum PostgreSQLRecordDatabase {}
#endif
