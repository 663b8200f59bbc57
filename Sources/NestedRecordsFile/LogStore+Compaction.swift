import NestedRecords

extension LogStore {
    /// The size of a file from which on it is compacted without being asked.
    private static let smallestCompaction = 1 << 20

    /// Compacts the file where so much of it is dead that the options ask for it.
    func compactIfWorthwhile(_ writer: inout LogWriter) {
        guard let threshold = options.compactionThreshold, writer.failure == nil else { return }
        let (end, live, isOpen) = view.withLock { ($0.end, $0.liveBytes, $0.isOpen) }
        let dead = end - FileHeader.batchesStart - live - writer.indexSize
        guard isOpen, end >= max(Self.smallestCompaction, writer.nextCompaction),
            Double(dead) > threshold * Double(end)
        else { return }
        // The batch itself is saved. A later batch tries again, and `compact()` throws the reason.
        do { _ = try compact(&writer) } catch { writer.nextCompaction = end + end / 4 }
    }

    /// Compacts the file, and keeps the reason if that is not possible.
    func compact(_ writer: inout LogWriter) throws -> Int {
        do {
            let gain = try replaceByCompacted(&writer)
            writer.compactionFailure = nil
            return gain
        } catch {
            writer.compactionFailure = error
            throw error
        }
    }

    /// Writes the newest versions of all records to a new file, and puts it in place of the old one.
    ///
    /// Readers go on with the old one as long as they hold it.
    ///
    /// - Returns: How much smaller the file has become.
    private func replaceByCompacted(_ writer: inout LogWriter) throws -> Int {
        if let failure = writer.failure { throw failure }
        try checkIsOwnProcess()
        let (old, places, types, end) = try view.withLock { view in
            guard view.isOpen else { throw FileRecordDatabaseError.closed(path: path) }
            return (view.file, view.index.places(), view.types, view.end)
        }
        try checkName(of: old)
        try tail.withLock { try $0.cutRest(off: old) }
        Self.removeUnfinishedCompaction(of: old, seed: types.seed)
        let temporary = name.adding(Self.compactionSuffix(types.seed))
        let file = try StorageFile.open(temporary, OpenFlags.creating, system)
        let result: Compacted
        do {
            // What is refused is refused before much is written.
            try file.takeAttributes(of: old)
            result = try Compacted(from: old, places, end: end, types: types, to: file, writer: writer)
            // Before the new file gets the name, so that no other process can open it for writing.
            try file.lock()
            // Another process may have changed them, or the file with the name.
            try file.takeAttributes(of: old)
            try checkName(of: old)
            try StorageFile.retrying("rename", path) { system.rename(temporary.resolved, name.resolved) }
        } catch {
            _ = system.remove(temporary.resolved)
            throw error
        }
        let renamed = StorageFile(taking: file, name: name)
        view.withLock { view in
            view.file = renamed
            view.index = result.index
            view.types = result.types
            view.liveBytes = result.liveBytes
            view.end = result.end
        }
        writer.state = result.state
        writer.indexedEnd = result.end
        writer.indexSize = result.indexSize
        writer.nextCompaction = 0
        writer.hasAnnouncedRelaxed = false
        do {
            try StorageFile.retrying("sync", path) { system.syncFolder(name.folder) }
        } catch {
            // After a loss of power the name may lead to the old file: what is written now would be lost.
            writer.failure = error
            throw error
        }
        return max(0, end - result.end)
    }

    /// Makes sure that the name of the file can be given to another one, and nothing but the file is replaced.
    private func checkName(of file: StorageFile) throws {
        try checkIsCurrent(file)
        let count = try file.status().linkCount
        if count > 1 { throw FileRecordDatabaseError.hardLinked(path: path, count: count) }
    }

    /// Makes sure that the path still leads to the file: otherwise what is saved to it could not be found again.
    func checkIsCurrent(_ file: StorageFile) throws {
        guard try file.isCurrent() else { throw FileRecordDatabaseError.fileReplaced(path: path) }
    }

    /// The suffix of the name while a file is being compacted: no other file has such a name, because the seed is
    /// random.
    static func compactionSuffix(_ seed: UInt64) -> String {
        let digits = String(seed, radix: 16)
        return compactionMark + String(repeating: "0", count: 16 - digits.count) + digits
    }

    static let compactionMark = ".compacting-"

    /// Removes what a compaction has left that was killed.
    ///
    /// - Parameters:
    ///   - file: The file, locked.
    ///   - seed: The seed in its header.
    static func removeUnfinishedCompaction(of file: StorageFile, seed: UInt64) {
        let name = file.name.adding(compactionSuffix(seed))
        guard let leftover = try? StorageFile.open(name, OpenFlags.leftovers, file.system),
            (try? leftover.lock()) != nil, (try? isCompaction(leftover, seed: seed)) == true,
            (try? leftover.isCurrent()) == true
        else { return }
        _ = file.system.remove(name.resolved)
    }

