import Dispatch
import NestedRecords

// A compaction runs beside saves, in a thread of its own. Saves go on in the old file and are durable there until the
// new one takes its name:
//
// 1. The thread takes down where all records are at one moment, copies them to a file beside the old one, and saves
//    their index there. What was saved until that moment is in the old file before an end that it notes.
// 2. It copies the batches behind that end, then those that came meanwhile, and so on as long as they become fewer.
// 3. In the queue of the store, where no batch is being written, it copies the last of them, syncs the new file, gives
//    it the name, syncs the folder, and has readers and the writer go on with it.
//
// The invariant: under the name there is always a file with every acknowledged batch. Until the rename that is the old
// one, to which the compaction writes nothing. From the rename on it is the new one, because nothing is acknowledged
// between the copy of the last batch and the rename; and nothing is acknowledged behind it before the folder is synced,
// so a loss of power that brings the old name back brings all batches back too. What fails before the rename leaves the
// old file in use, and what is killed before it leaves a file that the next writer removes.

/// Who waits for a compaction, and whether one is under way.
struct Compactions: Sendable {
    typealias Caller = @Sendable (Result<Int, any Error>) -> Void

    var isRunning = false

    /// Whether the database is being closed.
    var areAbandoned = false

    /// Those that wait for the next one: what they want to give back may be behind what the running one has copied.
    var callers: [Caller] = []
}

// MARK: Starting and stopping

extension LogStore {
    /// The size of a file from which on it is compacted without being asked.
    private static let smallestCompaction = 1 << 20

    /// How many bytes a compaction would give back.
    private func unusedBytes(_ writer: LogWriter) -> Int {
        view.withLock { $0.end - FileHeader.batchesStart - $0.liveBytes } - writer.indexSize
    }

    /// Has the file compacted where so much of it is dead that the options ask for it.
    func compactIfWorthwhile(_ writer: inout LogWriter) {
        guard let threshold = options.compactionThreshold, writer.failure == nil else { return }
        let (end, isOpen) = view.withLock { ($0.end, $0.isOpen) }
        guard isOpen, end >= max(Self.smallestCompaction, writer.nextCompaction),
            Double(unusedBytes(writer)) > threshold * Double(end)
        else { return }
        if replacementFailure != nil { return writer.nextCompaction = .max }
        begin { compactions in
            defer { compactions.isRunning = true }
            return !compactions.isRunning && !compactions.areAbandoned
        }
    }

    /// Compacts the file, after the compaction that is under way, and calls the closure with how much smaller the file
    /// has become.
    func compact(then caller: @escaping Compactions.Caller) {
        begin { compactions in
            compactions.callers.append(caller)
            defer { compactions.isRunning = true }
            return !compactions.isRunning
        }
    }

    /// Runs a compaction in its thread.
    ///
    /// The store is released before the result is delivered: the waiting caller may have held the last reference to the
    /// database, and may open its file again at once.
    private func begin(if isWanted: @Sendable (inout Compactions) -> Bool) {
        let group = compactionGroup
        let mustBegin = compactions.withLock { compactions in
            let mustBegin = isWanted(&compactions)
            if mustBegin { group.enter() }
            return mustBegin
        }
        guard mustBegin else { return }
        let store = Lock<LogStore?>(self)
        compactionQueue.async {
            let answers = store.take().map { $0.compactForCallers() }
            group.leave()
            for (caller, answer) in answers ?? [] { caller(answer) }
        }
    }

    /// Compacts the file for all callers that wait now.
    private func compactForCallers() -> [(Compactions.Caller, Result<Int, any Error>)] {
        let callers = compactions.withLock { compactions in
            defer { compactions.callers = [] }
            return compactions.callers
        }
        let result = Result { try compact() }
        begin { compactions in
            compactions.isRunning = !compactions.callers.isEmpty
            return compactions.isRunning
        }
        return callers.map { ($0, result) }
    }

    /// Has the running compaction end soon without a result, and later ones too.
    private func abandonCompactions() {
        compactions.withLock { $0.areAbandoned = true }
    }

    /// Abandons the running compaction, and calls the closure when it has ended.
    func abandonCompactions(then body: @escaping @Sendable () -> Void) {
        abandonCompactions()
        // The thread of a compaction is not there in a process that was forked off.
        if isOwnProcess { compactionGroup.notify(queue: queue, execute: body) } else { body() }
    }

    /// Abandons the running compaction, and waits until it has released the file.
    func waitForAbandonedCompaction() {
        abandonCompactions()
        if isOwnProcess { compactionGroup.wait() }
    }
}

// MARK: The compaction

extension LogStore {
    /// Compacts the file, and keeps the reason if that is not possible.
    private func compact() throws -> Int {
        do {
            return try giveBackSpace()
        } catch {
            let end = view.withLock { $0.end }
            // Nobody is to hear of one that was given up, and can.
            guard !compactions.withLock({ $0.areAbandoned }) else { throw error }
            writer.withLock { writer in
                writer.compactionFailure = error
                // The batch that wanted it is saved. A later one tries again, unless the file cannot be replaced.
                writer.nextCompaction = FileRecordDatabaseError.Code.notReplaceable ~= error ? .max : end + end / 4
            }
            throw error
        }
    }

    /// Replaces the file by a compacted one.
    ///
    /// - Returns: How much smaller the file has become.
    private func giveBackSpace() throws -> Int {
        try checkGoesOn()
        try prepareCompaction(of: currentView().file)
        do {
            return try replaceByCompacted()
        } catch let refusal as FileRecordDatabaseError where refusal.forbidsReplacement {
            throw replacementFailure ?? FileRecordDatabaseError(.notReplaceable, path: path, underlyingError: refusal)
        }
    }

