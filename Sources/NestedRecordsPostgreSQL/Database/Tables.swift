#if PostgreSQL
@_spi(Engines) import NestedRecords

struct Tables: Sendable {
    static let version: Int64 = 2
    let schema: String
    let records: String
    let commits: String
    let store: String
    let indexes: String
    let audiences: String
    let entries: String
    let departures: String
    let uploads: String
    let chunks: String

    init(schema: String) {
        self.schema = schema
        records = "\(schema.asIdentifier).records"
        commits = "\(schema.asIdentifier).commits"
        store = "\(schema.asIdentifier).store"
        indexes = "\(schema.asIdentifier).indexes"
        audiences = "\(schema.asIdentifier).audiences"
        entries = "\(schema.asIdentifier).audience_entries"
        departures = "\(schema.asIdentifier).departures"
        uploads = "\(schema.asIdentifier).asset_uploads"
        chunks = "\(schema.asIdentifier).asset_chunks"
    }

    /// An expression that is different on every server, and in every database of a server.
    ///
    /// A physical copy of a server has the same value.
    static let server = """
        ((SELECT system_identifier FROM pg_control_system())::text || '/' \
        || (SELECT oid FROM pg_database WHERE datname = current_database())::text)
        """

    /// The first statements of each connection.
    ///
    /// The other statements rely on seeing the latest commits of others, and on the built-in functions of the server.
    /// Each of them is short, so that compiling it is not worthwhile.
    static let settings = Statement(
        "connect",
        """
        SELECT set_config('search_path', 'pg_catalog', false), \
        set_config('default_transaction_isolation', 'read committed', false), set_config('jit', 'off', false)
        """)

    // MARK: Making the tables

    /// Waits until no other process creates tables in the schema, and excludes others until the end of the transaction.
    var lock: Statement {
        Statement(
            "wait for another preparation",
            """
            SELECT set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true), \
            pg_advisory_xact_lock(hashtextextended('NestedRecords ' || $1, 0))
            """, [.text(schema)])
    }

    static func block(_ statements: [Statement]) -> [Statement] {
        [Statement("begin a transaction", "BEGIN")] + statements + [Statement("commit a transaction", "COMMIT")]
    }

    /// Waits until no transaction saves, and keeps others from saving until the end of this one.
    var exclusion: Statement { make("LOCK TABLE \(records) IN SHARE ROW EXCLUSIVE MODE") }

    private func make(_ text: String, _ parameters: [Parameter] = []) -> Statement {
        Statement("prepare the tables", text, parameters)
    }

