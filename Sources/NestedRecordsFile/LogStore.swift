@_spi(Engines) import NestedRecords

/// An open record file, and the objects that read and write it.
///
/// Each shared state has one owner: the file owns what readers see, the writer its own state, the committer the waiting
/// batches, the compactor the compactions, the history reader the known history, the audience reader the known audiences, and
/// the follower the callers that wait for another process.
///
/// Opening has two steps: ``open(path:options:system:orphanLimit:)`` checks the file and locks it, and ``prepare()``
/// reads its batches, in the thread of the writer.
final class LogStore: Sendable {
    let file: OpenFile
    let reader: Reader
    let history: HistoryReader
    let audiences: AudienceReader
    let follower: Follower?
    let writer: SerialState<LogWriter>
    let committer: Committer
    let compactor: Compactor

    /// How long to wait for a compaction of this process whose database was released.
    private let orphanLimit: Duration

    /// Whether the batches were read, or the damage that prevents it; nil before that.
    private let outcome = Lock<Result<Void, any Error>?>(nil)

    private init(_ file: OpenFile, hasLock: Bool, orphanLimit: Duration) {
        let compactor: Compactor
        (self.file, reader, self.orphanLimit) = (file, Reader(file), orphanLimit)
        follower = file.options.isReadOnly ? Follower(file) : nil
        history = HistoryReader(reader)
        audiences = AudienceReader(reader)
        writer = SerialState(LogWriter(hasLock: hasLock), label: "writing")
        compactor = Compactor(reader, writer)
        committer = Committer(file, writer) { compactor.compactIfWorthwhile(&$0) }
        self.compactor = compactor
    }

    func reading<Success>(_ body: (Reader) async throws -> Success) async throws -> Success {
        try await prepare()
        guard let follower else { return try await body(reader) }
        return try await follower.following { try await body(reader) }
    }
}

// MARK: Checking and locking the file

extension LogStore {
    static func open(
        path: String, options: FileRecordDatabase.Options, system: FileSystem, orphanLimit: Duration
    ) throws -> LogStore {
        let locked = options.isReadOnly ? nil : try lockedFile(system) { try FilePath(path, system) }
        let flags = options.isReadOnly ? OpenFlags.reading : OpenFlags.writing
        let storage = try locked ?? StorageFile.open(FilePath(path, system), flags, system)
        _ = try FileHead(of: storage)
        let view = OpenFile.View(
            file: storage, index: FileIndex(), types: TypeTable(seed: 0), liveBytes: 0, indexSize: 0, end: 0)
        let file = OpenFile(name: storage.name, options: options, view: view)
        return LogStore(file, hasLock: locked != nil, orphanLimit: orphanLimit)
    }

    /// Opens a file for writing and locks it; creates a missing one.
    ///
    /// - Returns: The file; nil if a compaction of this process whose database was released still has the lock.
    private static func lockedFile(_ system: FileSystem, _ findName: () throws -> FilePath) throws -> StorageFile? {
        var (creations, replacements) = (0, 0)
        while true {
            let name = try findName()
            do {
                let file = try StorageFile.open(name, OpenFlags.writing, system)
                try file.lock()
                // A compaction replaces the file.
                if try file.isCurrent() { return file }
                replacements += 1
                // A path may also never be the name of the opened file, for instance in /proc/self/fd.
                guard replacements < 100 else { throw RecordDatabaseError(.fileReplaced, path: name.given) }
            } catch let error as RecordDatabaseError
                where error.isSystemError(SystemErrorCode.missing) && error.operation == "open"
            {
                // A dangling link can be neither opened nor created.
                guard creations < 10 else { throw error }
                creations += 1
                try FileCreation.create(name, system)
            } catch let error as RecordDatabaseError where error.code == .locked {
                guard Compactor.hasOrphans(of: name) else { throw error }
                return nil
            }
        }
    }

    private func fileAfterOrphans() throws -> StorageFile {
        let deadline = ContinuousClock.now + orphanLimit
        while true {
            if let locked = try Self.lockedFile(file.system, { file.name }) { return locked }
            guard Compactor.waitForOrphans(of: file.name, until: deadline) else {
                throw RecordDatabaseError(
                    .locked,
                    reason: "a compaction whose database was released without close() has not ended in \(orphanLimit)",
                    path: file.path, hint: "close a database before opening its file again, or try again later")
            }
        }
    }
}

// MARK: Reading the batches

extension LogStore {
    var isPrepared: Bool { if case .success? = outcome.withLock({ $0 }) { true } else { false } }

    /// Reads the batches of the file, unless that was done.
    func prepare() async throws {
        if let outcome = outcome.withLock({ $0 }) { return try outcome.get() }
        try await writer.run { [self] in try prepare(&$0) }
    }

    func prepare(_ writer: inout LogWriter) throws {
        if let outcome = outcome.withLock({ $0 }) { return try outcome.get() }
        var storage = try file.withOpenView { $0.file }
        do {
            if !file.options.isReadOnly, !writer.hasLock {
                storage = try fileAfterOrphans()
                file.view.withLock { [storage] in $0.file = storage }
                writer.hasLock = true
            }
            try replay(storage, &writer)
        } catch let error as RecordDatabaseError where error.isDamage {
            outcome.withLock { $0 = .failure(error) }
            // Nothing will be written. The repaired file may be opened by another database.
            if !file.options.isReadOnly { storage.unlock() }
            throw error
        }
        outcome.withLock { $0 = .success(()) }
    }

    private func replay(_ storage: StorageFile, _ writer: inout LogWriter) throws {
        let isReadOnly = file.options.isReadOnly
        var (head, size, replay) = try LogReplay.read(storage, isAlone: !isReadOnly)
        let end = replay.end
        var tail = Tail(!isReadOnly && end < size ? end..<size : nil)
        // An earlier attempt that failed later may have cut it off.
        if end < size { file.view.withLock { $0.recoveredByteCount = size - end } }
        if !isReadOnly {
            // Only once the file is known to be a database and is locked.
            FileCreation.removeName(of: storage)
            CompactionLeftover.remove(of: storage, seed: head.seed)
            // A full disk must not block readers of the complete batches: what cannot be kept stays for now.
            do { try tail.cut(off: storage) } catch  where tail.path == nil {}
            if let path = tail.path { file.view.withLock { $0.recoveredPath = path } }
            // The data and the name that an earlier writer left may not be durable yet, and later batches depend on them.
            try storage.sync()
            try StorageFile.retrying("open", file.path) { file.system.syncFolder(storage.name.folder) }
            try head.repair(storage, end: end)
        }
        // Sequence numbers lost with the power must not be used again: they identify versions. The gap also separates the
        // changes of one opening from those of the next.
        let sequence = max(replay.sequence, head.state.sequence) &+ .random(in: 1..<(1 << 40))
        writer = LogWriter(
            state: head.state, sequence: sequence, indexedEnd: replay.indexedEnd, tail: tail, hasLock: !isReadOnly,
            isPrepared: true)
        let read = replay.view(of: storage)
        file.view.withLock { view in
            let (byteCount, path) = (view.recoveredByteCount, view.recoveredPath)
            view = read
            (view.recoveredByteCount, view.recoveredPath) = (byteCount, path)
        }
    }
}