    private func prepareCompaction(of file: StorageFile) throws {
        try writer.withLock { writer in
            if let failure = writer.failure { throw failure }
        }
        try checkName(of: file)
        try tail.withLock { try $0.cutRest(off: file) }
        CompactionLeftover.remove(of: file, seed: view.withLock { $0.seed })
    }

    /// Writes the newest versions of all records to a new file, and puts it in place of the old one.
    ///
    /// Readers go on with the old one as long as they hold it.
    ///
    /// - Returns: How much smaller the file has become.
    private func replaceByCompacted() throws -> Int {
        // Of one moment: no batch is being written.
        let (snapshot, sequence) = try writer.withLock { writer in (try compactionSnapshot(), writer.sequence) }
        let source = try compactionSource(of: snapshot, sequence: sequence)
        let old = source.file
        let temporary = name.adding(CompactionLeftover.suffix(source.types.seed))
        let file = try StorageFile.open(temporary, OpenFlags.creating, system)
        do {
            // Nobody else may take it for a leftover, or open it for writing once it has the name.
            try file.lock()
            // What is refused is refused before much is written.
            try file.takeAttributes(of: old)
            var compacted = try CompactedFile(of: source, sequence: sequence, to: file, checkGoesOn: checkGoesOn)
            try copyNewBatches(to: &compacted)
            return try queue.sync { try writer.withLock { try replace(old, by: &compacted, &$0) } }
        } catch {
            _ = system.remove(temporary.resolved)
            throw error
        }
    }

    /// Where all records are at a moment, in no order.
    private struct CompactionSnapshot {
        let file: StorageFile
        let places: [UInt64]
        let types: TypeTable
        let blocks: Range<Int>
    }

    private func compactionSnapshot() throws -> CompactionSnapshot {
        try view.withLock { view in
            guard view.isOpen else { throw FileRecordDatabaseError.closed(path: path) }
            return CompactionSnapshot(
                file: view.file, places: view.index.unsortedPlaces(), types: view.types,
                blocks: FileHeader.batchesStart..<view.end)
        }
    }

    /// What is to be copied.
    ///
    /// - Parameter sequence: The number of the next entry at that moment.
    private func compactionSource(of snapshot: CompactionSnapshot, sequence: UInt64) throws -> CompactionSource {
        // The order takes longer to find than saves should wait.
        try CompactionSource(
            of: snapshot.file, snapshot.places.sorted(), snapshot.types, snapshot.blocks, sequence: sequence,
            maximumDeletionCount: options.maximumDeletionCount, contains: contains)
    }

    /// How much may be left to copy while saves wait.
    private static let longestRest = 64 << 10

    /// Copies the batches that were saved meanwhile, until few are left or they no longer become fewer.
    private func copyNewBatches(to compacted: inout CompactedFile) throws {
        var last = Int.max
        while true {
            try checkGoesOn()
            let end = view.withLock { $0.end }
            let rest = end - compacted.copiedEnd
            if rest <= Self.longestRest || rest >= last { return }
            last = rest
            try compacted.copyBatches(to: end)
            try compacted.file.sync()
        }
    }

    /// Puts a compacted file in place of the old one, while no batch is being written.
    private func replace(
        _ old: StorageFile, by compacted: inout CompactedFile, _ writer: inout LogWriter
    ) throws -> Int {
        if let failure = writer.failure { throw failure }
        try checkGoesOn()
        let (end, isOpen) = view.withLock { ($0.end, $0.isOpen) }
        guard isOpen else { throw FileRecordDatabaseError.closed(path: path) }
        try compacted.copyBatches(to: end)
        let state = try compacted.finish(after: writer.state, sequence: writer.sequence)
        // Another process may have changed them, or the file with the name.
        try compacted.file.takeAttributes(of: old)
        try checkName(of: old)
        let temporary = compacted.file.name
        try StorageFile.retrying("rename", path) { system.rename(temporary.resolved, name.resolved) }
        let renamed = StorageFile(taking: compacted.file, name: name)
        view.withLock { compacted.apply(to: &$0, as: renamed) }
        compacted.apply(to: &writer, state)
        writer.nextCompaction = 0
        writer.compactionFailure = nil
        do {
            try StorageFile.retrying("sync", path) { system.syncFolder(name.folder) }
        } catch {
            // After a loss of power the name may lead to the old file: what is written now would be lost.
            writer.failure = error
            throw error
        }
        return max(0, end - view.withLock { $0.end })
    }

    /// Makes sure that the file is still wanted, and that this is the process that may write it.
    private func checkGoesOn() throws {
        if compactions.withLock({ $0.areAbandoned }) { throw FileRecordDatabaseError.closed(path: path) }
        try checkIsOwnProcess()
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
}

// MARK: Files that cannot be replaced

extension LogStore {
    /// Why no other file can take the name of this one, as far as the system knows before that is tried; nil if one can.
    var replacementFailure: FileRecordDatabaseError? {
        let file = view.withLock { $0.file }
        do {
            try StorageFile.retrying("replace", path) { system.checkReplacement(file.descriptor, name.folder) }
            return nil
        } catch {
            return FileRecordDatabaseError(.notReplaceable, path: path, underlyingError: error)
        }
    }

    /// Why the file cannot be compacted, if it could be half as large.
    var compactionWarning: String? {
        let isWorthwhile = writer.withLock { writer in 2 * unusedBytes(writer) >= view.withLock { $0.end } }
        return isWorthwhile ? replacementFailure?.description : nil
    }
}