    /// Creates the missing tables.
    ///
    /// A deleted record stays as a row without a body, so that readers of changes learn of it. The number of the
    /// transaction that wrote a row last is its position in the history. A batch of records that the library keeps for
    /// itself alone is one of the system, and no news for those who wait.
    ///
    /// `expected` is the required state of the row that a save replaces; it is null after the check.
    ///
    /// An audience with the change tag of its declaration is kept by every save from then on, and complete `since` a
    /// transaction. Each entry is an audience value that a record has, with the number of the last change and the number at
    /// which the value was added; each departure one that a record has no longer.
    func creation(storeID: String) -> [Statement] {
        [
            make("CREATE SCHEMA IF NOT EXISTS \(schema.asIdentifier)"),
            make(
                """
                CREATE TABLE IF NOT EXISTS \(records) (
                    type text COLLATE "C" NOT NULL,
                    name text COLLATE "C" NOT NULL,
                    xid xid8 NOT NULL,
                    tag text COLLATE "C" NOT NULL,
                    expected text COLLATE "C",
                    created double precision NOT NULL,
                    modified double precision NOT NULL,
                    body bytea,
                    keys text[] COLLATE "C",
                    refs text[] COLLATE "C",
                    fields json,
                    PRIMARY KEY (type, name)
                )
                """),
            // For tables that were made without it.
            make("ALTER TABLE \(records) ADD COLUMN IF NOT EXISTS fields json"),
            make(
                """
                CREATE INDEX IF NOT EXISTS records_without_fields ON \(records) (type, name) \
                WHERE fields IS NULL AND body IS NOT NULL
                """),
            // With the type, so that a reader of one type passes the others.
            make("CREATE INDEX IF NOT EXISTS records_by_xid ON \(records) (xid, type)"),
            make("CREATE INDEX IF NOT EXISTS records_by_refs ON \(records) USING gin (refs)"),
            make(
                """
                CREATE TABLE IF NOT EXISTS \(commits) (
                    token bigint PRIMARY KEY,
                    xid xid8,
                    date timestamptz NOT NULL DEFAULT now(),
                    is_system boolean NOT NULL DEFAULT false
                )
                """),
            // For tables that were made without it.
            make("ALTER TABLE \(commits) ADD COLUMN IF NOT EXISTS is_system boolean NOT NULL DEFAULT false"),
            make("CREATE INDEX IF NOT EXISTS commits_by_xid ON \(commits) (xid)"),
            make("CREATE INDEX IF NOT EXISTS news_by_xid ON \(commits) (xid) WHERE NOT is_system"),
            make(
                """
                CREATE TABLE IF NOT EXISTS \(store) (
                    id integer PRIMARY KEY CHECK (id = 1),
                    version bigint NOT NULL,
                    identity text NOT NULL,
                    server text NOT NULL,
                    generation bigint NOT NULL,
                    purged xid8 NOT NULL,
                    purge_date timestamptz
                )
                """),
            make(
                """
                CREATE TABLE IF NOT EXISTS \(indexes) (
                    slot integer PRIMARY KEY,
                    type text COLLATE "C" NOT NULL,
                    path text COLLATE "C" NOT NULL,
                    is_ready boolean NOT NULL DEFAULT false,
                    UNIQUE (type, path)
                )
                """),
            make(
                """
                CREATE TABLE IF NOT EXISTS \(audiences) (
                    type text COLLATE "C" PRIMARY KEY,
                    tag text COLLATE "C" NOT NULL,
                    since xid8
                )
                """),
            make(
                """
                CREATE TABLE IF NOT EXISTS \(entries) (
                    type text COLLATE "C" NOT NULL,
                    name text COLLATE "C" NOT NULL,
                    value bytea NOT NULL,
                    xid xid8 NOT NULL,
                    added xid8 NOT NULL,
                    PRIMARY KEY (type, name, value)
                )
                """),
            make("CREATE INDEX IF NOT EXISTS audience_entries_by_value ON \(entries) (value, xid)"),
            make(
                """
                CREATE TABLE IF NOT EXISTS \(departures) (
                    type text COLLATE "C" NOT NULL,
                    name text COLLATE "C" NOT NULL,
                    value bytea NOT NULL,
                    xid xid8 NOT NULL,
                    is_deletion boolean NOT NULL,
                    PRIMARY KEY (type, name, value, xid)
                )
                """),
            make("CREATE INDEX IF NOT EXISTS departures_by_value ON \(departures) (value, xid)"),
            make("CREATE TABLE IF NOT EXISTS \(uploads) (name text COLLATE \"C\" PRIMARY KEY)"),
            make(
                """
                CREATE TABLE IF NOT EXISTS \(chunks) (
                    upload text COLLATE "C" NOT NULL REFERENCES \(uploads) ON DELETE CASCADE,
                    position bigint NOT NULL,
                    bytes bytea NOT NULL,
                    PRIMARY KEY (upload, position)
                )
                """),
            // Pictures and films are compressed already.
            make("ALTER TABLE \(chunks) ALTER COLUMN bytes SET STORAGE EXTERNAL"),
            make(
                """
                INSERT INTO \(store) (id, version, identity, server, generation, purged)
                VALUES (1, $1, $2, \(Self.server), 1, '0') ON CONFLICT DO NOTHING
                """, [.integer(Self.version), .text(storeID)]),
        ]
    }

    /// Gives records that were restored on another server a new history.
    ///
    /// The transaction numbers of the former server are meaningless there.
    func adoption(storeID: String, token: UInt64) -> [Statement] {
        let isForeign = "(SELECT server FROM \(store)) <> \(Self.server)"
        return [
            exclusion,
            make("UPDATE \(records) SET xid = pg_current_xact_id() WHERE \(isForeign)"),
            make(
                """
                UPDATE \(entries) SET xid = pg_current_xact_id(), added = pg_current_xact_id() WHERE \(isForeign)
                """),
            make("DELETE FROM \(departures) WHERE \(isForeign)"),
            make("UPDATE \(audiences) SET since = pg_current_xact_id() WHERE since IS NOT NULL AND \(isForeign)"),
            make("DELETE FROM \(commits) WHERE \(isForeign)"),
            make(
                "INSERT INTO \(commits) (token, xid) SELECT $1, pg_current_xact_id() WHERE \(isForeign)",
                [.integer(Int64(bitPattern: token))]),
            make(
                """
                UPDATE \(store) SET identity = $1, server = \(Self.server), generation = generation + 1, purged = '0', \
                purge_date = NULL WHERE \(isForeign)
                """, [.text(storeID)]),
        ]
    }

    /// Gives an index a number, and makes every process read the indexes again.
    func registration(of index: StoredIndex) -> [Statement] {
        [
            exclusion,
            make(
                """
                INSERT INTO \(indexes) (slot, type, path)
                SELECT coalesce(max(slot), 0) + 1, $1, $2 FROM \(indexes) ON CONFLICT DO NOTHING
                """, [.text(index.recordType), .text(index.path)]),
            make("UPDATE \(store) SET generation = generation + 1"),
        ]
    }

