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

/// Compacts the file beside saves.
final class Compactor: Sendable {
    private let file: OpenFile
    private let reader: Reader
    private let writer: SerialState<LogWriter>
    let waiting = Lock(Waiting())
    let queue = DispatchQueue(label: "NestedRecords.FileRecordDatabase.compaction", qos: .utility)
    let group = DispatchGroup()

    init(_ reader: Reader, _ writer: SerialState<LogWriter>) {
        (file, self.reader, self.writer) = (reader.file, reader, writer)
    }

    typealias Caller = @Sendable (Result<Int, any Error>) -> Void

    /// Who waits for a compaction, and whether one is under way.
    struct Waiting: Sendable {
        var isRunning = false
        var isAbandoned = false

        /// Those that wait for the next one: what they want to give back may be behind what the running one has copied.
        var callers: [Caller] = []
    }
}

// MARK: Starting and stopping

extension Compactor {
    /// The size of a file from which on it is compacted without being asked.
    private static let smallestCompaction = 1 << 20

    /// Has the file compacted where so much of it is dead that the options ask for it.
    func compactIfWorthwhile(_ writer: inout LogWriter) {
        guard let threshold = file.options.compactionThreshold, writer.failure == nil else { return }
        let (end, unused, isOpen) = file.view.withLock { ($0.end, $0.unusedBytes, $0.isOpen) }
        guard isOpen, end >= max(Self.smallestCompaction, writer.nextCompaction),
            Double(unused) > threshold * Double(end)
        else { return }
        if replacementFailure != nil { return writer.nextCompaction = .max }
        begin { waiting in
            defer { waiting.isRunning = true }
            return !waiting.isRunning && !waiting.isAbandoned
        }
    }

    /// Compacts the file, after the compaction that is under way, and calls the closure with how much smaller the file
    /// has become.
    func compact(then caller: @escaping Caller) {
        begin { waiting in
            waiting.callers.append(caller)
            defer { waiting.isRunning = true }
            return !waiting.isRunning
        }
    }

    /// Runs a compaction in its thread.
    ///
    /// The compactor is released before the result is delivered: the waiting caller may have held the last reference to
    /// the database, and may open its file again at once.
    private func begin(if isWanted: @Sendable (inout Waiting) -> Bool) {
        let group = group
        let mustBegin = waiting.withLock { waiting in
            let mustBegin = isWanted(&waiting)
            if mustBegin { group.enter() }
            return mustBegin
        }
        guard mustBegin else { return }
        let compactor = Lock<Compactor?>(self)
        queue.async {
            let answers = compactor.take().map { $0.compactForCallers() }
            group.leave()
            for (caller, answer) in answers ?? [] { caller(answer) }
        }
    }

    /// Compacts the file for all callers that wait now.
    private func compactForCallers() -> [(Caller, Result<Int, any Error>)] {
        let callers = waiting.withLock { waiting in
            defer { waiting.callers = [] }
            return waiting.callers
        }
        let result = Result { try compact() }
        begin { waiting in
            waiting.isRunning = !waiting.callers.isEmpty
            return waiting.isRunning
        }
        return callers.map { ($0, result) }
    }

    /// Has the running compaction end soon without a result, and later ones too, and waits until it has ended.
    func abandon() async {
        waiting.withLock { $0.isAbandoned = true }
        // The thread of a compaction is not there in a process that was forked off.
        guard file.isOwnProcess else { return }
        await withCheckedContinuation { continuation in
            group.notify(queue: writer.queue) { continuation.resume() }
        }
    }

    /// The running compactions without a caller that waits, by the name of the file whose lock they hold.
    private static let orphans = Lock<[(name: String, group: DispatchGroup)]>([])

    /// Has the running compaction end soon, of a database that is no more.
    func leaveAlone() {
        waiting.withLock { $0.isAbandoned = true }
        // The group is empty when the file is released, which is later than that nothing runs.
        guard file.isOwnProcess, group.wait(timeout: .now()) == .timedOut else { return }
        let (name, group) = (file.name.resolved, group)
        Self.orphans.withLock { $0.append((name, group)) }
        group.notify(queue: queue) { Self.orphans.withLock { $0.removeAll { $0.group === group } } }
    }

    /// Waits for the compactions of databases that are no more.
    ///
    /// - Returns: Whether there were any.
    static func waitForOrphans(of name: FilePath) -> Bool {
        let groups = orphans.withLock { $0.filter { $0.name == name.resolved }.map(\.group) }
        for group in groups { group.wait() }
        return !groups.isEmpty
    }
}

// MARK: The compaction

extension Compactor {
    /// Compacts the file, and keeps the reason if that is not possible.
    private func compact() throws -> Int {
        do {
            return try giveBackSpace()
        } catch {
            let end = file.view.withLock { $0.end }
            // Nobody is to hear of one that was given up, and can.
            guard !waiting.withLock({ $0.isAbandoned }) else { throw error }
            writer.sync { writer in
                writer.compactionFailure = error
                // The batch that wanted it is saved. A later one tries again, unless the file cannot be replaced.
                writer.nextCompaction = RecordDatabaseError.Code.notReplaceable ~= error ? .max : end + end / 4
            }
            throw error
        }
    }

