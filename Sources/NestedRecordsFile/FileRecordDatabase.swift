public import NestedRecords

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A database in one file: crash-safe, with one writer and any number of readers.
///
/// ```swift
/// let database = try FileRecordDatabase(path: "school.records")
/// try await database.save(school)
/// ```
///
/// A save that has returned survives a crash and, with `RecordDurability.full`, a loss of power. Saves that come at the
/// same time are written together. A fetch of one record is one read of the file, whose index is in memory with 21 to
/// 43 bytes a record; records that are close together in the file are read at once. The article <doc:RecordFile> describes the file.
///
/// A fetch of at most 32 records and 64 KiB reads the file in the thread of the task that asks, which is faster than to
/// wait for another one. Everything else runs in other threads: larger fetches, lists, saves, compactions, verifications,
/// and looks for what another process has written. So the task's thread is free for other tasks meanwhile.
public final class FileRecordDatabase: RecordDatabase {
    /// How to open a file.
    public struct Options: Sendable {
        /// Whether to open the file only for reading: without a lock, and without changing anything.
        ///
        /// Another process may write the file, or another database in this one: each fetch, query and list begins with what
        /// is there by then, as far as it is written. The last batch may be one whose save has not returned yet, and which
        /// a loss of power may still take.
        public var isReadOnly = false

        /// What has to survive a loss of power.
        public var durability = RecordDurability.full

        /// The fraction of the file that old versions may take, 0 to 1, before it is compacted after a save.
        ///
        /// Nil leaves that to ``FileRecordDatabase/compact()``. Files of less than a megabyte are left alone.
        public var compactionThreshold: Double? = 0.5

        /// How many deleted records a compaction remembers at most for ``FileRecordDatabase/changes(since:limit:)``.
        ///
        /// A deletion takes about as many bytes as the ID. Until the first compaction all are remembered.
        public var maximumDeletionCount = 100_000

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

    let store: LogStore

    /// Opens a file, and creates it if it is missing and not opened read-only.
    ///
    /// - Parameters:
    ///   - path: The path of the file; its folder must be there. Symbolic links are followed now: the database is the
    ///     file that they lead to, and later changes of the links or the working directory have no effect.
    ///   - options: How to open it.
    /// - Throws: `RecordDatabaseError.invalidPath` for a path with a NUL,
    ///   `RecordDatabaseError.locked` if the file is already open for writing,
    ///   `RecordDatabaseError.notARecordDatabase`, `RecordDatabaseError.unsupportedVersion`,
    ///   `RecordDatabaseError.corrupt` if something that was acknowledged is damaged, and what
    ///   the system refuses.
    /// - Complexity: O(*n*) for *n* records that were saved since the index was, which happens at ``close()`` and
    ///   compaction.
    public convenience init(path: String, options: Options = Options()) throws {
        try self.init(path: path, options: options, system: FileSystem())
    }

    /// Opens a file, and creates it if it is missing and not opened read-only.
    ///
    /// - Parameters:
    ///   - url: The URL of the file.
    ///   - options: How to open it.
    /// - Throws: As ``init(path:options:)``.
    public convenience init(at url: URL, options: Options = Options()) throws {
        try self.init(path: url.path, options: options)
    }

    package init(path: String, options: Options, system: FileSystem) throws {
        store = try LogStore.open(path: path, options: options, system: system)
    }

    // Otherwise a compaction would keep the file locked to its end.
    deinit { store.compactor.leaveAlone() }

    /// The path of the file, as it was given.
    public var path: String { store.file.path }

    /// The number of bytes behind the last whole batch when the file was opened.
    ///
    /// They are those of a batch that was being written when the writer ended, and was never acknowledged. They are
    /// kept beside the file and cut off it, see ``recoveredPath``.
    ///
    /// Opening a file only for reading leaves them where they are.
    public var recoveredByteCount: Int { store.recoveredByteCount }

    /// The path of the file that keeps what was cut off this one.
    ///
    /// It is that of the database with `.torn` behind it, or `.torn-2` and so on where that is taken: nothing is
    /// replaced. Nil if nothing was cut off. Where the bytes cannot be kept, because the disk is full for instance, they stay
    /// in the file, and this is nil until a save or a compaction has kept them; until then these throw why they cannot.
    public var recoveredPath: String? { store.file.view.withLock { $0.recoveredPath } }

    /// Why the file cannot be compacted, if it could be half as large; nil otherwise.
    package var compactionWarning: String? { store.compactor.warning }

    /// The records with these IDs.
    ///
    /// - Parameter ids: IDs.
    /// - Returns: The records that are there, in the order of the file.
    /// - Throws: `RecordDatabaseError.corrupt`, `RecordDatabaseError.closed` and what
    ///   the system refuses.
    /// - Complexity: O(*n*) for *n* IDs.
    public func records(for ids: [Record.ID]) async throws -> [Record] {
        try await store.reading { try await $0.records(for: ids) }
    }

