import Dispatch
import NestedRecords

/// An open record file: what its readers see, and its writer.
final class LogStore: Sendable {
    /// What readers see: they take it as it is, and go on with it while others write.
    struct View: Sendable {
        var file: StorageFile
        var index: FileIndex
        var types: TypeTable

        /// The seed of the file, another one after each compaction.
        var seed: UInt64 { types.seed }

        /// The bytes that a compaction keeps: the newest versions of all records, and what was copied with them.
        var liveBytes: Int

        /// Behind the last batch.
        var end: Int

        /// Grows whenever the file is read anew, because another process has replaced it or its contents.
        var generation = 0

        /// The last block that was read when the file was opened or followed.
        var lastBlock: LogReplay.Block?

        var isOpen = true

        /// What places in the file belong to: they say nothing where this is another one.
        var part: Part { Part(seed: seed, generation: generation) }
    }

    /// What the blocks of a file belong to, until they are read again.
    struct Part: Equatable {
        let seed: UInt64
        let generation: Int
    }

    let name: FilePath
    let options: FileRecordDatabase.Options
    let system: FileSystem

    /// The process that has opened the file, and holds its lock.
    private let process: Int

    let view: Lock<View>
    let writer: Lock<LogWriter>

    /// Readers that wait to be used again, with the names of fields that they know.
    let readers = Lock<[EntryReader]>([])

    /// What is known of the history, once it was asked for.
    let history = Lock<FileHistory?>(nil)

    /// Rings when something was written, and when the file is closed.
    let doorbell = Doorbell()

    /// The batches that wait to be written.
    let waiting = Lock(WaitingBatches())
    let queue = DispatchQueue(label: "NestedRecords.FileRecordDatabase")

    let compactions = Lock(Compactions())
    let compactionQueue = DispatchQueue(label: "NestedRecords.FileRecordDatabase.compaction", qos: .utility)

    /// Entered by the running compaction.
    let compactionGroup = DispatchGroup()

    /// What was found behind the last whole batch.
    let tail: Lock<Tail>

    /// The path as the caller gave it.
    var path: String { name.given }

    private init(
        name: FilePath, options: FileRecordDatabase.Options, system: FileSystem, view: sending View,
        writer: sending LogWriter, tail: Tail
    ) {
        self.name = name
        self.options = options
        self.system = system
        process = system.processID()
        self.view = Lock(view)
        self.writer = Lock(writer)
        self.tail = Lock(tail)
    }

    /// Whether this is the process that has opened the file, and not one forked off it.
    var isOwnProcess: Bool { system.processID() == process }

    /// Makes sure that this is the process that has opened the file: a forked one has it open too, and the same lock.
    func checkIsOwnProcess() throws {
        guard isOwnProcess else { throw FileRecordDatabaseError.locked(path: path) }
    }

    /// Opens a file, and creates it if it is missing and not opened read-only.
    static func open(path: String, options: FileRecordDatabase.Options, system: FileSystem) throws -> LogStore {
        let file =
            options.isReadOnly
            ? try StorageFile.open(try FilePath(path, system), OpenFlags.reading, system)
            : try openForWriting(path, system)
        var (head, size, replay) = try read(file, isAlone: !options.isReadOnly)
        var tail = Tail(byteCount: size - replay.end)
        if !options.isReadOnly {
            // Not before the file is known to be a database, and to be locked.
            removeCreationName(of: file)
            CompactionLeftover.remove(of: file, seed: head.seed)
            if replay.end < size { try tail.cut(replay.end..<size, off: file) }
            // The data and the name that an earlier writer left may not be durable yet, and later batches depend on them.
            try file.sync()
            try StorageFile.retrying("open", path) { system.syncFolder(file.name.folder) }
            try head.repair(file, end: replay.end)
        }
        let view = View(
            file: file, index: replay.index, types: replay.types, liveBytes: replay.liveBytes,
            end: replay.end, lastBlock: replay.lastBlock)
        // Sequence numbers lost with the power must not be used again: they identify versions. The gap also tells the
        // changes of one opening from those of the next.
        let sequence = max(replay.sequence, head.state.sequence) &+ .random(in: 1..<(1 << 40))
        let writer = LogWriter(
            state: head.state, sequence: sequence, indexedEnd: replay.indexedEnd, indexSize: replay.indexSize)
        return LogStore(name: file.name, options: options, system: system, view: view, writer: writer, tail: tail)
    }

    /// Finds out what is in a file.
    ///
    /// - Parameter isAlone: Whether there is no other writer. If there is one, the file may become shorter while it is read;
    ///   then it is read again.
    static func read(_ file: StorageFile, isAlone: Bool) throws -> (head: FileHead, size: Int, replay: LogReplay) {
        var attempts = 0
        while true {
            var (head, size) = (FileHead?.none, 0)
            do {
                // The state first: a writer only adds to what it speaks of.
                let first = try FileHead(of: file)
                head = first
                size = try file.size()
                var replay = try LogReplay(file: file, head: first, size: size)
                try replay.run()
                return (first, size, replay)
            } catch let error as FileRecordDatabaseError where error.code == .corrupt {
                guard !isAlone, attempts < 100, try hasChanged(file, since: head, size) else { throw error }
            }
            attempts += 1
        }
    }

    /// Whether a file is another one than when it was found damaged.
    private static func hasChanged(_ file: StorageFile, since head: FileHead?, _ size: Int) throws -> Bool {
        let now = try FileHead(of: file)
        guard let head else { return true }
        return try file.size() != size || now.state != head.state
    }

    private static func openForWriting(_ path: String, _ system: FileSystem) throws -> StorageFile {
        var creations = 0
        var replacements = 0
        while true {
            let name = try FilePath(path, system)
            do {
                let file = try StorageFile.open(name, OpenFlags.writing, system)
                try file.lock()
                // A compaction replaces the file.
                if try file.isCurrent() { return file }
                replacements += 1
                // A path may also never be the name of what it opens, as those in /proc/self/fd.
                guard replacements < 100 else { throw FileRecordDatabaseError.fileReplaced(path: path) }
            } catch let error as FileRecordDatabaseError
                where error.isSystemError(ErrorCode.missing) && error.operation == "open"
            {
                // A link to nowhere can be neither opened nor made.
                guard creations < 10 else { throw error }
                creations += 1
                try create(name, system)
            }
        }
    }
}
