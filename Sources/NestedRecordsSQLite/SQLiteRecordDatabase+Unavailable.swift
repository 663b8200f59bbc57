#if !SQLite
    /// A database in SQLite; not in this build.
    @available(*, unavailable, message: "enable the package trait SQLite of the package NestedRecords")
    public enum SQLiteRecordDatabase {}
#endif