    /// Creates the index with a number.
    ///
    /// Only the records of its type have a key at this position.
    func indexCreation(slot: Int) -> Statement {
        make(
            """
            CREATE INDEX IF NOT EXISTS records_by_key_\(slot) ON \(records) (type, (keys[\(slot)]), name) \
            WHERE keys[\(slot)] IS NOT NULL
            """)
    }

    func indexCompletion(slot: Int) -> Statement {
        make("UPDATE \(indexes) SET is_ready = true WHERE slot = $1", [.integer(Int64(slot))])
    }

    /// Adds the keys of a new index to records, unless they were saved since they were read.
    ///
    /// The keys of other indexes stay: another process may add one that this process does not know.
    func keyUpdate(slot: Int, _ keys: [(record: Record, key: String)]) -> Statement {
        make(
            """
            WITH i AS MATERIALIZED (
                SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS i(type, name, tag, key)
            )
            UPDATE \(records) r SET keys[\(slot)] = i.key FROM i
            WHERE r.type = i.type AND r.name = i.name AND r.tag = i.tag
            """,
            [
                .texts(keys.map(\.record.id.type)), .texts(keys.map(\.record.id.name)),
                .texts(keys.map { $0.record.metadata?.changeTag }), .texts(keys.map(\.key)),
            ])
    }

    /// The records whose keys in some indexes are not these, unless they were saved since they were read.
    func differingKeys(slots: [Int], _ keys: [(record: Record, keys: String?)]) -> Statement {
        Statement(
            "compare keys",
            """
            SELECT r.type, r.name FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS i(type, name, tag, keys)
            JOIN \(records) r ON r.type = i.type AND r.name = i.name AND r.tag = i.tag
            WHERE EXISTS (
                SELECT 1 FROM unnest($5::bigint[]) AS s(slot) WHERE r.keys[s.slot] IS DISTINCT FROM (i.keys::text[])[s.slot]
            )
            """,
            [
                .texts(keys.map(\.record.id.type)), .texts(keys.map(\.record.id.name)),
                .texts(keys.map { $0.record.metadata?.changeTag }), .texts(keys.map(\.keys)),
                .integers(slots.map(Int64.init)),
            ])
    }

    /// Adds the JSON for SQL to records, unless they were saved since they were read.
    func fieldsUpdate(_ records: [Record]) -> Statement {
        make(
            """
            UPDATE \(self.records) r SET fields = i.fields
            FROM unnest($1::text[], $2::text[], $3::text[], $4::json[]) AS i(type, name, tag, fields)
            WHERE r.type = i.type AND r.name = i.name AND r.tag = i.tag
            """,
            [
                .texts(records.map(\.id.type)), .texts(records.map(\.id.name)),
                .texts(records.map { $0.metadata?.changeTag }), .jsonTexts(records.map(\.fields.readableJSON)),
            ])
    }

    var catalog: Statement {
        Statement(
            "look at the tables",
            """
            SELECT s.version, s.identity, s.server = \(Self.server), s.generation, i.slot, i.type, i.path, i.is_ready,
            EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus'),
            EXISTS (SELECT 1 FROM \(records) WHERE fields IS NULL AND body IS NOT NULL)
            FROM \(store) s LEFT JOIN \(indexes) i ON true ORDER BY i.slot
            """)
    }

    /// Forgets deletions and batches from before a time, and stores the new beginning of the history.
    ///
    /// The last batch stays: the next token needs it.
    func purge(secondsAgo: Double) -> [Statement] {
        let purged = "(SELECT purged FROM \(store))"
        return [
            Statement(
                "forget old deletions",
                """
                UPDATE \(store) SET purged = c.xid, purge_date = c.date FROM (
                    SELECT xid, date FROM \(commits)
                    WHERE xid < pg_snapshot_xmin(pg_current_snapshot()) AND date < now() - make_interval(secs => $1)
                    ORDER BY xid DESC LIMIT 1
                ) c WHERE purged < c.xid
                """, [.double(secondsAgo)]),
            Statement("forget old deletions", "DELETE FROM \(records) WHERE body IS NULL AND xid <= \(purged)"),
            Statement("forget old deletions", "DELETE FROM \(departures) WHERE xid <= \(purged)"),
            Statement(
                "forget old batches",
                """
                DELETE FROM \(commits) WHERE xid < \(purged)
                OR xid IS NULL AND date < now() - make_interval(secs => $1)
                """, [.double(secondsAgo)]),
        ]
    }
}
#endif
