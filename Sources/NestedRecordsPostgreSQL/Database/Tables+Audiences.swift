#if PostgreSQL
@_spi(Engines) import NestedRecords

// MARK: Writing

extension Tables {
    var storedAudiences: Statement {
        Statement(
            "look at the tables",
            """
            SELECT \(StoredRecords.columns), a.since FROM \(audiences) a
            JOIN \(records) r ON r.type = $1 AND r.name = a.type WHERE r.body IS NOT NULL
            """, [.text(RecordAudience.recordType)])
    }

    /// What to execute after the rows of a batch are saved, in the same transaction: the entries of the records become those
    /// of the new versions, and each entry that is removed becomes a departure.
    ///
    /// The rows are locked, and the statement begins after that. So it sees the entries that the version before has left,
    /// whatever was saved since the batch was read.
    ///
    /// Transactions may change a record in another order than that of their numbers. Each change has the number of its
    /// transaction, or a greater one that the record has already: that one has not been passed by any reader, because this
    /// transaction is in progress.
    func audienceStatements(of batch: BatchRows) -> [Statement] {
        let rows = batch.rows.filter { $0.audience != nil }
        if rows.isEmpty { return [] }
        let values = rows.flatMap { row in (row.audience ?? []).map { (id: row.id, value: $0) } }
        // The server plans a kept statement for ten rows: it compares each with each.
        let isSmall = rows.count + values.count <= 100
        return [
            Statement(
                "save",
                """
                WITH i AS MATERIALIZED (
                    SELECT i.type, i.name, i.is_deletion, greatest(
                        pg_current_xact_id(),
                        (
                            SELECT e.xid FROM \(entries) e WHERE e.type = i.type AND e.name = i.name
                            ORDER BY e.xid DESC LIMIT 1
                        ),
                        (
                            SELECT d.xid FROM \(departures) d WHERE d.type = i.type AND d.name = i.name
                            ORDER BY d.xid DESC LIMIT 1
                        )) AS xid
                    FROM unnest($1::text[], $2::text[], $3::bigint[]) AS i(type, name, is_deletion)
                ), v AS MATERIALIZED (
                    SELECT type, name, value FROM unnest($4::text[], $5::text[], $6::bytea[]) AS v(type, name, value)
                ), removed AS (
                    DELETE FROM \(entries) e USING i WHERE e.type = i.type AND e.name = i.name AND NOT EXISTS (
                        SELECT 1 FROM v WHERE v.type = e.type AND v.name = e.name AND v.value = e.value)
                    RETURNING e.type, e.name, e.value, i.xid, i.is_deletion = 1 AS is_deletion
                ), departed AS (
                    INSERT INTO \(departures) (type, name, value, xid, is_deletion)
                    SELECT type, name, value, xid, is_deletion FROM removed
                    ON CONFLICT (type, name, value, xid) DO UPDATE SET is_deletion = excluded.is_deletion
                )
                INSERT INTO \(entries) (type, name, value, xid, added)
                SELECT v.type, v.name, v.value, i.xid, i.xid FROM v JOIN i ON v.type = i.type AND v.name = i.name
                ON CONFLICT (type, name, value) DO UPDATE SET xid = excluded.xid
                """,
                [
                    .texts(rows.map(\.id.type)), .texts(rows.map(\.id.name)),
                    .integers(rows.map { $0.body == nil ? 1 : 0 }), .texts(values.map(\.id.type)),
                    .texts(values.map(\.id.name)), .byteLists(values.map(\.value.bytes)),
                ], isKept: isSmall)
        ]
    }

    /// Takes in the declarations of a batch, after its rows: from then on every save keeps them.
    func declarations(of batch: RecordBatch, _ rows: BatchRows) -> [Statement] {
        let declarations = batch.declarations
        if declarations.isEmpty { return [] }
        var statements: [Statement] = []
        for id in declarations {
            let isDeclared = batch.saves.contains { $0.id == id && RecordAudience($0) != nil }
            if isDeclared, let tag = rows.rows.first(where: { $0.id == id })?.tag {
                statements.append(
                    Statement(
                        "declare an audience",
                        """
                        INSERT INTO \(audiences) (type, tag) VALUES ($1, $2)
                        ON CONFLICT (type) DO UPDATE SET tag = excluded.tag, since = NULL
                        """, [.text(id.name), .text(tag)]))
            } else {
                statements.append(
                    Statement("declare an audience", "DELETE FROM \(audiences) WHERE type = $1", [.text(id.name)]))
            }
            statements.append(
                Statement("declare an audience", "DELETE FROM \(entries) WHERE type = $1", [.text(id.name)]))
        }
        return statements + [Statement("declare an audience", "UPDATE \(store) SET generation = generation + 1")]
    }

