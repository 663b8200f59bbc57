import Dispatch
import NestedRecords

/// An open record file: what its readers see, and its writer.
final class LogStore: Sendable {
    /// What readers see: they take it as it is, and go on with it while others write.
    struct View: Sendable {
        var file: StorageFile
        var index: FileIndex
        var types: TypeTable

        /// The bytes of the newest versions of all records.
        var liveBytes: Int

        /// Behind the last batch.
        var end: Int

        var isOpen = true
    }

    let name: FilePath
    let options: FileRecordDatabase.Options
    let system: FileSystem
    let seed: UInt64

    let view: Lock<View>
    let writer: Lock<LogWriter>

    /// Readers that wait to be used again, with the names of fields that they know.
    let readers = Lock<[EntryReader]>([])

    /// The batches that wait to be written.
    let waiting = Lock(WaitingBatches())
    let queue = DispatchQueue(label: "NestedRecords.FileRecordDatabase")

    /// What was cut off the end of the file when it was opened.
    let cutBytes: Int

    /// The path of the file with what was cut off.
    let tailPath: String?

    /// The path as the caller gave it.
    var path: String { name.given }

    private init(
        name: FilePath, options: FileRecordDatabase.Options, system: FileSystem, seed: UInt64, view: sending View,
        writer: sending LogWriter, cutBytes: Int, tailPath: String?
    ) {
        self.name = name
        self.options = options
        self.system = system
        self.seed = seed
        self.view = Lock(view)
        self.writer = Lock(writer)
        self.cutBytes = cutBytes
        self.tailPath = tailPath
    }

    /// Opens a file, and creates it if it is missing and not opened read-only.
    static func open(path: String, options: FileRecordDatabase.Options, system: FileSystem) throws -> LogStore {
        let file =
            options.isReadOnly
            ? try StorageFile.open(try FilePath(path, system), OpenFlags.reading, system)
            : try openForWriting(path, system)
        let (state, size, replay) = try read(file, isAlone: !options.isReadOnly)
        var tailPath: String?
        if !options.isReadOnly {
            // Not before the file is known to be a database, and to be locked.
            removeCreationName(of: file)
            removeUnfinishedCompaction(of: file, seed: replay.types.seed)
            if replay.end < size {
                // A full disk must not keep anybody from opening what is whole.
                tailPath = try? keepTail(of: file, replay.end..<size)
                try file.truncate(to: replay.end)
            }
            // The data and the name that an earlier writer left may not be durable yet, and later batches depend on them.
            try file.sync()
            try StorageFile.retrying("open", path) { system.syncFolder(file.name.folder) }
        }
        let view = View(
            file: file, index: replay.index, types: replay.types, liveBytes: replay.liveBytes, end: replay.end)
        // Sequence numbers lost with the power must not be used again: they identify versions.
        let sequence = max(replay.sequence, state.sequence) &+ .random(in: 0..<(1 << 40))
        let writer = LogWriter(
            state: state, sequence: sequence, indexedEnd: replay.indexedEnd, indexSize: replay.indexSize)
        return LogStore(
            name: file.name, options: options, system: system, seed: replay.types.seed, view: view, writer: writer,
            cutBytes: size - replay.end, tailPath: tailPath)
    }

    /// Finds out what is in a file.
    ///
    /// - Parameter isAlone: Whether there is no other writer. If there is one, the file may become shorter meanwhile;
    ///   then it is read again.
    private static func read(
        _ file: StorageFile, isAlone: Bool
    ) throws -> (state: LogState, size: Int, replay: LogReplay) {
        var attempts = 0
        while true {
            // The state first: a writer only adds to what it speaks of.
            let (head, state) = try readHeader(file)
            let size = try file.size()
            do {
                var replay = try LogReplay(file: file, seed: head.seed, size: size, state: state)
                try replay.run()
                return (state, size, replay)
            } catch let error as FileRecordDatabaseError where error.code == .corrupt {
                attempts += 1
                guard !isAlone, attempts < 10, try file.size() != size else { throw error }
            }
        }
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

    static func writeHeader(to file: StorageFile, seed: UInt64, states: [LogState]) throws {
        var bytes = [UInt8](repeating: 0, count: FileHeader.size)
        func put(_ part: [UInt8], at offset: Int) { bytes.replaceSubrange(offset..<(offset + part.count), with: part) }
        put(FileHeader(seed: seed).bytes, at: 0)
        for (offset, state) in zip(LogState.offsets, states) { put(state.bytes(seed: seed), at: offset) }
        try file.write(bytes, at: 0)
    }

    static func readHeader(_ file: StorageFile) throws -> (FileHeader, LogState) {
        var bytes = [UInt8](repeating: 0, count: FileHeader.size)
        let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        return try bytes.withUnsafeBytes { bytes in
            let head = try FileHeader(UnsafeRawBufferPointer(rebasing: bytes[..<count]), path: file.path)
            guard count == FileHeader.size else {
                throw FileRecordDatabaseError.corrupt(path: file.path, offset: count, what: "the file is cut off")
            }
            let states = LogState.offsets.compactMap {
                LogState(UnsafeRawBufferPointer(rebasing: bytes[$0..<($0 + LogState.size)]), seed: head.seed)
            }
            guard let state = states.max(by: { $0.generation < $1.generation }) else {
                throw FileRecordDatabaseError.corrupt(
                    path: file.path, offset: LogState.offsets[0], what: "both states of the file")
            }
            return (head, state)
        }
    }

    /// Keeps what is cut off in a file of its own: it was never acknowledged, or is damaged.
    ///
    /// - Returns: The path of that file. Nothing that is there is replaced, an earlier tail neither.
    private static func keepTail(of file: StorageFile, _ range: Range<Int>) throws -> String {
        let copy = try openForTail(of: file)
        do {
            var window = BufferedReader(file: file, end: range.upperBound)
            for start in stride(from: range.lowerBound, to: range.upperBound, by: BufferedReader.size) {
                let length = min(BufferedReader.size, range.upperBound - start)
                try window.withBytes(length, at: start) { try copy.write($0, at: start - range.lowerBound) }
            }
            try copy.sync()
        } catch {
            _ = file.system.remove(copy.name.resolved)
            throw error
        }
        // Where the system refuses that, only the owner reads it.
        try? copy.takeAttributes(of: file)
        return copy.path
    }

    private static func openForTail(of file: StorageFile) throws -> StorageFile {
        var number = 1
        while true {
            let name = file.name.adding(number == 1 ? ".torn" : ".torn-\(number)")
            do {
                return try StorageFile.open(name, OpenFlags.creating, file.system)
            } catch let error as FileRecordDatabaseError where error.isSystemError(ErrorCode.exists) {
                number += 1
            }
        }
    }
}