    /// Replaces the file by a compacted one.
    ///
    /// - Returns: How much smaller the file has become.
    private func giveBackSpace() throws -> Int {
        try checkGoesOn()
        try prepare(file.withOpenView { $0.file })
        do {
            return try replaceByCompacted()
        } catch let refusal as RecordDatabaseError where refusal.forbidsReplacement {
            throw replacementFailure ?? notReplaceable(refusal)
        }
    }

    private func prepare(_ storage: StorageFile) throws {
        try writer.sync { writer in
            if let failure = writer.failure { throw failure }
        }
        try checkName(of: storage)
        try writer.sync { try $0.cutTail(off: storage, of: file) }
        CompactionLeftover.remove(of: storage, seed: file.view.withLock { $0.seed })
    }

    /// Writes the newest versions of all records to a new file, and puts it in place of the old one.
    ///
    /// Readers go on with the old one as long as they hold it.
    ///
    /// - Returns: How much smaller the file has become.
    private func replaceByCompacted() throws -> Int {
        // Of one moment: no batch is being written.
        let (old, places, types, end, sequence) = try writer.sync { writer in
            try file.withOpenView { ($0.file, $0.index.unsortedPlaces(), $0.types, $0.end, writer.sequence) }
        }
        // The order takes longer to find than saves should wait.
        let source = try CompactionSource(
            of: old, places.sorted(), types, FileHeader.batchesStart..<end, sequence: sequence,
            maximumDeletionCount: file.options.maximumDeletionCount, contains: reader.contains)
        let temporary = file.name.adding(CompactionLeftover.suffix(types.seed))
        let new = try StorageFile.open(temporary, OpenFlags.creating, file.system)
        do {
            // Nobody else may take it for a leftover, or open it for writing once it has the name.
            try new.lock()
            // What is refused is refused before much is written.
            try new.takeAttributes(of: old)
            var compacted = try CompactedFile(of: source, sequence: sequence, to: new, checkGoesOn: checkGoesOn)
            try copyNewBatches(to: &compacted)
            return try writer.sync { try replace(old, by: &compacted, &$0) }
        } catch {
            _ = file.system.remove(temporary.resolved)
            throw error
        }
    }

    /// How much may be left to copy while saves wait.
    private static let longestRest = 64 << 10

    /// Copies the batches that were saved meanwhile, until few are left or they no longer become fewer.
    private func copyNewBatches(to compacted: inout CompactedFile) throws {
        var last = Int.max
        while true {
            try checkGoesOn()
            let end = file.view.withLock { $0.end }
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
        let end = try file.withOpenView { $0.end }
        try compacted.copyBatches(to: end)
        let state = try compacted.finish(after: writer.state, sequence: writer.sequence)
        // Another process may have changed them, or the file with the name.
        try compacted.file.takeAttributes(of: old)
        try checkName(of: old)
        let temporary = compacted.file.name
        try StorageFile.retrying("rename", file.path) { file.system.rename(temporary.resolved, file.name.resolved) }
        let renamed = StorageFile(taking: compacted.file, name: file.name)
        file.view.withLock { compacted.apply(to: &$0, as: renamed) }
        writer.goOn(with: state, indexedEnd: compacted.indexedEnd)
        do {
            try StorageFile.retrying("sync", file.path) { file.system.syncFolder(file.name.folder) }
        } catch {
            // After a loss of power the name may lead to the old file: what is written now would be lost.
            writer.failure = error
            throw error
        }
        return max(0, end - file.view.withLock { $0.end })
    }

    /// Makes sure that the file is still wanted, and that this is the process that may write it.
    private func checkGoesOn() throws {
        if waiting.withLock({ $0.isAbandoned }) { throw RecordDatabaseError(.closed, path: file.path) }
        try file.checkIsOwnProcess()
    }

    /// Makes sure that the name of the file can be given to another one, and nothing but the file is replaced.
    private func checkName(of storage: StorageFile) throws {
        try file.checkIsCurrent(storage)
        let count = try storage.status().linkCount
        if count > 1 { throw RecordDatabaseError(.hardLinked, reason: "there are \(count)", path: file.path) }
    }
}

// MARK: Files that cannot be replaced

extension Compactor {
    /// Why no other file can take the name of this one, as far as the system knows before that is tried; nil if one can.
    var replacementFailure: RecordDatabaseError? {
        let storage = file.view.withLock { $0.file }
        do {
            try StorageFile.retrying("replace", file.path) {
                file.system.checkReplacement(storage.descriptor, file.name.folder)
            }
            return nil
        } catch {
            return notReplaceable(error)
        }
    }

    private func notReplaceable(_ refusal: any Error) -> RecordDatabaseError {
        RecordDatabaseError(
            .notReplaceable, path: file.path, hint: "'records copy' makes a compacted copy of it",
            underlyingError: refusal)
    }

    /// Why the file cannot be compacted, if it could be half as large.
    var warning: String? {
        let isWorthwhile = file.view.withLock { 2 * $0.unusedBytes >= $0.end }
        return isWorthwhile ? replacementFailure?.description : nil
    }
}
