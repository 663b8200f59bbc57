import Dispatch
@_spi(Engines) import NestedRecords

// A compaction runs concurrently with saves, in a separate thread. Saves continue in the old file and are durable there
// until the new file takes its name:
//
// 1. The thread notes the locations of all records at one moment and the end of the old file at that moment. It copies
//    the records to a file beside the old one, and saves their index there.
// 2. It copies the batches after that end, then those saved during the copy, and so on as long as they become fewer.
// 3. In the queue of the store, where no batch is being written, it copies the last batches, syncs the new file,
//    renames
//    it, syncs the folder, and switches readers and the writer to it.
//
// The invariant: the name always leads to a file with every acknowledged batch. Until the rename this is the old file,
// to which the compaction writes nothing. From the rename on it is the new file, because nothing is acknowledged
// between the copy of the last batch and the rename. Nothing is acknowledged after the rename before the folder is
// synced, so a loss of power that restores the old name restores all batches too. A failure before the rename leaves
// the old file in use; a kill before it leaves a file that the next writer removes.

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

    struct Waiting: Sendable {
        var isRunning = false
        var isAbandoned = false

        /// The callers of the next compaction: the bytes that they want to reclaim may come after what the running one
        /// has copied.
        var callers: [Caller] = []
    }
}

// MARK: Starting and stopping

extension Compactor {
    private static let smallestCompaction = 1 << 20

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

    func compact(then caller: @escaping Caller) {
        begin { waiting in
            waiting.callers.append(caller)
            defer { waiting.isRunning = true }
            return !waiting.isRunning
        }
    }

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

    func abandon() async {
        waiting.withLock { $0.isAbandoned = true }
        await withCheckedContinuation { continuation in
            group.notify(queue: writer.queue) { continuation.resume() }
        }
    }

    /// The running compactions whose database was released, by the name of the file whose lock they hold.
    private static let orphans = Lock<[(name: String, group: DispatchGroup)]>([])

    func leaveAlone() {
        waiting.withLock { $0.isAbandoned = true }
        // The group is empty once the file is released, which is later than the end of the compaction.
        guard group.wait(timeout: .now()) == .timedOut else { return }
        let (name, group) = (file.name.resolved, group)
        Self.orphans.withLock { $0.append((name, group)) }
        group.notify(queue: queue) { Self.orphans.withLock { $0.removeAll { $0.group === group } } }
    }

    static func hasOrphans(of name: FilePath) -> Bool { !groups(of: name).isEmpty }

    /// Waits for the compactions whose database was released, in a thread that runs no tasks.
    ///
    /// - Returns: Whether they have ended.
    static func waitForOrphans(of name: FilePath, until deadline: ContinuousClock.Instant) -> Bool {
        groups(of: name).allSatisfy { group in
            let rest = max(.zero, deadline - .now)
            return group.wait(timeout: .now() + rest.inSeconds) == .success
        }
    }

    private static func groups(of name: FilePath) -> [DispatchGroup] {
        orphans.withLock { $0.filter { $0.name == name.resolved }.map(\.group) }
    }
}

// MARK: The compaction

extension Compactor {
    private func compact() throws -> Int {
        do {
            return try giveBackSpace()
        } catch {
            let end = file.view.withLock { $0.end }
            // An abandoned compaction is not reported: the file can be compacted.
            guard !waiting.withLock({ $0.isAbandoned }) else { throw error }
            writer.sync { writer in
                writer.compactionFailure = error
                // The batch that started the compaction is saved. A later batch tries again, unless the file cannot be
                // replaced.
                writer.nextCompaction = RecordDatabaseError.Code.notReplaceable ~= error ? .max : end + end / 4
            }
            throw error
        }
    }

    private func giveBackSpace() throws -> Int {
        try checkGoesOn()
        let storage = try file.withOpenView { $0.file }
        try writer.sync { writer in
            if let failure = writer.failure { throw failure }
        }
        try checkName(of: storage)
        try writer.sync { try $0.cutTail(off: storage, of: file) }
        CompactionLeftover.remove(of: storage, seed: file.view.withLock { $0.seed })
        do {
            return try replaceByCompacted()
        } catch let refusal as RecordDatabaseError where refusal.forbidsReplacement {
            throw replacementFailure ?? notReplaceable(refusal)
        }
    }

    private func replaceByCompacted() throws -> Int {
        // All values are of one moment: no batch is being written.
        let (old, places, types, end, sequence) = try writer.sync { writer in
            try file.withOpenView { ($0.file, $0.index.unsortedPlaces(), $0.types, $0.end, writer.sequence) }
        }
        // Sorting takes longer than saves should wait.
        let source = try CompactionSource(
            of: old, places.sorted(), types, FileHeader.batchesStart..<end, sequence: sequence,
            declarations: reader.declarations(), maximumDeletionCount: file.options.maximumDeletionCount,
            contains: reader.contains)
        let temporary = file.name.adding(CompactionLeftover.suffix(types.seed))
        let new = try StorageFile.open(temporary, OpenFlags.creating, file.system)
        do {
            // No other process may take it for a leftover, or open it for writing once it has the name.
            try new.lock()
            // A refusal is found before much is written.
            try new.takeAttributes(of: old)
            var compacted = try CompactedFile(of: source, sequence: sequence, to: new, checkGoesOn: checkGoesOn)
            try copyNewBatches(to: &compacted)
            return try writer.sync { try replace(old, by: &compacted, &$0) }
        } catch {
            _ = file.system.remove(temporary.resolved)
            throw error
        }
    }

    private static let longestRest = 64 << 10

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

    private func replace(
        _ old: StorageFile, by compacted: inout CompactedFile, _ writer: inout LogWriter
    ) throws -> Int {
        if let failure = writer.failure { throw failure }
        try checkGoesOn()
        let end = try file.withOpenView { $0.end }
        try compacted.copyBatches(to: end)
        let state = try compacted.finish(after: writer.state, sequence: writer.sequence)
        // Another process may have changed the attributes, or the file under the name.
        try compacted.file.takeAttributes(of: old)
        try checkName(of: old)
        let temporary = compacted.file.name
        try StorageFile.retrying("rename", file.path) { file.system.rename(temporary.resolved, file.name.resolved) }
        let renamed = StorageFile(taking: compacted.file, name: file.name)
        file.view.withLock { compacted.apply(to: &$0, as: renamed) }
        (writer.state, writer.indexedEnd) = (state, compacted.indexedEnd)
        (writer.hasAnnouncedRelaxed, writer.nextCompaction, writer.compactionFailure) = (false, 0, nil)
        do {
            try StorageFile.retrying("sync", file.path) { file.system.syncFolder(file.name.folder) }
        } catch {
            // After a loss of power the name may lead to the old file: later writes would be lost.
            writer.failure = error
            throw error
        }
        return max(0, end - file.view.withLock { $0.end })
    }

    private func checkGoesOn() throws {
        if waiting.withLock({ $0.isAbandoned }) { throw RecordDatabaseError(.closed, path: file.path) }
    }

    private func checkName(of storage: StorageFile) throws {
        try file.checkIsCurrent(storage)
        let count = try storage.status().linkCount
        if count > 1 { throw RecordDatabaseError(.hardLinked, reason: "there are \(count)", path: file.path) }
    }
}

// MARK: Files that cannot be replaced

extension Compactor {
    /// The reason why the file cannot be replaced, as far as the system knows beforehand; nil if there is none.
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

    var warning: String? {
        let isWorthwhile = file.view.withLock { 2 * $0.unusedBytes >= $0.end }
        return isWorthwhile ? replacementFailure?.description : nil
    }
}
