#if SQLite
public import Foundation
@_spi(Engines) public import NestedRecords

/// A database in a file of SQLite, which several processes may use at the same time.
///
/// ```swift
/// var options = SQLiteRecordDatabase.Options()
/// options.indexes = [FieldIndex("School", by: "name")]
/// let database = try SQLiteRecordDatabase(path: "school.sqlite", options: options)
/// try await RecordStore(database).insert(school)
/// ```
///
/// A save that has returned survives a crash and, with `RecordDurability.full`, a loss of power. Queries use the
/// indexes that are declared in the options; references back to records are always indexed. While the file is open, two
/// more files exist, with the suffixes `-wal` and `-shm`: copy or move the three together, or close the database
/// before.
///
/// While it is open, a program must not open and close the file itself, not even to read it: on POSIX systems that
/// drops SQLite's locks on the file, and saves of other processes may then be lost.
///
/// One connection writes, several others read at the same time. Each has its own thread, so that waiting for the disk
/// or for another process does not block any task. A fetch of one record and a page are read in the thread of the task; a
/// page that reads more than 200 records or takes longer than a millisecond begins again in the other thread.
public final class SQLiteRecordDatabase: RecordDatabase {
    /// How to open a file.
    public struct Options: Sendable {
        /// Whether to open the file only for reading.
        public var isReadOnly = false

        /// Whether saves survive a loss of power.
        public var durability = RecordDurability.full

        /// The indexes to keep.
        ///
        /// The first call, or ``prepare()``, makes the missing ones. Every process maintains all indexes of the file.
        public var indexes: [FieldIndex] = []

        /// Whether indexes of the file that are not in ``indexes`` are removed.
        public var removesOtherIndexes = false

        /// Whether the file gets the fields of each record as JSON, for people and programs that read it with SQL.
        ///
        /// The article <doc:ReadingFilesWithSQL> describes it. Without it, files are smaller and saves faster.
        ///
        /// The first call, or ``SQLiteRecordDatabase/prepare()``, adds the JSON of records that lack it. From then on the
        /// file has it: the saves of every program write it, whatever its options.
        public var writesFieldsForSQL = false

        /// The number of connections that read, 1 or more; each is opened when it is needed.
        public var readerCount = 4

        /// The time to wait for other processes before the error `busy`.
        public var busyTimeout = Duration.seconds(5)

        /// The approximate maximum number of deleted records to remember for ``storedChanges(since:limit:)``.
        public var maximumDeletionCount = 100_000

        /// The interval at which ``waitForChanges(after:)`` looks for changes by other processes.
        ///
        /// It is at least a millisecond, and at most a year.
        public var pollInterval = Duration.milliseconds(250)

        /// The clock for the dates of the metadata.
        public var now: @Sendable () -> Date = { Date() }

        /// Makes the default options.
        public init() {}

        /// Opens the file only for reading.
        public static var readOnly: Options {
            var options = Options()
            options.isReadOnly = true
            return options
        }
    }

    /// The path of the file, as it was given.
    public let path: String

    let options: Options
    let writer: ConnectionQueue
    let commits: CommitQueue
    let readers: LeastBusy<ConnectionQueue>
    let doorbell = Doorbell()

    /// The identity of the database; nil until the file has the tables and the indexes.
    private let store: Lock<String?>

    /// Opens a file for reading and writing, or only for reading; creates a missing file unless opened read-only.
    ///
    /// Problems of the file are reported at once, unless others are using it, or a process that was killed has left a
    /// write-ahead log of more than 16 MiB. Waiting and work that takes longer are left to the first call, or to
    /// ``prepare()``.
    ///
    /// - Parameters:
    ///   - path: The path of the file; its folder must exist.
    ///   - options: How to open it.
    /// - Throws: `RecordDatabaseError` with the codes `invalidPath` for an empty path or one with a NUL,
    ///   `cannotOpen`, `notARecordDatabase`, `unsupportedVersion`, `corrupt` and `readOnly`.
    public init(path: String, options: Options = Options()) throws {
        if path.isEmpty { throw RecordDatabaseError(.invalidPath, reason: "it is empty", path: path) }
        if path.utf8.contains(0) {
            throw RecordDatabaseError(.invalidPath, reason: "it contains a NUL character", path: path)
        }
        // Absolute, so that all connections use the same file, and none of the names that have a meaning for SQLite.
        let isAbsolute = path.utf8.first == UInt8(ascii: "/")
        let file = isAbsolute ? path : FileManager.default.currentDirectoryPath + "/" + path
        let store = Lock<String?>(nil)
        self.path = path
        self.options = options
        self.store = store
        writer = ConnectionQueue(label: "NestedRecords.SQLite.writer", path: path) {
            try Connection(file: file, path: path, options: options, isReader: false, waits: $0)
        }
        // SQLite begins by reading the whole log if no other process has the file open.
        if Self.logSize(of: file) <= Self.longestLog { try writer.openWithoutWaiting() }
        commits = CommitQueue(writer: writer, options: options)
        readers = LeastBusy(
            (0..<max(1, options.readerCount)).map { number in
                ConnectionQueue(label: "NestedRecords.SQLite.reader\(number)", path: path) {
                    let connection = try Connection(file: file, path: path, options: options, isReader: true, waits: $0)
                    // The reader may be opened long after the writing connection.
                    if let store = store.withLock({ $0 }) { try connection.checkStore(store) }
                    return connection
                }
            })
    }