    /// Applies a batch: all of it, or nothing if an error is thrown.
    ///
    /// - Parameter batch: The records to save and to delete, and the versions that others must have.
    /// - Returns: The new metadata of every saved record.
    /// - Throws: `RecordDatabaseError`, also `RecordDatabaseError.fileReplaced` if the path no longer leads
    ///   to the file, and `RecordError.invalidKey` or `RecordError.depthLimitExceeded` for a record that cannot be
    ///   written.
    /// - Complexity: O(*n*) for *n* records and IDs.
    @discardableResult
    public func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        try Record.checkFieldNames(of: batch.saves)
        // Others are found to be duplicates when they are written.
        if !batch.conditions.isEmpty { try check(batch) }
        // One record alone is refused before any of it is written.
        if batch.saves.count > 1 { try RecordWriter.check(batch.saves) }
        if store.file.options.isReadOnly {
            guard batch.saves.isEmpty, batch.deletions.isEmpty else {
                throw RecordDatabaseError(.readOnly, path: path)
            }
            try await checkConditions(of: batch)
            return [:]
        }
        do {
            return try await Promise.result { promise in
                store.committer.enqueue(WaitingBatch(batch) { promise.resume(with: $0) })
            }
        } catch {
            // Other databases look for duplicates first; here that would take its time in every save.
            try check(batch)
            throw error
        }
    }

    /// Refuses a batch unless its conditions hold, as transactions that only read ask for.
    private func checkConditions(of batch: RecordBatch) async throws {
        let found = try await records(for: batch.conditions.map(\.id))
        let records = Dictionary(found.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        try batch.checkVersions { records[$0] }
    }

    /// Every record, or every record of a type, as they are when the first one is asked for.
    ///
    /// - Parameter type: The record type; nil for all.
    /// - Returns: The records in the order in which they were saved.
    public func records(ofType type: String?) -> RecordSequence {
        RecordSequence { [store] in ScannedRecords(store: store, type: type) }
    }

    /// Writes a new file with the newest versions of all records, and replaces the old one by it.
    ///
    /// Saves and fetches go on meanwhile: saves in the old file, until the new one has everything. Readers continue with
    /// the old file. The new file has the owner, the group, the permissions and the extended attributes of the old one. If
    /// a compaction is under way, this is the next one.
    ///
    /// Where the system refuses to replace the file, because it is mounted by itself or its folder may not be written or is
    /// sticky for instance, the file is not compacted, and an automatic compaction leaves it alone.
    /// ``Statistics/compactionFailure`` says so. `records copy` makes a compacted copy of such a file.
    ///
    /// - Returns: How many bytes the file has become smaller.
    /// - Throws: `RecordDatabaseError.notReplaceable` if no other file can take the name of the file,
    ///   `RecordDatabaseError.hardLinked` if the file has several names,
    ///   `RecordDatabaseError.fileReplaced` if the path no longer leads to it, and what the system refuses. All
    ///   records stay. `RecordDatabaseError.closed` if the database is
    ///   closed before the compaction is complete. An automatic compaction is put off instead, and
    ///   ``Statistics/compactionFailure`` says why.
    @discardableResult
    public func compact() async throws -> Int {
        if store.file.options.isReadOnly { throw RecordDatabaseError(.readOnly, path: path) }
        return try await Promise.result { promise in store.compactor.compact { promise.resume(with: $0) } }
    }

    /// Ends the use of the file.
    ///
    /// The file is marked as complete, so that the next opening is fast and detects every damage, and another process
    /// may open it for writing. Later calls fail, calls in progress complete, except that a compaction is given up.
    /// Without closing, the file is free once the last reference to the database is gone. A compaction that is under way then
    /// is given up, and holds the file until it notices; an opening in this process waits for that.
    ///
    /// A process that was forked off the one that has opened the file can neither save nor release it.
    ///
    /// - Throws: What the system refuses; everything that was saved is safe all the same.
    public func close() async throws {
        await store.compactor.abandon()
        try await store.writer.run { [committer = store.committer] in try committer.close(&$0) }
    }
}

extension FileRecordDatabase: CustomStringConvertible {
    /// The path and the number of records; or that the file is closed.
    public var description: String {
        let (count, isOpen) = store.file.view.withLock { ($0.index.count, $0.isOpen) }
        let content = isOpen ? "with \(count.counted("record"))" : "(closed)"
        return "FileRecordDatabase at \(path) \(content)\(store.file.options.isReadOnly ? ", read-only" : "")"
    }
}

extension FileRecordDatabase: ChildlessReflectable {}
