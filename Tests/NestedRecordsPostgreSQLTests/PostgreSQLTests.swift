#if PostgreSQL
    import CPostgreSQL
    import Testing

    @Suite struct PostgreSQLTests {}
#endif
