#if SQLite
    import CSQLite
    import Testing

    @Suite struct SQLiteTests {}
#endif
