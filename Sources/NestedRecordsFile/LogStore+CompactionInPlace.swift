import Dispatch
import NestedRecords

// Where the system forbids to replace the file, it is compacted in place, in the turn of the writer:
//
// 1. The records are copied behind the end of the file, with another seed, and the headers are changed so that the file
//    begins there. What is before the copy is free then.
// 2. They are copied from there to the front, again with another seed, the headers are changed back, and the file is cut
//    off behind them.
//
// The invariant: at each moment the headers lead to a part of the file to which nothing is written, and which has every
// acknowledged batch. A part that is not in use yet or not any more is behind an announcement that says so, and the next
// writer cuts it off; what is in front of the part in use is read by nobody. Readers in this process hold the file: the
// front is not overwritten while one of them holds what is there, and the end is not cut off. Those in other processes
// notice it by the seed, see `rereading`.

extension LogStore {
    /// How long saves wait for readers.
    private static let longestWait = 1_000

    /// Compacts the file in place.
    ///
    /// - Parameter refusal: Why it cannot be replaced.
    /// - Returns: How much smaller the file has become.
    func compactInPlace(because refusal: FileRecordDatabaseError) throws -> Int {
        // After a loss of power nobody would know the file that was to replace this one: its seed would be an older one.
        if refusal.operation == "rename" { _ = system.syncFolder(name.folder) }
        do {
            let reclaimed = try queue.sync {
                try writer.withLock { writer in
                    let mayGrow = refusal.code != .diskFull
                    let reclaimed = try compactInPlace(&writer, mayGrow: mayGrow)
                    if reclaimed != nil {
                        writer.nextCompaction = 0
                        (writer.compactionFailure, writer.inPlaceReason) = (nil, refusal)
                    }
                    return reclaimed
                }
            }
            if let reclaimed { return reclaimed }
        } catch FileRecordDatabaseError.Code.closed {
            throw FileRecordDatabaseError.closed(path: path)
        } catch {
            throw refusal.and("and it could not be compacted in place", error)
        }
        throw refusal
    }

    /// - Parameter mayGrow: Whether there may be room behind the end of the file.
    /// - Returns: How much smaller the file has become; nil if nothing can be given back.
    private func compactInPlace(_ writer: inout LogWriter, mayGrow: Bool) throws -> Int? {
        if let failure = writer.failure { throw failure }
        try checkGoesOn()
        let head = try headForCompaction(&writer)
        let end = view.withLock { $0.end }
        let size = try longestCopySize(writer)
        let neededEnd = FileHeader.batchesStart + size + BlockHeader.size
        if head.start < neededEnd {
            guard mayGrow, neededEnd < end else { return nil }
            // Where readers hold the front the file would only grow.
            try checkNobodyReads()
            try copyToEnd(head, &writer)
            try checkGoesOn()
        }
        try checkNobodyReads()
        try copyToFront(head, &writer)
        return max(0, end - view.withLock { $0.end })
    }

    /// The most bytes that a copy of the records takes; in a function of its own, because no file may be kept.
    private func longestCopySize(_ writer: LogWriter) throws -> Int {
        let source = try compactionSource(of: compactionSnapshot(), sequence: writer.sequence)
        return view.withLock { RecordCopy.longestSize(of: source, $0) }
    }

    /// The head of the file, if that can be changed.
    private func headForCompaction(_ writer: inout LogWriter) throws -> FileHeader {
        let (file, end, seed) = view.withLock { ($0.file, $0.end, $0.seed) }
        try checkIsCurrent(file)
        let head = try FileHead(of: file)
        guard try file.size() >= end, head.seed == seed else {
            let failure = FileRecordDatabaseError.corrupt(
                path: path, offset: 0, what: "another program has written to the file")
            writer.failure = failure
            throw failure
        }
        return head.header
    }

    /// Makes sure that no reader of this process needs what is not in use any more.
    private func checkNobodyReads() throws {
        view.withLock { $0.file = StorageFile(taking: $0.file, name: name) }
        guard view.withLock({ $0.file }).isOnlyUse(within: Self.longestWait) else {
            throw FileRecordDatabaseError(.beingRead, path: path)
        }
    }

