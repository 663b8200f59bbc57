@_spi(Engines) public import NestedRecords

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A database in one file: crash-safe, with one writer and any number of readers.
///
/// ```swift
/// let database = try FileRecordDatabase(path: "school.records")
/// try await RecordStore(database).insert(school)
/// ```
///
/// A save that has returned survives a crash and, with `RecordDurability.full`, a loss of power. Concurrent saves are
/// written together. A fetch of one record is one read of the file, whose index is in memory with 21 to 43 bytes a
/// record; records that are close together in the file are read at once. The article <doc:RecordFile> describes the
/// file.
///
/// A fetch of at most 32 records and 64 KiB reads the file in the thread of the calling task, which is faster than
/// switching threads. Everything else runs in other threads.
public final class FileRecordDatabase: RecordDatabase {
    /// How to open a file.
    public struct Options: Sendable {
        /// Whether to open the file only for reading: without a lock and without changes.
        ///
        /// Another process, or another database in this process, may write the file: each fetch, query and list begins
        /// with the latest written data. The last batch may be one whose save has not returned yet, and which a loss of
        /// power may still remove.
        public var isReadOnly = false

        /// Whether saves survive a loss of power.
        public var durability = RecordDurability.full

        /// The fraction of old versions in the file, 0 to 1, above which a save starts a compaction.
        ///
        /// Nil leaves compaction to ``FileRecordDatabase/compact()``. Files of less than a megabyte are never compacted
        /// automatically.
        public var compactionThreshold: Double? = 0.5

        /// The maximum number of deletions that a compaction keeps for ``FileRecordDatabase/storedChanges(since:limit:)``.
        ///
        /// A deletion takes about as many bytes as the ID. Until the first compaction all are kept.
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

    /// Opens a file for reading and writing, or only for reading; creates a missing file unless opened read-only.
    ///
    /// This checks the header of the file and locks it, and waits for nothing. The batches in it are read by
    /// ``prepare()`` or by the first call.
    ///
    /// - Parameters:
    ///   - path: The path of the file; its folder must exist. Symbolic links are followed now: the database is the file
    ///     that they lead to, and later changes of the links or the working directory have no effect.
    ///   - options: How to open it.
    /// - Throws: `RecordDatabaseError.invalidPath` for a path with a NUL,
    ///   `RecordDatabaseError.locked` if the file is already open for writing,
    ///   `RecordDatabaseError.notARecordDatabase`, `RecordDatabaseError.unsupportedVersion`,
    ///   `RecordDatabaseError.corrupt` if the header is damaged, and errors of the system.
    public convenience init(path: String, options: Options = Options()) throws {
        try self.init(path: path, options: options, system: FileSystem())
    }

    /// Opens the file at a URL as ``init(path:options:)`` does.
    public convenience init(at url: URL, options: Options = Options()) throws {
        try self.init(path: url.path, options: options)
    }

    package init(
        path: String, options: Options, system: FileSystem, orphanLimit: Duration = .seconds(10)
    ) throws {
        store = try LogStore.open(path: path, options: options, system: system, orphanLimit: orphanLimit)
    }

    /// Reads the batches that the index does not cover; an unfinished save at the end is cut off and kept.
    ///
    /// The first call of another function does so itself, and waits for it. It runs in a thread of its own, to its end
    /// also if the task is cancelled, and once, whatever the number of callers.
    ///
    /// Damage is found once: all calls throw the same error until the file is opened by another database, and the file
    /// is no longer locked. After any other error the next call tries it again.
    ///
    /// - Throws: `RecordDatabaseError.corrupt` if acknowledged data is damaged, `RecordDatabaseError.locked` if a
    ///   compaction in this process, whose database was released without ``close()``, has not ended after ten seconds,
    ///   `RecordDatabaseError.closed`, and errors of the system.
    /// - Complexity: O(*n*) for *n* records that were saved since the index was last saved, which happens at
    ///   ``close()`` and at each compaction.
    public func prepare() async throws { try await store.prepare() }

    /// Reads the batches as ``prepare()`` does, while the calling thread waits.
    package func prepareWhileWaiting() throws { try store.writer.sync { try store.prepare(&$0) } }

    // Otherwise a running compaction would keep the file locked until it ends.
    deinit { store.compactor.leaveAlone() }

    /// The path of the file, as it was given.
    public var path: String { store.file.path }

    /// The number of bytes after the last complete batch when the file was read; 0 before ``prepare()``.
    ///
    /// They belong to a batch that was never acknowledged. Opening for writing cuts them off and keeps them in a
    /// separate file, see ``recoveredPath``.
    public var recoveredByteCount: Int { store.file.view.withLock { $0.recoveredByteCount } }

    /// The path of the file with the bytes that were cut off.
    ///
    /// It is the path of the database with the suffix `.torn`, or `.torn-2` and so on if that file exists: no file is
    /// replaced. Nil if nothing was cut off, and before ``prepare()``. If the bytes cannot be kept, for instance because the disk is full, they
    /// stay in the file, and this is nil until a save or a compaction has kept them; until then these throw the reason.
    public var recoveredPath: String? { store.file.view.withLock { $0.recoveredPath } }

    package var compactionWarning: String? { store.compactor.warning }

    /// The number of bytes that a compaction would reclaim, and the size of the file.
    package var unusedByteCount: (unused: Int, size: Int) { store.file.view.withLock { ($0.unusedBytes, $0.end) } }

    /// The reason why the file cannot be compacted; nil otherwise.
    package var replacementFailure: String? { store.compactor.replacementFailure.map { "\($0)" } }

    /// Everything, and audiences.
    public var capabilities: RecordCapabilities { [.all, .audiences] }