    /// Adds the entries of records that were saved before the declaration of their audience, unless they or the declaration
    /// were changed since they were read.
    func entryAddition(_ records: [Record], _ audience: RecordAudience, tag: String) -> Statement {
        let values = records.flatMap { record in audience.keys(of: record).map { (record: record, value: $0) } }
        return Statement(
            "declare an audience",
            """
            WITH a AS MATERIALIZED (SELECT 1 FROM \(audiences) WHERE type = $1 AND tag = $2 FOR SHARE),
            r AS MATERIALIZED (
                SELECT r.name FROM unnest($3::text[], $4::text[]) AS i(name, tag)
                JOIN \(self.records) r ON r.type = $1 AND r.name = i.name AND r.tag = i.tag
                WHERE EXISTS (SELECT 1 FROM a) ORDER BY r.name FOR UPDATE OF r
            )
            INSERT INTO \(entries) (type, name, value, xid, added)
            SELECT $1, v.name, v.value, pg_current_xact_id(), pg_current_xact_id()
            FROM unnest($5::text[], $6::bytea[]) AS v(name, value) JOIN r ON r.name = v.name ON CONFLICT DO NOTHING
            """,
            [
                .text(audience.recordType), .text(tag), .texts(records.map(\.id.name)),
                .texts(records.map { $0.metadata?.changeTag }), .texts(values.map(\.record.id.name)),
                .byteLists(values.map(\.value.bytes)),
            ])
    }

    /// Notes that an audience is complete, unless its declaration was changed.
    ///
    /// The batch without records gives a token to begin with.
    func completion(ofType type: String, tag: String, token: UInt64) -> [Statement] {
        [
            Statement(
                "declare an audience",
                """
                WITH a AS (
                    UPDATE \(audiences) SET since = pg_current_xact_id()
                    WHERE type = $1 AND tag = $2 AND since IS NULL RETURNING since
                )
                INSERT INTO \(commits) (token, xid, is_system) SELECT $3, since, true FROM a
                """, [.text(type), .text(tag), .integer(Int64(bitPattern: token))]),
            Statement("declare an audience", "UPDATE \(store) SET generation = generation + 1"),
        ]
    }
}

// MARK: Reading

extension Tables {
    /// The end of the page that follows a token, and the containers of a reader.
    ///
    /// - Parameter keys: The values that make records containers of the reader.
    func audienceHead(since token: ChangeToken, _ keys: [AudienceKey]) throws -> Statement {
        try Statement(
            "read the changes of a reader",
            """
            SELECT \(tokenCheck),
                (SELECT c.xid FROM \(commits) c WHERE c.xid < \(Self.horizon) ORDER BY c.xid DESC LIMIT 1),
                m.n, m.type, m.name, m.added
            FROM \(store) s LEFT JOIN LATERAL (
                SELECT k.n, e.type, e.name, e.added FROM unnest($3::bytea[]) WITH ORDINALITY AS k(value, n)
                JOIN \(entries) e ON e.value = k.value
            ) m ON true
            """, parameters(of: token) + [.byteLists(keys.map(\.bytes))], isKept: true)
    }

