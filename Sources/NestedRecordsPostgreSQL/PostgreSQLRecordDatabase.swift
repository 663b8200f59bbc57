#if PostgreSQL
public import Foundation
public import NestedRecords

/// A database on a PostgreSQL server, which many processes on many machines may use.
///
/// ```swift
/// let database = try PostgreSQLRecordDatabase(connection: "postgresql://ada@db.example.com/school")
/// try await database.prepare()
/// try await database.save(school)
/// ```
///
/// A fetch, whatever the number of records, is one statement, and so is a save. All records are in one table of a schema of
/// its own; the article <doc:Tables> describes it.
///
/// The server has the version 13 or later, and its database the encoding UTF-8. TLS, passwords and several hosts are those
/// of libpq: what its connection strings, its environment variables and its files say is used.
public final class PostgreSQLRecordDatabase: RecordDatabase {
    /// How to use a server.
    public struct Options: Sendable {
        /// The schema that the tables are in: 1 to 63 bytes of UTF-8.
        ///
        /// Databases with different schemas share nothing.
        public var schema = "nested_records"

        /// The greatest number of connections; one more is opened by ``PostgreSQLRecordDatabase/waitForChanges(after:)``.
        public var poolSize = 4

        /// The indexes that queries use; ``PostgreSQLRecordDatabase/prepare()`` makes those that are missing.
        public var indexes: [FieldIndex] = []

        /// How long a statement may take before the server gives it up; nil for what the server is set to.
        public var statementTimeout: Duration?

        /// How long to wait for a connection, unless the connection string says it; at least two seconds.
        public var connectTimeout = Duration.seconds(10)

        /// How long a server may give no sign of life on the network before the connection counts as lost, unless the
        /// connection string says it with `tcp_user_timeout`, `keepalives` and what belongs to them; nil for what the system
        /// is set to, which may be hours.
        ///
        /// It is at least 3 seconds, and at most 65,534. A server that only takes long to answer gives signs of life:
        /// ``statementTimeout`` limits that. Connections over a socket of the system itself need none.
        public var networkTimeout: Duration? = .seconds(60)

        /// How often to look for changes that were not announced, while something waits for one.
        ///
        /// It is at least a millisecond, and at most a year.
        public var pollInterval = Duration.seconds(2)

        /// For how long to remember which records were deleted; nil for ever.
        ///
        /// ``PostgreSQLRecordDatabase/prepare()`` forgets what is older.
        public var historyAge: Duration? = .seconds(30 * 86_400)

        /// The clock for the dates of the metadata.
        public var now: @Sendable () -> Date = { Date() }

        /// Makes the default options.
        public init() {}
    }

    let options: Options
    let tables: Tables
    let pool: ConnectionPool
    let bell: ChangeBell

    /// What is known of the tables; nil before the first use.
    let catalog = Lock<Catalog?>(nil)
    let parameters: ConnectionParameters

    /// Makes a database without connecting to the server: that happens when it is used first.
    ///
    /// - Parameters:
    ///   - connection: A connection string or URI, as libpq reads it. It is not kept in any error or description.
    ///   - options: How to use the server.
    /// - Throws: `RecordDatabaseError` with the code `invalidConnection` or `invalidOptions`.
    public init(connection: String, options: Options = Options()) throws {
        guard (1...63).contains(options.schema.utf8.count), !options.schema.utf8.contains(0) else {
            throw RecordDatabaseError(
                .invalidOptions, reason: "the name of a schema has 1 to 63 bytes of UTF-8 without NUL")
        }
        var parameters = try ConnectionParameters(connection)
        let seconds = Int(min(max(options.connectTimeout.inSeconds, 2), 1_000_000))
        parameters.setDefault("\(seconds)", for: "connect_timeout")
        if let timeout = options.networkTimeout { parameters.setDefaults(networkTimeout: timeout) }
        parameters.setDefault("NestedRecords", for: "application_name")
        parameters.set("UTF8", for: "client_encoding")
        self.options = options
        self.parameters = parameters
        tables = Tables(schema: options.schema)
        let first = [Tables.settings(statementTimeout: options.statementTimeout)]
        pool = ConnectionPool(parameters, first, size: options.poolSize)
        bell = ChangeBell(parameters, first + [tables.listening], pool, tables.announcement)
    }

    // Otherwise the system would go on watching the connection that listens.
    deinit {
        let bell = bell
        Task { await bell.close() }
    }

    /// Ends the use of the server.
    ///
    /// Calls in progress complete, later ones fail. Without closing, the connections end with the last reference to the
    /// database.
    public func close() async {
        pool.close()
        await bell.close()
    }

    /// The records with these IDs.
    ///
    /// - Parameter ids: IDs.
    /// - Returns: The records that are there.
    /// - Throws: `RecordDatabaseError`, and `CancellationError`.
    /// - Complexity: One statement.
    public func records(for ids: [Record.ID]) async throws -> [Record] {
        if ids.isEmpty { return [] }
        let rows = try await read(tables.fetch(ids))
        return try StoredRecords(rows, of: tables).records()
    }

    /// Every record, or every record of a type.
    ///
    /// The records are read in pages, so that the memory does not grow with their number. What others save meanwhile may
    /// or may not be among them.
    ///
    /// - Parameter type: The record type; nil for all.
    /// - Returns: The records in the order of their IDs.
    public func records(ofType type: String?) -> RecordSequence {
        RecordSequence { [self] in
            ListedRecords(pages: RecordPages(of: self, type.map { .type($0) } ?? .all))
        }
    }

    private struct ListedRecords: RecordSequence.Source {
        var pages: RecordPages
        var page: ArraySlice<Record> = []

        mutating func next() async throws -> Record? {
            while page.isEmpty, let next = try await pages.next() { page = next[...] }
            return page.popFirst()
        }
    }

    /// Reads something that may be read again.
    ///
    /// - Parameter settings: Statements to execute before, in the same transaction.
    func read(_ statement: Statement, with settings: [Statement] = []) async throws -> Answer {
        let answers = try await reportingMissingTables {
            try await pool.execute(settings + [statement], isRepeatable: true)
        }
        guard let answer = answers.last else { throw RecordDatabaseError(.connectionLost) }
        return answer
    }

    /// Says of tables that are not there what to do about it.
    func reportingMissingTables<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let failure as RecordDatabaseError where failure.isMissingTable {
            throw RecordDatabaseError(
                .notPrepared, reason: "in the schema \(options.schema.debugDescription)", underlyingError: failure)
        }
    }
}

extension PostgreSQLRecordDatabase: CustomStringConvertible {
    /// The server, the schema and the number of connections.
    public var description: String {
        "PostgreSQLRecordDatabase in \(parameters.place), schema \(options.schema), "
            + pool.openCount.counted("connection")
    }
}

extension PostgreSQLRecordDatabase: ChildlessReflectable {}
#endif
