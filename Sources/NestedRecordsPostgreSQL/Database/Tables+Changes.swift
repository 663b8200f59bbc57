#if PostgreSQL
@_spi(Engines) import NestedRecords

extension Tables {
    /// The number of the first transaction that may still be in progress.
    ///
    /// Every transaction before it has ended, so no more rows can appear there. A transaction gets its number when it
    /// begins to write, not when it commits: after this number, rows may still appear before existing ones.
    static let horizon = "pg_snapshot_xmin(pg_current_snapshot())"

    var lastPlace: Statement {
        Statement(
            "look for the last change",
            """
            SELECT c.xid, c.token FROM \(commits) c WHERE c.xid < \(Self.horizon) ORDER BY c.xid DESC LIMIT 1
            """)
    }

    var firstPlace: Statement {
        Statement(
            "look for the first change",
            "SELECT c.xid, c.token FROM \(commits) c WHERE c.xid = (SELECT purged FROM \(store))")
    }

    /// The check whether a token belongs to this database, and its history is still known: the first columns of a head.
    var tokenCheck: String {
        """
        s.identity, s.server = \(Self.server), s.purged, \
        EXISTS (SELECT 1 FROM \(commits) c WHERE c.xid = $1 AND c.token = $2), s.generation
        """
    }

    func parameters(of token: ChangeToken) throws -> [Parameter] {
        let (position, mark) = try token.place(in: token.store)
        return [.transaction(position), .integer(Int64(bitPattern: mark))]
    }

    func news(since token: ChangeToken) throws -> Statement {
        try Statement(
            "look for changes",
            """
            SELECT \(tokenCheck),
                EXISTS (SELECT 1 FROM \(commits) c WHERE c.xid > $1 AND c.xid < \(Self.horizon) AND NOT c.is_system),
                EXISTS (SELECT 1 FROM \(commits) c WHERE c.xid > $1 AND NOT c.is_system),
                \(Self.horizon)
            FROM \(store) s
            """, parameters(of: token))
    }

    /// The rows that were written since a token, up to the batch that a limit falls into.
    ///
    /// Each row has the head: the check of the token, whether there are more rows, and the position after these. There
    /// are also more if a row was written after the horizon: it may have replaced a row of an earlier batch whose other
    /// rows are here, so that these alone are not of one moment.
    ///
    /// - Parameter horizon: The horizon, if it was read before; nil for that of the statement.
    func changes(since token: ChangeToken, limit: Int, horizon: UInt64? = nil) throws -> Statement {
        try Statement(
            "read changes",
            """
            WITH horizon AS MATERIALIZED (SELECT \(horizon == nil ? Self.horizon : "$4") AS xid),
            page AS MATERIALIZED (
                SELECT r.xid FROM \(records) r WHERE r.xid > $1 AND r.xid < (SELECT xid FROM horizon)
                ORDER BY r.xid LIMIT $3
            ), tail AS MATERIALIZED (SELECT xid FROM page ORDER BY xid DESC LIMIT 1),
            bound AS MATERIALIZED (
                SELECT EXISTS (
                    SELECT 1 FROM \(records) r
                    WHERE r.xid > (SELECT xid FROM tail) AND r.xid < (SELECT xid FROM horizon)
                ) AS has_more
            ), place AS MATERIALIZED (
                SELECT c.xid, c.token FROM \(commits) c
                WHERE c.xid < (SELECT xid FROM horizon)
                AND c.xid <= (
                    SELECT CASE WHEN has_more THEN (SELECT xid FROM tail) ELSE (SELECT xid FROM horizon) END FROM bound
                )
                ORDER BY c.xid DESC LIMIT 1
            )
            SELECT \(tokenCheck),
                (SELECT has_more FROM bound)
                    OR coalesce(
                        (SELECT r.xid FROM \(records) r ORDER BY r.xid DESC LIMIT 1) >= (SELECT xid FROM horizon),
                        false),
                (SELECT xid FROM place), (SELECT token FROM place),
                \(StoredRecords.columns)
            FROM \(store) s
            LEFT JOIN LATERAL (
                SELECT \(StoredRecords.columns) FROM \(records) r
                WHERE r.xid > $1 AND r.xid <= (SELECT xid FROM tail) ORDER BY r.xid
            ) r ON true
            """, parameters(of: token) + [.integer(Int64(limit))] + (horizon.map { [.transaction($0)] } ?? []))
    }

    /// Whether there are rows from the horizon on: see `changes(since:limit:horizon:)`.
    func hasRows(from horizon: UInt64) -> Statement {
        Statement(
            "read changes", "SELECT EXISTS (SELECT 1 FROM \(records) r WHERE r.xid >= $1)", [.transaction(horizon)])
    }

    var announcement: Statement { Statement("announce a change", "SELECT pg_notify($1, '')", [.text(schema)]) }

    var listening: Statement { Statement("listen to changes", "LISTEN \(schema.asIdentifier)") }
}
#endif