    /// The entries and departures of values, and the changed records of types, after a number: for each of them as many as
    /// the limit and all with the number of the last one; and whether there are some after the end.
    func audienceChanges(
        of keys: [AudienceKey], _ types: [String], since start: UInt64, until end: UInt64, limit: Int
    ) -> [Statement] {
        let range: [Parameter] = [.transaction(start), .transaction(end)]
        func rows(_ table: String, _ flags: String) -> String {
            """
            SELECT k.n, c.type, c.name, c.xid, \(flags) FROM unnest($3::bytea[]) WITH ORDINALITY AS k(value, n)
            CROSS JOIN LATERAL (
                SELECT * FROM \(table) c WHERE c.value = k.value AND c.xid > $1 AND c.xid <= $2
                ORDER BY c.xid FETCH FIRST ($4) ROWS WITH TIES
            ) c
            """
        }
        let purpose = "read the changes of a reader"
        let limit = Parameter.integer(Int64(clamping: limit) &+ 1)
        let values = Parameter.byteLists(keys.map(\.bytes))
        var statements = [
            Statement(
                purpose,
                rows(entries, "false, false") + " UNION ALL " + rows(departures, "true, c.is_deletion"),
                range + [values, limit], isKept: true),
            Statement(
                purpose,
                """
                SELECT EXISTS (SELECT 1 FROM \(entries) WHERE value = ANY ($1::bytea[]) AND xid > $2)
                OR EXISTS (SELECT 1 FROM \(departures) WHERE value = ANY ($1::bytea[]) AND xid > $2)
                OR EXISTS (SELECT 1 FROM \(records) WHERE type = ANY ($3::text[]) AND xid > $2)
                """, [values, .transaction(end), .texts(types)], isKept: true),
        ]
        if !types.isEmpty {
            statements.append(
                Statement(
                    purpose,
                    """
                    SELECT k.n, r.type, r.name, r.xid, r.body IS NULL, true
                    FROM unnest($3::text[]) WITH ORDINALITY AS k(type, n) CROSS JOIN LATERAL (
                        SELECT * FROM \(records) r WHERE r.type = k.type AND r.xid > $1 AND r.xid <= $2
                        ORDER BY r.xid FETCH FIRST ($4) ROWS WITH TIES
                    ) r
                    """, range + [.texts(types), limit], isKept: true))
        }
        return statements
    }

    /// The records of values after a name, in the order of their names.
    func contents(of keys: [AudienceKey], after names: [String], limit: Int) -> Statement {
        Statement(
            "read the contents of a container",
            """
            SELECT k.n, c.type, c.name FROM unnest($1::bytea[], $2::text[]) WITH ORDINALITY AS k(value, name, n)
            CROSS JOIN LATERAL (
                SELECT e.type, e.name FROM \(entries) e WHERE e.value = k.value AND e.name > k.name
                ORDER BY e.name LIMIT $3
            ) c ORDER BY k.n, c.name
            """, [.byteLists(keys.map(\.bytes)), .texts(names), .integer(Int64(clamping: limit))], isKept: true)
    }

    /// The records as they were at the end of a page; later versions are missing.
    func fetch(_ ids: [Record.ID], until end: UInt64) -> Statement {
        Statement(
            "fetch records",
            """
            SELECT \(StoredRecords.columns) FROM unnest($1::text[], $2::text[]) AS i(type, name)
            JOIN \(records) r ON r.type = i.type AND r.name = i.name WHERE r.body IS NOT NULL AND r.xid <= $3
            """, [.texts(ids.map(\.type)), .texts(ids.map(\.name)), .transaction(end)], isKept: true)
    }

    /// The token at a number, and the beginning of the history, which another process may have moved.
    func place(at number: UInt64) -> Statement {
        Statement(
            "read the changes of a reader",
            """
            SELECT s.purged, c.xid, c.token FROM \(store) s LEFT JOIN LATERAL (
                SELECT c.xid, c.token FROM \(commits) c WHERE c.xid <= $1 ORDER BY c.xid DESC LIMIT 1
            ) c ON true
            """, [.transaction(number)], isKept: true)
    }

    /// The entries of a record as the verification reads them, in the rows of the table of records.
    static func entriesText(_ entries: String) -> String {
        """
        (SELECT string_agg(encode(e.value, 'hex'), ' ' ORDER BY e.value) FROM \(entries) e \
        WHERE e.type = r.type AND e.name = r.name)
        """
    }

    /// The number of entries that belong to no record.
    var strayEntries: Statement {
        Statement(
            "verify the audiences",
            """
            SELECT count(*) FROM \(entries) e WHERE NOT EXISTS (
                SELECT 1 FROM \(records) r WHERE r.type = e.type AND r.name = e.name AND r.body IS NOT NULL)
            """)
    }
}
#endif
