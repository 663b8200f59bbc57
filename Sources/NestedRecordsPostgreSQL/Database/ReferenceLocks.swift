#if PostgreSQL
@_spi(Engines) import NestedRecords

/// The locks on which a batch that saves references meets one that requires that there are none.
///
/// With the isolation level read committed, neither of the two sees the other. The server's advisory locks cost no write to
/// the row of a target, are those of the coordinator in a cluster, and also exist for missing records. Several targets
/// share a lock, so that a large batch does not exhaust the lock table of the server.
enum ReferenceLocks {
    private static var count: UInt64 { 128 }

    static func number(of target: String) -> Int64 { Int64(XXH64.hash(utf8Of: target) % count) }

    /// The first of the keys that a schema uses.
    static func firstKey(ofSchema schema: String) -> Int64 {
        Int64(bitPattern: XXH64.hash(utf8Of: "NestedRecords references " + schema) & ~(count - 1))
    }
}

extension Tables {
    /// What to execute before the rows of a batch are saved, in the same transaction.
    ///
    /// Other batches with references to the same records are not waited for, unless one of them requires that there are no
    /// references: it waits until all others have ended, and then sees what they have saved. Every batch takes these locks
    /// first, in one order, and then locks rows: this prevents deadlocks.
    func referenceStatements(of batch: BatchRows) -> [Statement] {
        if batch.locks.isEmpty { return [] }
        let first = ReferenceLocks.firstKey(ofSchema: schema)
        let keys = Parameter.integers(batch.locks.sorted().map { first + $0 })
        if batch.allowedReferrers.isEmpty {
            return [
                Statement(
                    "save", "SELECT pg_advisory_xact_lock_shared(i.key) FROM unnest($1::bigint[]) AS i(key)", [keys],
                    isKept: true)
            ]
        }
        let lock = Statement("save", "SELECT pg_advisory_xact_lock(i.key) FROM unnest($1::bigint[]) AS i(key)", [keys])
        return [lock, referrerCheck(of: batch)]
    }

    /// Fails if a record refers to one to which it may not refer, and is not itself saved or deleted by the batch.
    private func referrerCheck(of batch: BatchRows) -> Statement {
        let pairs = batch.allowedReferrers.flatMap { target, holders in holders.map { "\(target)\n\($0)" } }
        return Statement(
            "save",
            """
            SELECT 1 / (count(*) = 0)::integer FROM \(records) r CROSS JOIN LATERAL unnest(r.refs) AS t(target)
            WHERE r.body IS NOT NULL AND r.refs && $1::text[] AND t.target = ANY ($1::text[])
                AND t.target <> r.type || '/' || r.name AND r.type || '/' || r.name <> ALL ($2::text[])
                AND t.target || E'\\n' || r.type || '/' || r.name <> ALL ($3::text[])
            """,
            [
                .texts(batch.allowedReferrers.keys.map(\.description)),
                .texts(batch.rows.filter { !$0.tag.isEmpty }.map(\.id.description)), .texts(pairs),
            ])
    }
}
#endif
