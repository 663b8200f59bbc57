import NestedRecords

/// An open record file, and the objects that read and write it.
///
/// Each shared state has one owner: the file owns what readers see, the writer its own state, the committer the waiting
/// batches, the compactor the compactions, the history reader the known history, and the follower the callers that wait
/// for another process.
final class LogStore: Sendable {
    let file: OpenFile
    let reader: Reader
    let history: HistoryReader
    let follower: Follower?
    let writer: SerialState<LogWriter>
    let committer: Committer
    let compactor: Compactor
    let recoveredByteCount: Int

    private init(_ file: OpenFile, _ writer: LogWriter, recoveredByteCount: Int) {
        let compactor: Compactor
        (self.file, self.recoveredByteCount, reader) = (file, recoveredByteCount, Reader(file))
        follower = file.options.isReadOnly ? Follower(file) : nil
        history = HistoryReader(reader)
        self.writer = SerialState(writer, label: "writing")
        compactor = Compactor(reader, self.writer)
        committer = Committer(file, self.writer) { compactor.compactIfWorthwhile(&$0) }
        self.compactor = compactor
    }

    func reading<Success>(_ body: (Reader) async throws -> Success) async throws -> Success {
        guard let follower else { return try await body(reader) }
        return try await follower.following { try await body(reader) }
    }

    static func open(path: String, options: FileRecordDatabase.Options, system: FileSystem) throws -> LogStore {
        let storage =
            options.isReadOnly
            ? try StorageFile.open(try FilePath(path, system), OpenFlags.reading, system)
            : try openForWriting(path, system)
        var (head, size, replay) = try LogReplay.read(storage, isAlone: !options.isReadOnly)
        var tail = Tail(!options.isReadOnly && replay.end < size ? replay.end..<size : nil)
        if !options.isReadOnly {
            // Only once the file is known to be a database and is locked.
            FileCreation.removeName(of: storage)
            CompactionLeftover.remove(of: storage, seed: head.seed)
            // A full disk must not block readers of the complete batches: what cannot be kept stays for now.
            do { try tail.cut(off: storage) } catch  where tail.path == nil {}
            // The data and the name that an earlier writer left may not be durable yet, and later batches depend on them.
            try storage.sync()
            try StorageFile.retrying("open", path) { system.syncFolder(storage.name.folder) }
            try head.repair(storage, end: replay.end)
        }
        // Sequence numbers lost with the power must not be used again: they identify versions. The gap also separates the
        // changes of one opening from those of the next.
        let sequence = max(replay.sequence, head.state.sequence) &+ .random(in: 1..<(1 << 40))
        let writer = LogWriter(
            state: head.state, sequence: sequence, indexedEnd: replay.indexedEnd, tail: tail)
        let recoveredByteCount = size - replay.end
        var view = replay.view(of: storage)
        view.recoveredPath = tail.path
        return LogStore(
            OpenFile(name: storage.name, options: options, view: view), writer, recoveredByteCount: recoveredByteCount)
    }

    private static func openForWriting(_ path: String, _ system: FileSystem) throws -> StorageFile {
        var (creations, replacements) = (0, 0)
        while true {
            let name = try FilePath(path, system)
            do {
                let file = try StorageFile.open(name, OpenFlags.writing, system)
                try file.lock()
                // A compaction replaces the file.
                if try file.isCurrent() { return file }
                replacements += 1
                // A path may also never be the name of the opened file, for instance in /proc/self/fd.
                guard replacements < 100 else { throw RecordDatabaseError(.fileReplaced, path: path) }
            } catch let error as RecordDatabaseError
                where error.isSystemError(SystemErrorCode.missing) && error.operation == "open"
            {
                // A dangling link can be neither opened nor created.
                guard creations < 10 else { throw error }
                creations += 1
                try FileCreation.create(name, system)
            } catch let error as RecordDatabaseError where error.code == .locked {
                guard Compactor.waitForOrphans(of: name) else { throw error }
            }
        }
    }
}
