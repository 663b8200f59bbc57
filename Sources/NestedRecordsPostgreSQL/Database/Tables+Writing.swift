#if PostgreSQL
import Foundation
@_spi(Engines) import NestedRecords

extension Tables {
    /// Writes all rows of a batch, or nothing.
    ///
    /// One statement inserts or updates the rows in the order of their IDs, and fails unless each of them was as
    /// expected and the writer knows all indexes. A row that is only checked is written unchanged: so it is locked
    /// until the end of the transaction. A record that must not exist is inserted temporarily, so that no other
    /// transaction inserts it; the row has no body and the creation date `-infinity`, which no row takes over.
    ///
    /// - Returns: Statements to execute as one transaction. The first one answers with the dates of the first and the
    ///   last save of all rows.
    func commit(_ batch: BatchRows, token: UInt64, isSystem: Bool, _ catalog: Catalog) -> [Statement] {
        let rows = batch.rows
        // Whether the row stays as it is: for a condition, or a repeated deletion.
        let stays = "(excluded.tag = '' OR excluded.body IS NULL AND r.body IS NULL)"
        func set(_ column: String, _ value: String) -> String {
            "\(column) = " + (batch.hasOthers ? "CASE WHEN \(stays) THEN r.\(column) ELSE \(value) END" : value)
        }
        let text = """
            WITH i AS (
                SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::float8[], $6::float8[],
                    $7::bytea[], $8::text[], $9::text[], $15::json[])
                    AS i(type, name, tag, expected, created, modified, body, keys, refs, fields)
            ), w AS (
                INSERT INTO \(records) AS r
                    (type, name, xid, tag, expected, created, modified, body, keys, refs, fields)
                SELECT type, name, pg_current_xact_id(), tag, expected,
                    CASE WHEN body IS NULL THEN '-infinity' ELSE created END, modified, body, keys::text[],
                    refs::text[], fields
                FROM i ORDER BY type COLLATE "C", name COLLATE "C"
                ON CONFLICT (type, name) DO UPDATE SET
                    \(set("xid", "excluded.xid")),
                    \(set("tag", "excluded.tag")),
                    expected = NULL,
                    \(set("created", "CASE WHEN r.body IS NULL THEN excluded.created ELSE r.created END")),
                    \(set(
                            "modified",
                            "CASE WHEN r.body IS NULL THEN excluded.modified ELSE greatest(r.modified, excluded.modified) END")),
                    \(set("body", "excluded.body")),
                    \(set("keys", "excluded.keys")),
                    \(set("refs", "excluded.refs")),
                    \(set("fields", "excluded.fields"))
                WHERE (excluded.expected IS NULL OR excluded.expected = '' AND r.body IS NULL
                    OR r.body IS NOT NULL AND excluded.expected IN ('*', '=' || r.tag))
                    AND (excluded.body IS NULL OR r.body IS NULL
                        OR (NOT $10 OR r.modified <= excluded.modified)
                        AND (NOT $14 OR r.created = excluded.created))
                RETURNING r.type, r.name, r.expected, r.created, r.modified
            ), c AS (
                INSERT INTO \(commits) (token, xid, is_system) VALUES ($11, pg_current_xact_id(), $16)
            )
            SELECT 1 / coalesce(
                    count(*) FILTER (WHERE expected IS NULL OR expected = '') = $12
                    AND (SELECT generation FROM \(store)) = $13, false)::integer,
                array_agg(created ORDER BY type, name), array_agg(modified ORDER BY type, name)
            FROM w
            """
        let parameters: [Parameter] = [
            .texts(rows.map(\.id.type)), .texts(rows.map(\.id.name)), .texts(rows.map(\.tag)),
            .texts(rows.map(\.expected)),
            .doubles(rows.map(\.created.timeIntervalSinceReferenceDate)),
            .doubles(rows.map(\.modified.timeIntervalSinceReferenceDate)),
            .byteLists(rows.map(\.body)), .texts(rows.map(\.keys)), .texts(rows.map(\.references)),
            .bool(batch.dependsOnModification), .integer(Int64(bitPattern: token)), .integer(Int64(rows.count)),
            .integer(catalog.generation), .bool(batch.dependsOnCreation), .jsonTexts(rows.map(\.fields)),
            .bool(isSystem),
        ]
        var statements = [Statement("save", text, parameters)]
        if batch.hasPlaceholders {
            let others = rows.filter { $0.body == nil }
            statements.append(
                Statement(
                    "save",
                    """
                    DELETE FROM \(records) r USING unnest($1::text[], $2::text[]) AS i(type, name)
                    WHERE r.type = i.type AND r.name = i.name AND r.body IS NULL AND r.created = '-infinity'
                    """, [.texts(others.map(\.id.type)), .texts(others.map(\.id.name))]))
        }
        return statements
    }

    /// Finds out whether a batch was saved, and prevents a later save if it was not.
    ///
    /// If the batch is still being saved, the first statement waits for it; a later attempt to save it fails because
    /// its token is taken.
    func outcome(of token: UInt64) -> [Statement] {
        [
            Statement(
                "find out whether a batch was saved",
                "INSERT INTO \(commits) (token) VALUES ($1) ON CONFLICT DO NOTHING",
                [.integer(Int64(bitPattern: token))]),
            Statement(
                "find out whether a batch was saved",
                """
                SELECT c.xid, extract(epoch FROM s.purge_date)::float8 FROM \(commits) c, \(store) s
                WHERE c.token = $1
                """, [.integer(Int64(bitPattern: token))]),
        ]
    }

    /// Finds a batch that was applied or voided.
    func search(for token: UInt64) -> Statement {
        Statement(
            "find out whether a batch was saved", "SELECT 1 FROM \(commits) WHERE token = $1",
            [.integer(Int64(bitPattern: token))])
    }

    /// Reads the records that a transaction has saved, as far as they have not changed since then.
    func records(savedBy transaction: UInt64) -> Statement {
        Statement(
            "find out whether a batch was saved",
            "SELECT \(StoredRecords.columns) FROM \(records) r WHERE r.xid = $1 AND r.body IS NOT NULL",
            [.transaction(transaction)])
    }
}
#endif