    /// The contents of assets, in a folder beside the file: its path with the suffix `.assets`.
    public var assets: (any AssetStorage)? {
        StoredAssets(self, FolderAssetChunks(beside: store))
    }

    /// The records with these IDs.
    ///
    /// - Throws: `RecordDatabaseError.corrupt`, `RecordDatabaseError.closed` and errors of the system.
    /// - Complexity: O(*n*) for *n* IDs.
    public func records(for ids: [Record.ID]) async throws -> [Record] {
        try await store.reading { try await $0.records(for: ids) }
    }

    /// Applies a batch completely, or not at all if an error is thrown.
    ///
    /// - Throws: `RecordDatabaseError`, also `RecordDatabaseError.fileReplaced` if the path no longer leads
    ///   to the file, and `RecordError.invalidKey` or `RecordError.depthLimitExceeded` for a record that cannot be
    ///   written.
    /// - Complexity: O(*n*) for *n* records and IDs; with `RecordBatch.allowedReferrers` also what ``referrers(of:)``
    ///   takes. Other saves wait only for the references that were saved since then.
    @discardableResult
    public func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        try Record.checkFieldNames(of: batch.saves)
        try await store.prepare()
        // Later duplicates are detected when they are written.
        if !batch.conditions.isEmpty || batch.id != nil { try check(batch) }
        return try await batch.withContents { try await apply($0) }
    }

    private func apply(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        // A single record is refused before any of it is written.
        if batch.saves.count > 1 { try RecordWriter.check(batch.saves) }
        if store.file.options.isReadOnly {
            guard batch.saves.isEmpty, batch.deletions.isEmpty else {
                throw RecordDatabaseError(.readOnly, path: path)
            }
            try await checkConditions(of: batch)
            return [:]
        }
        do {
            if !batch.allowedReferrers.isEmpty {
                return try await ReferrerSearch.around(batch, in: store.reader) { search in
                    try await Promise.result { store.committer.enqueue(batch, $0, search: search) }
                }
            }
            return try await Promise.result { store.committer.enqueue(batch, $0) }
        } catch {
            // Other databases look for duplicates first; here this would slow down every save.
            try check(batch)
            throw error
        }
    }

    private func checkConditions(of batch: RecordBatch) async throws {
        let found = try await records(for: batch.conditions.map(\.id))
        let records = Dictionary(found.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        try batch.checkVersions { records[$0] }
        if batch.allowedReferrers.isEmpty { return }
        let check = Lock(BinaryReferrerCheck(batch))
        try await store.reading { try await $0.visit(ofType: nil, with: check) }
        let targets = try await self.records(for: Array(batch.allowedReferrers.keys)).map(\.id)
        try check.withLock { $0.check }.check(batch, exists: Set(targets).contains)
    }

    /// All records, or those of a type, as they are when the first one is requested.
    public func storedRecords(ofType type: String?) -> RecordSequence {
        RecordSequence(pages: { [store] in
            EntryPages {
                try await store.reading { reader in
                    // All locations at once: the caller may take long to process the records, and a write copies an
                    // index that is held.
                    try await Reader.threads.run { try reader.entries(ofType: type) }
                }
            }
        })
    }

    /// Writes a new file with the newest versions of all records, and replaces the old file by it.
    ///
    /// Saves and fetches continue during the compaction: saves go to the old file until the new one has everything.
    /// Readers continue with the old file. The new file has the owner, the group, the permissions and the extended
    /// attributes of the old one. If a compaction is running, this call starts the next one after it.
    ///
    /// If the system refuses to replace the file (for instance a separate mount, or a folder that is sticky or not
    /// writable), the file is not compacted, automatic compactions skip it, and ``Statistics/compactionFailure``
    /// reports the reason. `records copy` makes a compacted copy of such a file.
    ///
    /// - Returns: The number of bytes by which the file has become smaller.
    /// - Throws: `RecordDatabaseError.notReplaceable` if the file cannot be replaced, `RecordDatabaseError.hardLinked`
    ///   if the file has several names, `RecordDatabaseError.fileReplaced` if the path no longer leads to the file,
    ///   `RecordDatabaseError.closed` if the database is closed before the compaction is complete, and errors of the
    ///   system. All records stay.
    @discardableResult
    public func compact() async throws -> Int {
        if store.file.options.isReadOnly { throw RecordDatabaseError(.readOnly, path: path) }
        try await store.prepare()
        return try await Promise.result { promise in store.compactor.compact { promise.resume(with: $0) } }
    }

    /// Closes the database.
    ///
    /// The file is marked as complete, so that the next opening is fast and detects all damage. Another process may
    /// then open it for writing. Later calls fail; calls in progress complete, except that a compaction is abandoned.
    /// Without closing, the file is free once the last reference to the database is gone. A compaction that is running
    /// then is abandoned, and holds the file until it notices; in this process ``prepare()`` waits for that, at most ten
    /// seconds.
    ///
    /// A process forked from the one that opened the file must not use the database.
    ///
    /// - Throws: Errors of the system; all saved records are safe nevertheless.
    public func close() async throws {
        await store.compactor.abandon()
        try await store.writer.run { [committer = store.committer] in try committer.close(&$0) }
    }
}

extension FileRecordDatabase: CustomStringConvertible {
    /// The path and the number of records, or a note that the file is closed or was not read.
    public var description: String {
        let (count, isOpen) = store.file.view.withLock { ($0.index.count, $0.isOpen) }
        let read = store.isPrepared ? "with \(count.counted("record"))" : "(not read)"
        let content = isOpen ? read : "(closed)"
        return "FileRecordDatabase at \(path) \(content)\(store.file.options.isReadOnly ? ", read-only" : "")"
    }
}

extension FileRecordDatabase: ChildlessReflectable {}