    /// Whether a file may be the leftover of a compaction: its header tells so, or it is the beginning of one, or zeros
    /// where the power was lost before the disk had it.
    private static func isCompaction(_ file: StorageFile, seed: UInt64) throws -> Bool {
        var bytes = [UInt8](repeating: 0, count: FileHeader(seed: seed).bytes.count)
        let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        if bytes.allSatisfy({ $0 == 0 }) { return true }
        guard count == bytes.count else {
            // Its own seed, which is a new one, may be cut off.
            let start = FileHeader(seed: 0).bytes[..<16]
            return bytes[..<min(count, start.count)].elementsEqual(start.prefix(count))
        }
        // Files of the first version keep their seed.
        guard let head = try? bytes.withUnsafeBytes({ try FileHeader($0, path: file.path) }) else { return false }
        return head.origin == seed || head.version == 1 && head.seed == seed
    }
}

/// The newest versions of all records in a file of their own.
private struct Compacted {
    /// The most bytes in one batch, so that none has to be kept in memory.
    private static let batchSize = 4 << 20

    private(set) var index = FileIndex()

    /// Of those types that there are records of.
    ///
    /// The seed is a new one: what an earlier file has left on the disk is never
    /// taken for a part of this one.
    private(set) var types = TypeTable(seed: .random(in: .min ... .max))

    private(set) var liveBytes = 0
    private(set) var end = FileHeader.batchesStart
    private(set) var indexSize = 0
    private(set) var state: LogState

    init(
        from old: StorageFile, _ places: [UInt64], end oldEnd: Int, types oldTypes: TypeTable, to file: StorageFile,
        writer: LogWriter
    ) throws {
        state = writer.state
        let (oldSeed, seed) = (oldTypes.seed, types.seed)
        let header = FileHeader(seed: seed, origin: oldSeed)
        try FileHead.write(header, states: [LogState(), LogState()], to: file)
        var window = BufferedReader(file: old, end: oldEnd)
        var lengths = EntryReader(seed: oldSeed)
        var position = 0
        while position < places.count {
            var output = BlockOutput(file: file, seed: seed, at: end)
            while position < places.count, output.end - end < Self.batchSize {
                let place = places[position]
                let offset = EntryLocation.offset(place)
                let length = try lengths.length(of: place, in: old)
                try window.withBytes(length, at: offset) { bytes in
                    try EntryReader.withEntry(bytes, seed: oldSeed, at: offset, path: old.path) { entry in
                        let key = types.makeKey(of: try RecordReader.id(from: entry.body))
                        index.insert(key, at: try output.append(entry))
                    }
                }
                liveBytes += length
                position += 1
            }
            // The order of the numbers in the new file is that of the records, all below the next one.
            try output.finish(sequence: 0, durableEnd: end)
            end = output.end
        }
        state.indexOffset = UInt64(end)
        indexSize = try SavedIndex.write(
            index, types, liveBytes: liveBytes, sequence: writer.sequence, durableEnd: end, to: file, at: end)
        end += indexSize
        state.durableEnd = UInt64(end)
        state.sequence = writer.sequence
        // No file comes to the end of these numbers, but one that was made up may begin there.
        state.compactions &+= 1
        state.generation &+= 1
        try FileHead.write(header, states: [state, state], to: file)
        try file.sync()
    }
}

extension LogStore {
    /// Saves the index where a later opening would otherwise have much to read, and notes that all is whole.
    func writeState(_ writer: inout LogWriter) throws {
        if let failure = writer.failure { throw failure }
        let (file, end) = view.withLock { ($0.file, $0.end) }
        guard end > Int(clamping: writer.state.durableEnd) || writer.sequence != writer.state.sequence else { return }
        var state = writer.state
        state.sequence = writer.sequence
        state.generation &+= 1
        var newEnd = end
        if end - writer.indexedEnd > Self.longestReplay {
            // There is no other writer, so the index does not change, and is not copied.
            let view = view.withLock { $0 }
            do {
                newEnd += try SavedIndex.write(
                    view.index, view.types, liveBytes: view.liveBytes, sequence: writer.sequence,
                    durableEnd: options.durability == .full ? end : Int(clamping: writer.state.durableEnd), to: file,
                    at: end)
                state.indexOffset = UInt64(end)
            } catch FileRecordDatabaseError.Code.diskFull {
                // The index only saves time. The state has its room already.
                try file.truncate(to: end)
            }
        }
        // The state says that what is before it is whole: first that, then the state.
        try file.sync()
        state.durableEnd = UInt64(newEnd)
        try file.write(state.bytes(seed: view.withLock { $0.seed }), at: state.offset)
        try file.sync()
        writer.state = state
        if newEnd > end { (writer.indexedEnd, writer.indexSize) = (newEnd, newEnd - end) }
        view.withLock { $0.end = newEnd }
    }

    /// How many bytes an opening may have to read.
    private static let longestReplay = 4 << 20

    /// Ends the writing and reading of the file.
    func close(_ writer: inout LogWriter) throws {
        guard view.withLock({ $0.isOpen }) else { return }
        defer { view.withLock { $0.isOpen = false } }
        // A forked process has the same lock, and would release that of the writer.
        guard !options.isReadOnly, isOwnProcess else { return }
        defer { view.withLock { $0.file }.unlock() }
        try writeState(&writer)
    }
}