    /// The maximum size of a write-ahead log that is read while a database is made: about 10 milliseconds.
    private static let longestLog = 16 << 20

    private static func logSize(of file: String) -> Int {
        let log = URL(fileURLWithPath: file).resolvingSymlinksInPath().path + "-wal"
        return (try? FileManager.default.attributesOfItem(atPath: log))?[.size] as? Int ?? 0
    }

    /// Opens the file at a URL as ``init(path:options:)`` does.
    public convenience init(at url: URL, options: Options = Options()) throws {
        try self.init(path: url.path, options: options)
    }

    /// Makes the declared indexes that are missing in the file, and the JSON for SQL that records lack.
    ///
    /// The first call of another function does so itself, and waits for it.
    ///
    /// - Throws: `RecordDatabaseError`, also `busy` if others use the file for too long; and `CancellationError`.
    /// - Complexity: O(*n*) for *n* records of the types whose indexes are new, or without JSON.
    public func prepare() async throws {
        if store.withLock({ $0 != nil }) { return }
        let id = try await writer.run { [options] connection in
            if !options.isReadOnly {
                try connection.declare(options.indexes, removesOthers: options.removesOtherIndexes)
                if options.writesFieldsForSQL { try connection.addMissingFields() }
            }
            return try connection.storeID()
        }
        store.withLock { $0 = id }
    }

    func read<Result: Sendable>(
        isShort: Bool = false, _ body: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result {
        try await prepare()
        return try await readers.run(isShort: isShort) { connection in try connection.read { try body(connection) } }
    }

    /// Everything, and audiences.
    public var capabilities: RecordCapabilities { [.all, .audiences] }

    /// The contents of assets, in tables of the file.
    public var assets: (any AssetStorage)? { StoredAssets(self, SQLiteAssetChunks(database: self)) }

    /// The records with these IDs.
    ///
    /// - Throws: `RecordDatabaseError`, and `CancellationError`.
    /// - Complexity: O(*n* log *m*) for *n* IDs and *m* records in the database.
    public func records(for ids: [Record.ID]) async throws -> [Record] {
        if ids.isEmpty { return [] }
        if ids.count > 1 { return try await read { try $0.records(for: ids) } }
        try await prepare()
        // One statement reads one snapshot of the file by itself.
        return try await readers.run(isShort: true) { try $0.records(for: ids) }
    }

    /// Applies a batch completely, or not at all if an error is thrown.
    ///
    /// Batches that several tasks commit at the same time wait for the disk together.
    ///
    /// A record whose row is damaged is replaced or deleted as if its version were not known, and gets a new creation
    /// date. If the batch requires a version of it, the error is `corrupt` and names the record.
    ///
    /// - Throws: `RecordDatabaseError`, and `RecordError.invalidKey` or `RecordError.depthLimitExceeded` for a record
    ///   that cannot be written.
    /// - Complexity: O(*n* log *m*) for *n* records, references and IDs, and *m* records in the database; with
    ///   `RecordBatch.allowedReferrers` also what ``referrers(of:)`` takes.
    @discardableResult
    public func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        try check(batch)
        if options.isReadOnly {
            throw RecordDatabaseError(.readOnly, reason: "it was opened only for reading", path: path)
        }
        try await prepare()
        let result = try await batch.withContents { try await commits.commit($0) }
        if result.hasChanged { doorbell.ring() }
        return result.metadata
    }

    /// All records, or those of a type.
    public func storedRecords(ofType type: String?) -> RecordSequence {
        RecordSequence(pages: { [self] in ListedPages(database: self, type: type) })
    }

    private struct ListedPages: AsyncIteratorProtocol {
        let database: SQLiteRecordDatabase
        let type: String?
        var place: Record.ID?
        var isAtEnd = false

        mutating func next() async throws -> [Record]? {
            if isAtEnd { return nil }
            let (type, start) = (type, place)
            let page = try await database.read { try $0.listedRecords(ofType: type, after: start) }
            (place, isAtEnd) = (page.last?.id, page.isEmpty)
            return page
        }
    }

    /// Closes the database, after calls in progress.
    ///
    /// Later calls fail. Without closing, the file is free shortly after the last reference to the database is gone.
    ///
    /// - Throws: Errors of SQLite; all saved records are safe nevertheless.
    public func close() async throws {
        for reader in readers.elements { try await reader.close { _ in } }
        try await writer.close { [options] in
            // A process that reads does not prevent this.
            if !options.isReadOnly { try $0.run("PRAGMA wal_checkpoint(PASSIVE)") }
        }
        doorbell.ring()
    }
}

extension SQLiteRecordDatabase: CustomStringConvertible {
    /// The path.
    public var description: String { "SQLiteRecordDatabase at \(path)\(options.isReadOnly ? ", read-only" : "")" }
}

extension SQLiteRecordDatabase: ChildlessReflectable {}
#else
/// Not in this build.
///
/// The members exist so that the compiler can say why they cannot be used.
@available(*, unavailable, message: "enable the package trait SQLite of the package NestedRecords")
public final class SQLiteRecordDatabase {
    /// Not in this build.
    public struct Options {
        /// Makes the default options.
        public init() {}
    }

    /// Makes a database.
    public init(path: String, options: Options = Options()) throws {}
}
#endif
