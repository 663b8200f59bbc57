#if PostgreSQL
public import Foundation
@_spi(Engines) public import NestedRecords

/// A database on a PostgreSQL server, which many processes on many machines may use.
///
/// ```swift
/// let database = try PostgreSQLRecordDatabase(connection: "postgresql://ada@db.example.com/school")
/// try await database.prepare()
/// try await RecordStore(database).insert(school)
/// ```
///
/// A fetch of any number of records is one statement, and so is a save. All records are in one table of a separate
/// schema; the article <doc:Tables> describes it.
///
/// The server must have version 13 or later, and its database the encoding UTF-8. TLS, passwords and several hosts are
/// configured as in libpq: by its connection strings, environment variables and files. Unless the connection string sets
/// other timeouts, a connection that takes ten seconds to open, or a minute without a network response, counts as lost.
public final class PostgreSQLRecordDatabase: RecordDatabase {
    /// How to use a server.
    public struct Options: Sendable {
        /// The schema that the tables are in: 1 to 63 bytes of UTF-8.
        ///
        /// Databases with different schemas share nothing.
        public var schema = "nested_records"

        /// The greatest number of connections; ``PostgreSQLRecordDatabase/waitForChanges(after:)`` opens one more.
        public var poolSize = 4

        /// The indexes that queries use; ``PostgreSQLRecordDatabase/prepare()`` makes the missing ones.
        public var indexes: [FieldIndex] = []

        /// Whether saves also write the fields of each record as JSON, for people and programs that read the table with
        /// SQL: see the article <doc:Tables>.
        ///
        /// ``PostgreSQLRecordDatabase/prepare()`` adds the JSON of records that lack it.
        public var writesFieldsForSQL = true

        /// The interval at which a waiting call looks for changes that were not announced.
        ///
        /// It is at least a millisecond, and at most a year.
        public var pollInterval = Duration.seconds(2)

        /// The time for which deletions are remembered; nil for no limit.
        ///
        /// ``PostgreSQLRecordDatabase/prepare()`` forgets older ones.
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
    let catalog = Lock(KnownCatalog())
    let parameters: ConnectionParameters

    /// Makes a database; the first call connects to the server.
    ///
    /// - Parameters:
    ///   - connection: A connection string or URI, as libpq reads it. No error or description contains it.
    ///   - options: How to use the server.
    /// - Throws: `RecordDatabaseError` with the code `invalidConnection` or `invalidOptions`.
    public init(connection: String, options: Options = Options()) throws {
        guard (1...63).contains(options.schema.utf8.count), !options.schema.utf8.contains(0) else {
            throw RecordDatabaseError(
                .invalidOptions, reason: "the name of a schema has 1 to 63 bytes of UTF-8 without NUL")
        }
        var parameters = try ConnectionParameters(connection)
        parameters.setDefaults()
        parameters.set("UTF8", for: "client_encoding")
        self.options = options
        self.parameters = parameters
        tables = Tables(schema: options.schema)
        let first = [Tables.settings]
        pool = ConnectionPool(parameters, first, size: options.poolSize)
        bell = ChangeBell(parameters, first + [tables.listening], pool, tables.announcement)
    }

    // Otherwise the listening connection would stay open.
    deinit { bell.close() }

    /// Closes the database.
    ///
    /// Calls in progress complete, later ones fail. Without closing, the connections end with the last reference to the
    /// database.
    public func close() async {
        pool.close()
        bell.close()
    }

    /// The contents of assets, in tables of the schema.
    public var assets: (any AssetStorage)? { StoredAssets(self, PostgreSQLAssetChunks(database: self)) }

    /// Everything, and the outcomes of lost batches; audiences and fetches of one moment unless the records are
    /// distributed.
    public var capabilities: RecordCapabilities {
        let all: RecordCapabilities = [.all, .outcomes, .audiences]
        return isDistributed ? all.subtracting([.audiences, .snapshotReads]) : all
    }

    /// Before the first look at the tables, they count as not distributed.
    private var isDistributed: Bool { catalog.withLock { $0.latest?.isDistributed ?? false } }

    /// The records with these IDs.
    ///
    /// - Throws: `RecordDatabaseError`, and `CancellationError`.
    /// - Complexity: One statement.
    public func records(for ids: [Record.ID]) async throws -> [Record] {
        if ids.isEmpty { return [] }
        let rows = try await read(fetch(ids))
        return try StoredRecords(rows, of: tables).records()
    }

    func fetch(_ ids: [Record.ID]) -> Statement { tables.fetch(ids, isDistributed: isDistributed) }

    /// All records, or those of a type.
    ///
    /// The records are read in pages, so that the memory does not grow with their number. Records that others save
    /// during the iteration may or may not be among them.
    public func storedRecords(ofType type: String?) -> RecordSequence {
        RecordSequence(pages: { [self] in RecordPages(of: self, type.map { .type($0) } ?? .all) })
    }

    /// Reads with a statement that may be repeated, after others in the same transaction.
    func read(_ statement: Statement, with settings: [Statement] = []) async throws -> Answer {
        let answers = try await reportingMissingTables {
            try await pool.execute(settings + [statement], isRepeatable: true)
        }
        guard let answer = answers.last else { throw RecordDatabaseError(.connectionLost) }
        return answer
    }

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
#else
/// Not in this build.
///
/// The members exist so that the compiler can say why they cannot be used.
@available(*, unavailable, message: "enable the package trait PostgreSQL of the package NestedRecords")
public final class PostgreSQLRecordDatabase {
    /// Not in this build.
    public struct Options {
        /// Makes the default options.
        public init() {}
    }

    /// Makes a database.
    public init(connection: String, options: Options = Options()) throws {}
}
#endif