    /// Copies the records behind the end, and has the file begin there.
    private func copyToEnd(_ old: FileHeader, _ writer: inout LogWriter) throws {
        let (file, end) = view.withLock { ($0.file, $0.end) }
        let page = FileHeader.size
        let start = (end + BlockHeader.size + page - 1) / page * page
        let header = FileHeader(seed: .random(in: .min ... .max), origin: old.seed, start: start)
        let copy: RecordCopy
        let state: LogState
        do {
            let durableEnd = options.durability == .full ? end : Int(clamping: writer.state.durableEnd)
            try announceCopy(at: end, seed: old.seed, durableEnd: durableEnd, in: file)
            copy = try copyRecords(to: start + page, header.seed, writer)
            state = self.state(of: copy, after: writer.state, start: start, compactions: 1)
            try state.writeTwice(to: file, seed: header.seed)
            try file.sync()
        } catch {
            undo(file, to: end, error, &writer)
            do { try file.sync() } catch { writer.failure = writer.failure ?? error }
            throw error
        }
        try use(header, of: file, &writer)
        view.withLock { copy.apply(to: &$0) }
        writer.goOn(with: state, indexedEnd: copy.saved.end)
    }

    /// Copies the records to the front, has the file begin there, and cuts off the rest.
    private func copyToFront(_ old: FileHeader, _ writer: inout LogWriter) throws {
        let header = FileHeader(seed: .random(in: .min ... .max), origin: old.seed)
        let compactions: UInt64 = view.withLock { $0.seed } == old.seed ? 1 : 0
        let copy: RecordCopy
        do {
            copy = try copyRecords(to: FileHeader.batchesStart, header.seed, writer)
        } catch {
            noteFailedSync(error, &writer)
            throw error
        }
        let state = state(of: copy, after: writer.state, start: 0, compactions: compactions)
        // Readers take the copy from now on. Those that hold the other one keep it from being cut off.
        let former = view.withLock { view in
            var former = view
            copy.apply(to: &view)
            view.file = StorageFile(taking: view.file, name: name)
            former.file = view.file
            return former
        }
        let file = former.file
        do {
            try announceCopy(at: copy.saved.end, seed: header.seed, durableEnd: copy.saved.end, in: file)
            try state.writeTwice(to: file, seed: header.seed)
            try file.sync()
            guard file.isOnlyUse(within: Self.longestWait) else {
                throw FileRecordDatabaseError(.beingRead, path: path)
            }
        } catch {
            view.withLock { $0 = former }
            noteFailedSync(error, &writer)
            throw error
        }
        try use(header, of: file, &writer)
        writer.goOn(with: state, indexedEnd: copy.saved.end)
        do {
            try file.truncate(to: copy.saved.end)
            try file.sync()
        } catch {
            // Nothing may be written over the announcement while there is something behind it.
            writer.failure = error
            throw error
        }
    }

    /// Has nothing more be written where the system may have dropped what it could not sync.
    private func noteFailedSync(_ failure: any Error, _ writer: inout LogWriter) {
        if (failure as? FileRecordDatabaseError)?.operation == "sync" { writer.failure = failure }
    }

    private func copyRecords(to start: Int, _ seed: UInt64, _ writer: LogWriter) throws -> RecordCopy {
        let source = try compactionSource(of: compactionSnapshot(), sequence: writer.sequence)
        return try RecordCopy(
            of: source, sequence: writer.sequence, to: source.file, seed: seed, at: start, checkGoesOn: checkGoesOn)
    }

    private func announceCopy(at end: Int, seed: UInt64, durableEnd: Int, in file: StorageFile) throws {
        try file.write(BlockHeader.copyAnnouncement(durableEnd: durableEnd).bytes(seed: seed, at: end), at: end)
        try file.sync()
    }

    private func state(
        of copy: RecordCopy, after state: LogState, start: Int, compactions: UInt64
    ) -> LogState {
        var state = state
        state.start = start
        state.durableEnd = UInt64(copy.saved.end)
        state.indexOffset = UInt64(copy.indexOffset)
        state.sequence = copy.saved.sequence
        state.generation &+= 1
        state.compactions &+= compactions
        return state
    }

    /// Has the file begin where a header says.
    private func use(_ header: FileHeader, of file: StorageFile, _ writer: inout LogWriter) throws {
        do {
            try FileHead.replace(by: header, in: file)
        } catch {
            // Which of the two the next opening finds is not known.
            writer.failure = error
            throw error
        }
    }
}
